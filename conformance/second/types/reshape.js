// Types of reshapes (spec ops/reshape.md).
"use strict";
const { rejected } = require("../ends");
const { equality } = require("../shapes");
const { fixed, int, over, productOf } = require("./build");
const { tensorArgument, dims, shapeArgument, shapeOf, axesIn, like, differ } = require("./common");

function reshape([x, target], _, call) {
  const type = tensorArgument(x);
  const { values, ndim } = shapeArgument(target);
  if (values === null) return like(type, shapeOf(target, call.args[1]), type.dtype, ndim);
  const old = dims(type);
  const copied = (d, k) => fixed(values[k]) === 0 && k < old.length; // of the old dims as of the new
  let wanted = old === null ? values : values.map((d, k) => (copied(d, k) ? old[k] : d));
  if (wanted.some((d) => fixed(d) !== null && fixed(d) < -1)) throw rejected("op.reshape/positive-dims", "");
  const open = values.filter((d) => fixed(d) === -1).length;
  if (open > 1 || (open === 1 && old === null)) throw rejected("op.reshape/inferred-dim", "");
  if (old === null) {
    const zero = values.findIndex((d) => fixed(d) === 0); // it may stand for a dim that is not known
    return like(type, zero >= 0 && (type.ndim < 0 || zero < type.ndim) ? null : wanted, type.dtype, values.length);
  }
  if (open === 1) {
    const rest = productOf(wanted.filter((d, k) => fixed(values[k]) !== -1 && !copied(d, k)));
    const all = productOf(old.filter((d, k) => k >= values.length || !copied(d, k)));
    wanted = wanted.map((d, k) => (fixed(values[k]) !== -1 ? d : fixed(rest) === 0 ? int(0) : over(all, rest)));
  }
  if (equality(productOf(old), productOf(wanted)) === "different") throw rejected("op.reshape/element-count", "");
  return like(type, wanted);
}

function flatten([x]) {
  const type = tensorArgument(x);
  if (type.ndim === 0) return like(type, [int(1)]);
  return like(type, dims(type) === null ? null : [productOf(dims(type))], type.dtype, 1);
}

function batchFlatten([x]) {
  const type = tensorArgument(x);
  if (type.ndim >= 0 && type.ndim < 2) throw rejected("op.nn.batch_flatten/rank", String(type.ndim));
  const shape = dims(type);
  return like(type, shape === null ? null : [shape[0], productOf(shape.slice(1))], type.dtype, 2);
}

function expandDims([x], { axis }) {
  const type = tensorArgument(x);
  if (type.ndim < 0) return like(type, null);
  const rank = type.ndim + axis.length;
  const added = new Set(axesIn(axis, rank));
  const rest = dims(type)?.slice();
  if (rest === undefined) return like(type, null, type.dtype, rank);
  return like(type, Array.from({ length: rank }, (_, k) => (added.has(k) ? int(1) : rest.shift())));
}

/** An axis that is known to have another extent than 1 stays; any other dim is taken for 1. */
function squeeze([x], { axis }) {
  const type = tensorArgument(x);
  const shape = dims(type);
  const chosen = axis === null ? null : new Set(axesIn([axis].flat(), type.ndim));
  if (shape === null && chosen !== null && type.ndim >= 0) return like(type, null, type.dtype, type.ndim - chosen.size);
  if (shape === null || (chosen === null && shape.some((d) => fixed(d) === null))) return like(type, null);
  const gone = (d, k) => (chosen === null ? fixed(d) === 1 : chosen.has(k) && (fixed(d) === null || fixed(d) === 1));
  return like(type, shape.filter((d, k) => !gone(d, k)));
}

function permuteDims([x], { axes }) {
  const type = tensorArgument(x);
  if (axes !== null && type.ndim >= 0 && axes.length !== type.ndim) throw rejected("op.permute_dims/axes-count", "");
  const order = axes === null ? null : axesIn(axes, type.ndim);
  const shape = dims(type);
  if (shape === null) return like(type, null, type.dtype, type.ndim);
  return like(type, order === null ? shape.slice().reverse() : order.map((a) => shape[a]));
}

function broadcastTo([x, target], _, call) {
  const type = tensorArgument(x);
  const { values, ndim } = shapeArgument(target);
  if (ndim >= 0 && type.ndim > ndim) throw rejected("op.broadcast_to/rank", `${type.ndim} to ${ndim}`);
  const shape = dims(type);
  if (values === null) return like(type, shapeOf(target, call.args[1]), type.dtype, ndim);
  if (shape !== null) {
    const skip = values.length - shape.length;
    if (shape.some((d, k) => differ(d, int(1)) && differ(d, values[k + skip]))) throw rejected("op.broadcast_to/dims", "");
  }
  return like(type, values);
}

module.exports = { reshape, flatten, batchFlatten, expandDims, squeeze, permuteDims, broadcastTo };
