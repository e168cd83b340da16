// Elementwise operators of one, two and three tensors (spec ops/unary.md, ops/binary.md, ops/ternary.md).
"use strict";
const { open } = require("../ends");
const { Tensor, Prim } = require("../values");
const { isFloat, round } = require("../dtypes");
const { binary, compare, cast } = require("../numbers");
const { unary } = require("../functions");
const { asTensor, broadcastShape, broadcastAt, convert, meeting } = require("./common");
const types = require("../types/elementwise");

const UNARY = [
  "abs", "negative", "sign", "square", "floor", "ceil", "round", "trunc", "bitwise_not", "exp", "log", "sqrt", "rsqrt", "sigmoid",
  "erf", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh",
];
const TESTS = ["isnan", "isinf", "isfinite"];
const ANY_DTYPE = new Set(["abs", "negative", "sign", "square", "floor", "ceil", "round", "trunc"]);

const definitions = {};
for (const name of UNARY) {
  const type = name === "bitwise_not" ? types.bits : ANY_DTYPE.has(name) ? types.same : types.float;
  definitions[name] = { type, run: ([x]) => Tensor.make(x.dtype, x.shape, (i) => unary(name, x.at(i), x.dtype)) };
}
for (const name of TESTS) {
  definitions[name] = { type: types.truth, run: ([x]) => Tensor.make("bool", x.shape, (i) => unary(name, x.at(i), x.dtype)) };
}
definitions.logical_not = {
  type: types.same,
  run: ([x]) => Tensor.make(x.dtype, x.shape, (i) => cast(unary("logical_not", x.at(i), x.dtype), "bool", x.dtype)),
};
definitions.astype = { type: types.astype, run: ([x], { dtype: to }) => convert(x, to) };
definitions.wrap_param = definitions.astype;

const ARITHMETIC = {
  add: "add", subtract: "sub", multiply: "mul", divide: "div", floor_divide: "floordiv", mod: "mod", floor_mod: "floormod",
  maximum: "max", minimum: "min", power: "pow", bitwise_and: "and", bitwise_or: "or", bitwise_xor: "xor", left_shift: "shl", right_shift: "shr",
};
const COMPARISONS = { equal: "eq", not_equal: "ne", less: "lt", less_equal: "le", greater: "gt", greater_equal: "ge" };
const LOGIC = { logical_and: "and", logical_or: "or", logical_xor: "xor" };
const BITS = new Set(["bitwise_and", "bitwise_or", "bitwise_xor"]);
const SHIFTS = new Set(["left_shift", "right_shift"]);

function elementwise(a, b, result, f) {
  const shape = broadcastShape(a.shape, b.shape);
  return Tensor.make(result, shape, (i) => f(broadcastAt(a, i), broadcastAt(b, i)));
}

for (const [name, op] of Object.entries(ARITHMETIC)) {
  const type = BITS.has(name) ? types.twoBits : SHIFTS.has(name) ? types.shift : types.arithmetic;
  definitions[name] = { type, run: ([x, y]) => met(x, y, (a, b, at) => elementwise(a, b, at, (p, q) => binary(op, p, q, at))) };
}
for (const [name, op] of Object.entries(COMPARISONS)) {
  definitions[name] = { type: types.comparison, run: ([x, y]) => met(x, y, (a, b) => elementwise(a, b, "bool", (p, q) => compare(op, p, q)), true) };
}
for (const [name, op] of Object.entries(LOGIC)) {
  definitions[name] = {
    type: types.arithmetic,
    run: ([x, y]) => {
      const [a, b] = [asTensor(x), asTensor(y)];
      const at = a.dtype;
      const logic = (p, q) => binary(op, cast(p, at, "bool"), cast(q, b.dtype, "bool"), "bool");
      return scalarOf(x, y, elementwise(a, b, at, (p, q) => cast(logic(p, q), "bool", at)));
    },
  };
}

function real(f) {
  return ([x, y]) => met(x, y, (a, b, at) => {
    if (!isFloat(at)) throw open("op.binary/float-only");
    return elementwise(a, b, at, (p, q) => (p === null || q === null ? null : round(f(p, q), at)));
  });
}
definitions.atan2 = { type: types.arithmetic, run: real(Math.atan2) };
definitions.log_add_exp = { type: types.arithmetic, run: real(logAddExp) };

function logAddExp(a, b) {
  const high = Math.max(a, b);
  if (Math.abs(high) === Infinity) return high;
  return high + Math.log1p(Math.exp(Math.min(a, b) - high));
}

/** Operands converted to the dtype in which they meet; arithmetic gives the first operand's. */
function met(x, y, f, comparing = false) {
  const [a, b] = [asTensor(x), asTensor(y)];
  const at = meeting(a.dtype, b.dtype);
  const found = f(convert(a, at), convert(b, at), at);
  return scalarOf(x, y, comparing ? found : convert(found, a.dtype));
}

/** Of two scalars the result is a scalar (op.binary/operand). */
function scalarOf(x, y, found) {
  if (!(x instanceof Prim && y instanceof Prim)) return found;
  const element = found.at([0]);
  if (element === null) throw open("op.binary/operand", "poison");
  return new Prim(found.dtype, element);
}

definitions.where = {
  type: types.where,
  run: ([c, x, y]) => {
    const shape = broadcastShape(c.shape, x.shape, y.shape);
    return met(x, y, (a, b, at) =>
      Tensor.make(at, shape, (i) => {
        const chosen = broadcastAt(c, i);
        return chosen === null ? null : broadcastAt(chosen !== 0n ? a : b, i);
      }),
    );
  },
};
definitions.clip = {
  type: types.clip,
  run: ([x, low, high]) => {
    const [lo, hi] = [cast(low.value, low.dtype, x.dtype), cast(high.value, high.dtype, x.dtype)];
    return Tensor.make(x.dtype, x.shape, (i) => binary("max", binary("min", x.at(i), hi, x.dtype), lo, x.dtype));
  },
};
definitions.ewise_fma = {
  type: types.fma,
  run: ([a, b, c]) => {
    const same = (x) => x.shape.length === a.shape.length && x.shape.every((n, k) => n === a.shape[k]);
    if (!same(b) || !same(c)) throw open("op.ewise_fma/equal-extents");
    return Tensor.make(a.dtype, a.shape, (i) => binary("add", binary("mul", a.at(i), b.at(i), a.dtype), c.at(i), a.dtype));
  },
};

module.exports = definitions;
