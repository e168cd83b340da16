// Arithmetic on elements (spec 02). An operand that is poison (null) makes the result poison.
"use strict";
const { open } = require("./ends");
const { dtype, isFloat, isBool, round, fromInteger, wrap, leastOf, greatestOf, encode, decode } = require("./dtypes");

const truth = (x) => (x ? 1n : 0n);

/** Quotient and remainder of integers; a divisor that is zero or poison leaves the run open. */
function integerDivision(a, b, op) {
  if (b === null || b === 0n) throw open("num/int-division-by-zero");
  if (a === null) return null;
  const quotient = a / b;
  const rest = a % b;
  const down = rest !== 0n && rest < 0n !== b < 0n;
  switch (op) {
    case "div": return quotient;
    case "mod": return rest;
    case "floordiv": return down ? quotient - 1n : quotient;
    default: return down ? rest + b : rest;
  }
}

const FLOAT = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  mod: (a, b) => a % b,
  min: Math.min,
  max: Math.max,
  pow: (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b),
};

const INTEGER = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  min: (a, b) => (a < b ? a : b),
  max: (a, b) => (a > b ? a : b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

const DIVISIONS = new Set(["div", "mod", "floordiv", "floormod"]);

/** `a op b` at a dtype. */
function binary(op, a, b, name) {
  if (isFloat(name)) {
    if (a === null || b === null) return null;
    if (op === "floordiv") return floorDivide(a, b, name);
    if (op === "floormod") {
      const product = round(floorDivide(a, b, name) * b, name);
      return round(a - product, name);
    }
    if (!(op in FLOAT)) throw open("num/no-operation", op);
    return round(FLOAT[op](a, b), name);
  }
  if (DIVISIONS.has(op)) {
    if (isBool(name)) throw open("num/no-operation", op);
    const found = integerDivision(a, b, op);
    return found === null ? null : wrap(found, name);
  }
  if (a === null || b === null) return null;
  if (op === "pow") return b < 0n ? null : power(a, b, name);
  if (op === "shl" || op === "shr") return shift(op, a, b, name);
  return wrap(INTEGER[op](a, b), name);
}

function floorDivide(a, b, name) {
  return Math.floor(round(a / b, name));
}

function power(a, b, name) {
  let result = 1n;
  let base = a;
  for (let rest = b; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = wrap(result * base, name);
    base = wrap(base * base, name);
  }
  return result;
}

function shift(op, a, b, name) {
  if (b < 0n || b >= BigInt(dtype(name).bits)) return null; // num/shift-range
  return op === "shl" ? wrap(a << b, name) : wrap(a >> b, name);
}

/** The truth of a comparison, as 0n or 1n. */
function compare(op, a, b) {
  if (a === null || b === null) return null;
  switch (op) {
    case "eq": return truth(a === b);
    case "ne": return truth(a !== b);
    case "lt": return truth(a < b);
    case "le": return truth(a <= b);
    case "gt": return truth(a > b);
    default: return truth(a >= b);
  }
}

/** Conversion between dtypes (spec 02 "Conversion"). */
function cast(x, from, to) {
  if (x === null) return null;
  if (isBool(to)) return isFloat(from) ? truth(x !== 0) : truth(x !== 0n);
  if (isFloat(to)) return isFloat(from) ? round(x, to) : fromInteger(x, to);
  if (!isFloat(from)) return wrap(x, to);
  if (!Number.isFinite(x)) return null; // num/cast-range
  const whole = BigInt(Math.trunc(x));
  return whole < leastOf(to) || whole > greatestOf(to) ? null : whole;
}

/** The bits of a value at another dtype of the same width. */
function reinterpret(x, from, to) {
  return x === null ? null : decode(encode(x, from), to);
}

module.exports = { truth, binary, compare, cast, reinterpret };
