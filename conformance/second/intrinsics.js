// Intrinsics that are functions of their operands (spec 07b; 07 "Intrinsics").
"use strict";
const { open, unsupported } = require("./ends");
const { isFloat, round, wrap, encode, decode } = require("./dtypes");
const { binary, reinterpret } = require("./numbers");
const { unary, popcount, clz, REAL } = require("./functions");

const BITS = {
  bitwise_and: "and", bitwise_or: "or", bitwise_xor: "xor", shift_left: "shl", shift_right: "shr", truncmod: "mod", max: "max", min: "min", pow: "pow",
};
const SAME = { fabs: "abs", nearbyint: "round", likely: null, ignore_loop_partition: null };
const TWO = {
  atan2: Math.atan2,
  hypot: Math.hypot,
  fmod: (a, b) => a % b,
  copysign: (a, b) => (b < 0 || Object.is(b, -0) ? -Math.abs(a) : Math.abs(a)),
};

// Functions of C's <math.h> that a call by name may mean, at float32 with an f behind (ev/c-function).
const C_NAMES = [
  ...Object.keys(REAL).filter((name) => name !== "sigmoid" && name !== "rsqrt"), "fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "pow", "fmod", "atan2", "hypot", "copysign", "nextafter",
  "fmax", "fmin", "fma", "ldexp",
];
const OPERANDS = { pow: 2, fmod: 2, atan2: 2, hypot: 2, copysign: 2, nextafter: 2, fmax: 2, fmin: 2, ldexp: 2, fma: 3 };

/** The function that a call means whose arguments have these dtypes: so many of the result's, an exponent of int32. */
function cFunctionTaking(name, at, given) {
  const found = cFunctionOf(name, at);
  if (found === undefined || given.length !== (OPERANDS[found] ?? 1)) return undefined;
  return given.every((each, k) => each === (found === "ldexp" && k === 1 ? "int32" : at)) ? found : undefined;
}

/** The function that a name means: `expf` at float32, `exp` at float64; undefined for a library function. */
function cFunctionOf(name, at) {
  const device = /^__nv_(.*)$/.exec(name);
  const rocm = /^__ocml_(.*)_f(16|32|64)$/.exec(name);
  if (rocm) return `float${rocm[2]}` === at && C_NAMES.includes(rocm[1]) ? rocm[1] : undefined;
  const plain = device ? device[1] : name;
  const found = at === "float32" && plain.endsWith("f") ? plain.slice(0, -1) : at === "float64" ? plain : "";
  return C_NAMES.includes(found) ? found : undefined;
}

/** `op(args)` on elements of the dtype `at`, at the dtype `to`. */
function pureIntrinsic(op, args, at, to) {
  if (op === "undef") return null; // ev/undef
  if (op in SAME) return SAME[op] === null ? args[0] : unary(SAME[op], args[0], at);
  if (op in BITS) return binary(BITS[op], args[0], args[1], at);
  if (op === "call_extern" || op === "call_pure_extern") return cFunction(args, to);
  if (args.includes(null)) return null;
  if (op in TWO) return round(TWO[op](args[0], args[1]), at);
  switch (op) {
    case "popcount": return popcount(args[0], at);
    case "clz": return clz(args[0], at);
    case "reinterpret": return reinterpret(args[0], at, to);
    case "ldexp": return ldexp(args[0], args[1], at);
    case "fma": return fma(args, at);
    case "nextafter": return nextAfter(args[0], args[1], at);
    case "q_multiply_shift": return multiplyShift(args);
  }
  const found = unary(op, args[0], at);
  if (found !== undefined) return found;
  throw unsupported(`the intrinsic ${op}`);
}

const C_OWN = {
  round: (x) => (Number.isFinite(x) ? Math.sign(x) * Math.floor(Math.abs(x) + 0.5) : x), // halves away from zero
  fmax: (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b)),
  fmin: (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b)),
};

function cFunction([name, ...args], at) {
  const meant = cFunctionOf(name, at);
  if (meant === undefined) throw open("ev/library-missing", name);
  if (meant in C_OWN) return args.includes(null) ? null : round(C_OWN[meant](...args), at);
  return pureIntrinsic(meant === "rint" ? "nearbyint" : meant, args, at, at);
}

function ldexp(x, exponent, at) {
  let [n, scaled] = [Math.max(-2200, Math.min(2200, Number(exponent))), x];
  for (; n > 1023; n -= 1023) scaled *= 2 ** 1023;
  for (; n < -1074; n += 1000) scaled *= 2 ** -1000;
  return round(scaled * 2 ** n, at);
}

/** A product of two numbers of 24 bits is exact in double precision; of wider ones it is not. */
function fma([a, b, c], at) {
  if (!isFloat(at)) return binary("add", binary("mul", a, b, at), c, at);
  if (at === "float64") throw unsupported("fma of float64");
  return round(a * b + c, at);
}

function nextAfter(a, b, at) {
  if (!isFloat(at)) throw open("num/no-operation", "nextafter");
  if (Number.isNaN(a) || Number.isNaN(b)) return NaN;
  if (a === b) return b;
  if (a === 0) return (b < 0 ? -1 : 1) * decode(1n, at);
  return decode(encode(a, at) + (a < b === a > 0 ? 1n : -1n), at);
}

/** ev/fixed-point-multiply */
function multiplyShift([x, y, q, s]) {
  const up = s > 0n ? s : 0n;
  const down = q + (s < 0n ? -s : 0n);
  const product = (x << up) * y + ((1n << down) >> 1n);
  return wrap(BigInt.asIntN(64, product) >> down, "int32");
}

module.exports = { pureIntrinsic, cFunctionOf, cFunctionTaking };
