// Types of elementwise operators (spec ops/unary.md, ops/binary.md, ops/ternary.md, ops/activation.md).
"use strict";
const { rejected, unsupported } = require("../ends");
const { isFloat, isInt } = require("../dtypes");
const { tensor, prim, int } = require("./build");
const { provablyEqual } = require("../shapes");
const { tensorArgument, axisIn, broadcast, device, anyDevice, oneDtype, dims } = require("./common");

const same = ([x]) => tensorArgument(x);

function float([x]) {
  const type = tensorArgument(x);
  if (type.dtype !== null && !isFloat(type.dtype)) throw rejected("op.unary/float-dtype", type.dtype);
  return type;
}

function bits([x]) {
  const type = tensorArgument(x);
  if (type.dtype !== null && isFloat(type.dtype)) throw rejected("op.unary/bits-dtype", type.dtype);
  return type;
}

const truth = ([x]) => ({ ...tensorArgument(x), dtype: "bool" });
const astype = ([x], { dtype }) => ({ ...tensorArgument(x), dtype });

/** An operand is a tensor or a scalar, which counts as a tensor of shape (1,). */
function operand(type) {
  if (type.node === "PrimType") return tensor([int(1)], type.dtype);
  if (type.node === "DTensorType") throw unsupported("distributed tensors");
  if (type.node !== "TensorType") throw rejected("op.binary/operand", type.node);
  return type;
}

const areScalars = (types) => types.every((t) => t.node === "PrimType");
const operands = (types) => types.map(operand);

/** Of two scalars a scalar; of operands over one shape variable that shape; else the dims are broadcast. */
function together(given, types, dtype, vdevice) {
  if (areScalars(given)) return prim(dtype);
  return over(types, dtype, vdevice);
}

function over(types, dtype, vdevice) {
  const { shape, ndim } = sharedVariable(types) ?? broadcast(types);
  return tensor(shape, dtype, ndim, vdevice);
}

/** {shape, ndim} where all types name one shape variable (op.common, "What is not known"). */
function sharedVariable(types) {
  const [{ shape, ndim }] = types;
  return typeof shape === "string" && types.every((t) => t.shape === shape) ? { shape, ndim } : null;
}

/** Next to a bool operand any dtype is accepted, and the result has the first operand's. */
function commonDtype(a, b) {
  if (a.dtype !== null && b.dtype !== null && a.dtype !== b.dtype && a.dtype !== "bool" && b.dtype !== "bool") {
    throw rejected("op.binary/equal-dtypes", `${a.dtype} and ${b.dtype}`);
  }
  return b.dtype === null ? null : a.dtype;
}

function arithmetic(given) {
  const types = operands(given);
  const dtype = commonDtype(...types);
  return together(given, types, dtype, device(types));
}

/** Operands of a comparison meet in one dtype (op.binary/meeting-dtype). */
function comparison(given) {
  const types = operands(given);
  return together(given, types, "bool", device(types));
}

function requiring(allowed, rule) {
  return (given) => {
    for (const { dtype } of operands(given)) if (dtype !== null && !allowed(dtype)) throw rejected(rule, dtype);
    return arithmetic(given);
  };
}

const twoBits = requiring((dtype) => !isFloat(dtype), "op.binary/bits-dtype");
const shift = requiring(isInt, "op.binary/shift-dtype");

function where([condition, x, y]) {
  const types = [condition, x, y].map(tensorArgument);
  if (types[0].dtype !== null && types[0].dtype !== "bool") throw rejected("op.where/bool-condition", types[0].dtype);
  const dtype = commonDtype(types[1], types[2]);
  return over(types, dtype, anyDevice(types));
}

function clip([x, low, high]) {
  if (low.node !== "PrimType" || high.node !== "PrimType") throw rejected("op.clip/scalar-bounds", `${low.node}, ${high.node}`);
  return tensorArgument(x);
}

function fma(given) {
  const types = given.map(tensorArgument);
  const dtype = oneDtype(types);
  const ranks = types.map((t) => t.ndim).filter((n) => n >= 0);
  if (ranks.some((n) => n !== ranks[0])) throw rejected("op.ewise_fma/equal-ranks", ranks.join());
  const known = types.map(dims).filter((d) => d !== null);
  const equal = (d, k) => provablyEqual(d, known[0][k]);
  if (known.length === 3 && !known.every((other) => other.every(equal))) throw rejected("op.ewise_fma/equal-dims", "");
  const shape = sharedVariable(types)?.shape ?? (known.length === 3 ? known[0] : null);
  return tensor(shape, dtype, ranks[0] ?? -1, anyDevice(types));
}

function softmax([x], { axis }) {
  const type = tensorArgument(x);
  if (type.dtype !== null && !isFloat(type.dtype)) throw rejected("op.nn.softmax/float-dtype", type.dtype);
  axisIn(axis, type.ndim);
  return type;
}

function prelu([x, alpha], attrs) {
  const type = softmax([x], attrs);
  oneDtype([type, tensorArgument(alpha)]);
  return type;
}

module.exports = { same, float, bits, truth, astype, arithmetic, comparison, twoBits, shift, where, clip, fma, softmax, prelu, commonDtype };
