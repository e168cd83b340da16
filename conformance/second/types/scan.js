// Types of running sums, sorting and searching (spec ops/scan.md).
"use strict";
const { rejected } = require("../ends");
const { tensor, tuple, int, fixed, least, productOf } = require("./build");
const { tensorArgument, dims, axisIn, like } = require("./common");

function running([x], { axis, dtype }) {
  const type = tensorArgument(x);
  const shape = dims(type);
  if (axis === null && shape === null) return like(type, null, dtype ?? type.dtype, type.ndim === 1 ? 1 : -1);
  if (axis === null) return like(type, [productOf(shape)], dtype ?? type.dtype);
  axisIn(axis, type.ndim);
  return { ...type, dtype: dtype ?? type.dtype };
}

function sort([x], { axis }) {
  const type = tensorArgument(x);
  axisIn(axis, type.ndim);
  return type;
}

const argsort = (given, attrs) => ({ ...sort(given, attrs), dtype: attrs.dtype });

function topk([x], { k, axis, ret_type: wanted, dtype }) {
  const type = tensorArgument(x);
  if (!["both", "values", "indices"].includes(wanted)) throw rejected("op.topk/ret-type", wanted);
  const at = axisIn(axis, type.ndim);
  const shape = dims(type);
  const length = (n) => (k <= 0 ? n : fixed(n) === null ? int(k) : least(int(k), n));
  const values = shape === null ? like(type, null, type.dtype, type.ndim) : like(type, shape.map((n, p) => (p === at ? length(n) : n)));
  const indices = { ...values, dtype };
  return wanted === "both" ? tuple([values, indices]) : wanted === "values" ? values : indices;
}

function bucketize([x, boundaries], { out_int32: narrow }) {
  const type = tensorArgument(x);
  const { ndim } = tensorArgument(boundaries);
  if (ndim >= 0 && ndim !== 1) throw rejected("op.bucketize/vector", String(ndim));
  return like(type, dims(type), narrow ? "int32" : "int64", type.ndim); // not the variable that holds its dims
}

function nonzero([x]) {
  tensorArgument(x);
  return tensor(null, "int64", 2);
}

module.exports = { running, sort, argsort, topk, bucketize, nonzero };
