// Functions of one and more elements (spec 02 "Elementary functions", 07b). Computed in double precision, rounded once.
"use strict";
const { open } = require("./ends");
const { dtype, isFloat, isBool, halfEven, round, wrap } = require("./dtypes");
const { truth, binary } = require("./numbers");

/** 2/sqrt(pi) times the integral of exp(-t*t): a series below 2, a continued fraction above. */
function erf(x) {
  const size = Math.abs(x);
  if (size < 2) {
    let term = x;
    let sum = x;
    for (let n = 1; Math.abs(term) > Math.abs(sum) * 1e-18; n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  let tail = 0;
  for (let k = 200; k > 0; k--) tail = k / 2 / (size + tail);
  const rest = Math.exp(-size * size) / (size + tail) / Math.sqrt(Math.PI);
  return Math.sign(x) * (1 - rest);
}

const REAL = {
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  exp10: (x) => 10 ** x,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  sigmoid: (x) => 1 / (1 + Math.exp(-x)),
  erf,
};

const WHOLE = { floor: Math.floor, ceil: Math.ceil, round: halfEven, trunc: Math.trunc };

/** A function of one element, by name; the result has the dtype of the argument, but for the tests, which give a truth. */
function unary(name, x, at) {
  if (name in REAL) {
    if (!isFloat(at)) throw open("num/no-operation", name);
    return x === null ? null : round(REAL[name](x), at);
  }
  if (x === null) return null;
  if (name in WHOLE) return isFloat(at) ? round(WHOLE[name](x), at) : x;
  switch (name) {
    case "abs": return isFloat(at) ? Math.abs(x) : wrap(x < 0n ? -x : x, at);
    case "negative": return isFloat(at) ? -x : wrap(-x, at);
    case "sign": return isFloat(at) ? sign(x) : truth(x > 0n) - truth(x < 0n);
    case "square": return binary("mul", x, x, at);
    case "isnan": return truth(isFloat(at) && Number.isNaN(x));
    case "isinf": return truth(isFloat(at) && Math.abs(x) === Infinity);
    case "isfinite": return truth(!isFloat(at) || Number.isFinite(x));
    case "logical_not": return truth(isFloat(at) ? x === 0 : x === 0n);
    case "bitwise_not": return bitwiseNot(x, at);
    default: return undefined;
  }
}

const sign = (x) => (Number.isNaN(x) ? NaN : x > 0 ? 1 : x < 0 ? -1 : 0);

function bitwiseNot(x, at) {
  if (isFloat(at)) throw open("num/no-operation", "bitwise_not");
  return isBool(at) ? truth(x === 0n) : wrap(~x, at);
}

const popcount = (x, at) => wrap(BigInt(bitString(x, at).replaceAll("0", "").length), at);
const clz = (x, at) => (x === 0n ? null : BigInt(dtype(at).bits - bitString(x, at).length)); // num/clz-of-zero
const bitString = (x, at) => BigInt.asUintN(dtype(at).bits, x).toString(2);

module.exports = { unary, popcount, clz, REAL, WHOLE };
