// Types of slices (spec ops/slicing.md).
"use strict";
const { rejected, unsupported } = require("../ends");
const { fixed, int } = require("./build");
const { tensorArgument, dims, axesIn, like } = require("./common");

/** The scalar expressions of a tuple argument. */
function numbers(type, expression) {
  const fine = type.node === "TupleType" && type.fields.every((f) => f.node === "PrimType" && f.dtype === "int64");
  if (!fine) throw rejected("op.strided_slice/int64-tuples", type.node);
  if (expression.node !== "Tuple") throw unsupported("bounds in a variable");
  return expression.fields.map((f) => (f.node === "PrimValue" ? f.value : null));
}

function stridedSlice(types, { assume_inbound: inbound }, call) {
  const type = tensorArgument(types[0]);
  const [axes, begin, end, strides] = types.slice(1).map((t, k) => numbers(t, call.args[k + 1]));
  if (axes.some((a) => a === null || fixed(a) === null)) throw rejected("op.strided_slice/constant-axes", "");
  const lengths = [axes, begin, end, ...(strides === undefined ? [] : [strides])].map((list) => list.length);
  if (lengths.some((n) => n !== lengths[0])) throw rejected("op.strided_slice/equal-lengths", lengths.join());
  if (strides?.some((s) => s !== null && fixed(s) === 0)) throw rejected("op.strided_slice/zero-stride", "");
  const shape = dims(type)?.slice();
  const places = axesIn(axes.map(fixed), type.ndim);
  if (shape === undefined) return like(type, null, type.dtype, type.ndim);
  places.forEach((axis, k) => (shape[axis] = extent(shape[axis], begin[k], end[k], strides === undefined ? int(1) : strides[k], inbound)));
  return like(type, shape);
}

/** The number of positions from begin to end. */
function extent(n, begin, end, stride, inbound) {
  const [size, from, until, step] = [n, begin, end, stride].map((e) => (e === null ? null : fixed(e)));
  if ([size, step, from, until].includes(null)) throw unsupported("a slice by expressions");
  const [low, high] = step > 0 ? [0, size] : [-1, size - 1];
  const bound = (p) => (inbound ? p : Math.min(Math.max(p < 0 ? p + size : p, low), high));
  return int(Math.max(0, Math.ceil((bound(until) - bound(from)) / step)));
}

function dynamicStridedSlice([x, ...bounds]) {
  const type = tensorArgument(x);
  for (const each of bounds) {
    const [shape, dtype] = [dims(tensorArgument(each)), each.dtype];
    const vector = shape !== null && shape.length === 1 && fixed(shape[0]) === type.ndim;
    if ((dtype !== null && dtype !== "int64") || (type.ndim >= 0 && !vector)) throw rejected("op.dynamic_strided_slice/index-tensor", "");
  }
  return like(type, null, type.dtype, type.ndim);
}

module.exports = { stridedSlice, dynamicStridedSlice };
