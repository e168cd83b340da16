// Types of tensors that are made (spec ops/create.md).
"use strict";
const { rejected, unsupported } = require("../ends");
const { isFloat, isInt } = require("../dtypes");
const { dtypeOf } = require("../scalars");
const { tensor, int, fixed, over, plus, minus, greatest, known } = require("./build");
const { tensorArgument, shapeArgument, shapeOf, dims, like } = require("./common");

/** A scalar expression that is written where the call stands. */
function written(expression) {
  if (expression.node !== "PrimValue") throw rejected("op.common/scalar-argument", expression.node);
  return expression.value;
}

function filled([target], { dtype }, call) {
  const { ndim } = shapeArgument(target);
  return tensor(shapeOf(target, call.args[0]), dtype, ndim);
}

function scalarFill(type) {
  const fill = tensorArgument(type);
  if (fill.ndim !== 0) throw rejected("op.full/scalar-fill", String(fill.ndim));
  return fill;
}

function full([target, given], { dtype }, call) {
  const fill = scalarFill(given);
  const { ndim } = shapeArgument(target);
  return tensor(shapeOf(target, call.args[0]), dtype ?? fill.dtype, ndim);
}

function fullLike([x, given], { dtype }) {
  scalarFill(given);
  return { ...tensorArgument(x), dtype: dtype ?? x.dtype };
}

const likeIts = ([x], { dtype }) => ({ ...tensorArgument(x), dtype: dtype ?? x.dtype });

/** A scalar that counts or tells a place is an integer. */
function integer(type) {
  if (!/^u?int\d/.test(type.dtype)) throw rejected("op.common/integer-scalar", type.dtype);
}

function eye(types, { dtype }, call) {
  const [n, m] = call.args.map(written);
  types.forEach(integer);
  return tensor([n, m], dtype);
}

/** Which diagonal. */
function diagonal(offset) {
  if (offset.node !== "PrimType") throw rejected("op.tril/scalar-offset", offset.node);
  integer(offset);
}

function eyeLike([x, offset], { dtype }) {
  diagonal(offset);
  const type = tensorArgument(x);
  if (type.ndim >= 0 && type.ndim !== 2) throw rejected("op.eye_like/rank", String(type.ndim));
  return like(type, dims(type), dtype ?? type.dtype, type.ndim);
}

function arange(_, { dtype }, call) {
  const [start, end, step] = call.args.map(written);
  if (![start, end, step].every((e) => isInt(dtypeOf(e)))) throw unsupported("arange of floats or truths");
  if (fixed(step) === 0) return tensor(null, dtype, 1);
  if (fixed(step) === null) throw unsupported("arange by a step that is no literal");
  const by = fixed(step);
  const length = by > 0 ? over(plus(minus(end, start), int(by - 1)), step) : over(plus(minus(start, end), int(-by - 1)), int(-by));
  return tensor([greatest(length, int(0))], dtype);
}

function triangle([x, offset]) {
  const type = tensorArgument(x);
  if (type.ndim >= 0 && type.ndim < 2) throw rejected("op.tril/rank", String(type.ndim));
  diagonal(offset);
  return type;
}

function hamming(types, { dtype }, call) {
  for (const each of types) if (each.node !== "PrimType") throw rejected("op.common/scalar-value", each.node);
  integer(types[0]);
  if (!isFloat(dtype)) throw rejected("op.hamming_window/float-dtype", dtype);
  const size = written(call.args[0]);
  if (known(size) !== null && known(size) <= 0) throw rejected("op.hamming_window/window-size", "");
  return tensor([size], dtype);
}

module.exports = { filled, full, fullLike, like: likeIts, eye, eyeLike, arange, triangle, hamming };
