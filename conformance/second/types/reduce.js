// Types of reductions (spec ops/reduce.md).
"use strict";
const { int, tuple } = require("./build");
const { tensorArgument, dims, axesIn, like } = require("./common");

/** The kept axes; all are gone without `axis`. */
function kept(type, axis, keepdims) {
  if (type.ndim < 0) return axis === null && !keepdims ? like(type, []) : like(type, null);
  const gone = new Set(axis === null ? [...Array(type.ndim).keys()] : axesIn([axis].flat(), type.ndim));
  const ndim = keepdims ? type.ndim : type.ndim - gone.size;
  const shape = dims(type);
  if (ndim === 0) return like(type, []);
  if (keepdims && axis === null) return like(type, new Array(ndim).fill(int(1)));
  if (shape === null) return like(type, null, type.dtype, ndim);
  return like(type, keepdims ? shape.map((d, k) => (gone.has(k) ? int(1) : d)) : shape.filter((_, k) => !gone.has(k)));
}

const reduction = ([x], { axis, keepdims }) => kept(tensorArgument(x), axis, keepdims);
const position = (given, attrs) => ({ ...reduction(given, attrs), dtype: "int64" });

function median(given, attrs) {
  const values = reduction(given, attrs);
  const one = attrs.axis !== null && [attrs.axis].flat().length === 1;
  return one ? tuple([values, { ...values, dtype: "int64" }]) : values;
}

module.exports = { reduction, position, median };
