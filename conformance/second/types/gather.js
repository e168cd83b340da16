// Types of take (spec ops/gather.md).
"use strict";
const { rejected } = require("../ends");
const { isInt } = require("../dtypes");
const { tensor } = require("./build");
const { tensorArgument, dims, axisIn, like } = require("./common");

function take([x, given], { axis }) {
  const type = tensorArgument(x);
  const indices = given.node === "PrimType" ? tensor([], given.dtype) : tensorArgument(given);
  if (indices.dtype !== null && !isInt(indices.dtype)) throw rejected("op.take/integer-indices", indices.dtype);
  if (axis === null && type.ndim !== 1) throw rejected("op.take/flat", String(type.ndim));
  const at = axisIn(axis ?? 0, type.ndim);
  if (type.ndim < 0 || indices.ndim < 0) return like(type, null);
  const [shape, places] = [dims(type), dims(indices)];
  const ndim = type.ndim - 1 + indices.ndim;
  if (shape === null || places === null) return like(type, null, type.dtype, ndim);
  return like(type, [...shape.slice(0, at), ...places, ...shape.slice(at + 1)]);
}

module.exports = { take };
