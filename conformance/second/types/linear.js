// Types of matrix products and collapsing sums (spec ops/linear.md, ops/einsum.md).
"use strict";
const { rejected } = require("../ends");
const { provablyEqual } = require("../shapes");
const { tensor, fixed } = require("./build");
const { commonDtype } = require("./elementwise");
const { tensorArgument, dims, shapeArgument, shapeOf, broadcast, anyDevice, differ, like } = require("./common");

function matmul([x, y], { out_dtype: wanted }) {
  const types = [x, y].map(tensorArgument);
  const [a, b] = types;
  if (a.ndim === 0 || b.ndim === 0) throw rejected("op.matmul/no-scalar", "");
  const dtype = wanted ?? commonDtype(a, b);
  if (a.ndim < 0 || b.ndim < 0) return tensor(null, dtype, -1, anyDevice(types));
  const [p, q] = [dims(a), dims(b)];
  const ndim = Math.max(a.ndim, b.ndim) - (a.ndim === 1 || b.ndim === 1 ? 1 : 0);
  const rank = a.ndim === 1 && b.ndim === 1 ? 0 : ndim;
  if (p === null || q === null) return tensor(null, dtype, rank, anyDevice(types));
  const rows = q.length === 1 ? q[0] : q[q.length - 2];
  if (differ(p[p.length - 1], rows)) throw rejected("op.matmul/reduction-length", "");
  const outer = (d) => tensor(d.slice(0, -2), null);
  const { shape } = broadcast([outer(p), outer(q)]);
  if (shape === null) return tensor(null, dtype, rank, anyDevice(types));
  const last = [...(p.length > 1 ? [p[p.length - 2]] : []), ...(q.length > 1 ? [q[q.length - 1]] : [])];
  return tensor([...shape, ...last], dtype, rank, anyDevice(types));
}

function outer([x, y]) {
  const [a, b] = [x, y].map(tensorArgument);
  if (a.ndim !== 1 || b.ndim !== 1) throw rejected("op.outer/vectors", "");
  const [p, q] = [dims(a), dims(b)];
  return like(a, p === null || q === null ? null : [p[0], q[0]], a.dtype, 2);
}

/** Aligned at the right, every target dim is 1 or provably the data's. */
function collapsed(type, target, ndim) {
  if (type.ndim >= 0 && ndim > type.ndim) throw rejected("op.collapse_sum/dims", "");
  const shape = dims(type);
  if (target === null || shape === null) return;
  const skip = shape.length - target.length;
  const fits = (d, k) => fixed(d) === 1 || provablyEqual(d, shape[k + skip]);
  if (!target.every(fits)) throw rejected("op.collapse_sum/dims", "");
}

function collapseTo([x, target], _, call) {
  const type = tensorArgument(x);
  const { values, ndim } = shapeArgument(target);
  collapsed(type, values, ndim);
  return like(type, shapeOf(target, call.args[1]), type.dtype, ndim);
}

function collapseLike([x, y]) {
  const [type, other] = [x, y].map(tensorArgument);
  collapsed(type, dims(other), other.ndim);
  return { ...other, dtype: type.dtype };
}

module.exports = { matmul, outer, collapseTo, collapseLike };
