// The same elements under another shape or in another order of axes (spec ops/reshape.md).
"use strict";
const { open } = require("../ends");
const { Tensor } = require("../values");
const { axisOf, product, broadcastAt } = require("./common");
const { fixed } = require("../types/build");
const types = require("../types/reshape");

function reshaped(x, shape) {
  if (product(shape) !== x.size) throw open("op.reshape/element-count-run");
  return new Tensor(x.dtype, shape, x.elements());
}

/** A 0 that is written in the call stands for the argument's dim, a -1 for what is left. */
function reshape([x, { dims }], _attrs, _machine, call) {
  const target = call.args[1];
  const numbers = target.node === "ShapeExpr" ? target.values.map(fixed) : [];
  const copied = (_n, k) => numbers[k] === 0 && k < x.shape.length;
  const shape = dims.map((n, k) => (copied(n, k) ? x.shape[k] : n));
  const at = numbers.indexOf(-1);
  if (at >= 0) {
    const rest = product(shape.filter((n, k) => k !== at && !copied(n, k)));
    shape[at] = rest === 0 ? 0 : Math.floor(product(x.shape.filter((n, k) => !copied(n, k))) / rest);
  }
  return reshaped(x, shape);
}

function expandDims([x], { axis }) {
  const rank = x.shape.length + axis.length;
  const added = new Set(axis.map((a) => axisOf(a, rank)));
  const rest = x.shape.slice();
  return reshaped(x, Array.from({ length: rank }, (_, k) => (added.has(k) ? 1 : rest.shift())));
}

function squeeze([x], { axis }) {
  const chosen = axis === null ? null : new Set([axis].flat().map((a) => axisOf(a, x.shape.length)));
  return reshaped(x, x.shape.filter((n, k) => n !== 1 || (chosen !== null && !chosen.has(k))));
}

function permute([x], { axes }) {
  const rank = x.shape.length;
  const order = axes === null ? x.shape.map((_, k) => rank - 1 - k) : axes.map((a) => axisOf(a, rank));
  return Tensor.make(x.dtype, order.map((a) => x.shape[a]), (i) => {
    const at = new Array(rank);
    order.forEach((a, k) => (at[a] = i[k]));
    return x.at(at);
  });
}

function broadcastTo([x, { dims }]) {
  const skip = dims.length - x.shape.length;
  if (skip < 0 || x.shape.some((n, k) => n !== 1 && n !== dims[k + skip])) throw open("op.broadcast_to/extents");
  return Tensor.make(x.dtype, dims, (i) => broadcastAt(x, i));
}

module.exports = {
  reshape: { type: types.reshape, run: reshape },
  flatten: { type: types.flatten, run: ([x]) => reshaped(x, [x.size]) },
  "nn.batch_flatten": { type: types.batchFlatten, run: ([x]) => reshaped(x, [x.shape[0], product(x.shape.slice(1))]) },
  expand_dims: { type: types.expandDims, run: expandDims },
  squeeze: { type: types.squeeze, run: squeeze },
  permute_dims: { type: types.permuteDims, run: permute },
  broadcast_to: { type: types.broadcastTo, run: broadcastTo },
};
