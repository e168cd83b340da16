// Numbers of elements and permitted sets of them (spec 01 "The suite for other implementations", 02 "num/decisive-width").
"use strict";
const { dtype, isFloat, isInt, decode, encode, round } = require("../dtypes");
const { write } = require("./json");

const POWERS = "float8_e8m0fnu"; // neither sign nor zero: the implementation beside this lacks it
const PATTERN = /^0x[0-9a-fA-F]+$/;
const NAMES = [
  "bool", "float16", "bfloat16", "float32", "float64", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
  "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", POWERS, "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn",
];

/** What is no value at all. */
class NoValue extends Error {}

const isElements = (name) => typeof name === "string" && (NAMES.includes(name) || (/^u?int[1-9]\d?$/.test(name) && Number(name.replace(/\D+/, "")) <= 64));
const floats = (name) => name === POWERS || isFloat(name);
const width = (name) => (name === POWERS ? 8 : dtype(name).bits);

/** The number of a bit pattern: a BigInt, or a JavaScript number of a float. */
function number(pattern, name) {
  if (!isElements(name)) throw new NoValue(`expected a dtype of elements, found ${write(name)}`);
  if (typeof pattern !== "string" || !PATTERN.test(pattern)) throw new NoValue(`expected a bit pattern such as "0x0", found ${write(pattern)}`);
  const bits = BigInt(pattern);
  if (bits >> BigInt(width(name))) throw new NoValue(`expected a bit pattern of ${name}, found ${pattern}`);
  if (name !== POWERS) return decode(bits, name);
  return bits === 255n ? NaN : 2 ** (Number(bits) - 127);
}

/** The element that a number of `data` stands for: rounded once. */
function rounded(given, name) {
  if (given === null) return null;
  if (!floats(name)) {
    const n = ["bigint", "boolean"].includes(typeof given) || Number.isInteger(given) ? BigInt(given) : null;
    if (n === null || decode(BigInt.asUintN(width(name), n), name) !== n) throw new NoValue(`expected an element of ${name}, found ${write(given)}`);
    return n;
  }
  const word = typeof given === "string" ? /^([+-]?)(nan|inf|infinity)$/i.exec(given) : null;
  const x = word ? (word[2].toLowerCase() === "nan" ? NaN : word[1] === "-" ? -Infinity : Infinity) : typeof given === "bigint" ? double(given, name) : typeof given === "boolean" ? Number(given) : given;
  if (typeof x !== "number") throw new NoValue(`expected a number, found ${write(given)}`);
  const found = name === POWERS ? power(x) : round(x, name);
  if (found === null) throw new NoValue(`expected an element of ${name}, which has no NaN`);
  return found;
}

/** A double that rounds to an element as the integer does: for a narrower format, what is cut off leaves a last bit set. */
function double(n, name) {
  const size = n < 0n ? -n : n;
  const cut = BigInt(Math.max(0, size.toString(2).length - 53));
  if (name === "float64" || cut === 0n) return Number(n);
  const odd = (size >> cut) | ((size & ((1n << cut) - 1n)) === 0n ? 0n : 1n);
  return Number((n < 0n ? -odd : odd) << cut);
}

/** The power of two that a number is rounded to: halfway up, none below zero, NaN beyond the greatest. */
function power(x) {
  if (!(x >= 0)) return NaN;
  const low = Math.max(2 ** -127, 2 ** exponent(x));
  const found = x >= 1.5 * low ? 2 * low : low;
  return found > 2 ** 127 ? NaN : found;
}

/** {low, high, values, nan, open} of an element of a permitted tensor, as numbers. */
function permitted(spec, name) {
  if (typeof spec === "string") {
    const n = number(spec, name);
    return Number.isNaN(n) ? { nan: true } : { low: n, high: n };
  }
  const found = { nan: spec.nan === true, open: spec.open };
  if ("low" in spec) Object.assign(found, { low: number(spec.low, name), high: number(spec.high, name) });
  if ("values" in spec) {
    found.values = spec.values.map((each) => number(each, name));
    [found.low, found.high] = [found.values.reduce((a, b) => (a < b ? a : b)), found.values.reduce((a, b) => (a > b ? a : b))];
  }
  return found;
}

const abs = (x) => (x < 0 ? -x : x);

/** The greatest finite magnitude among the permitted numbers of a float tensor, 0 if there is none. */
function magnitude(sets) {
  return Math.max(0, ...sets.filter((s) => s.low !== undefined).flatMap((s) => [abs(s.low), abs(s.high)]).filter(Number.isFinite));
}

/** "inside", "outside" or "undecided" (within a set that is too wide to tell) of one element. */
function held(set, found, name, scale) {
  if (found === null) return "outside";
  if (Number.isNaN(found)) return !set.nan ? "outside" : set.low === undefined ? "inside" : decisive(set, name, scale);
  if (set.low === undefined || found < set.low || found > set.high) return "outside";
  if (set.values && !set.values.includes(found)) return "outside";
  if (set.low === set.high) return floats(name) && set.nan ? decisive(set, name, scale) : "inside";
  return decisive(set, name, scale);
}

function decisive(set, name, scale) {
  if (!floats(name)) {
    if (name === "bool") return "undecided";
    const count = set.values ? BigInt(set.values.length) : set.high - set.low + 1n;
    const greatest = [abs(set.low), abs(set.high)].reduce((a, b) => (a > b ? a : b));
    return Number(count) > Math.max(3, 2 ** -Math.floor(width(name) / 3) * Number(greatest)) ? "undecided" : "inside";
  }
  const [precision, least] = name === POWERS ? [1, 2 ** -127] : [dtype(name).fraction + 1, 2 ** (1 - dtype(name).bias)];
  const wide = set.high - set.low;
  if (!Number.isFinite(wide)) return "undecided";
  const size = Math.max(abs(set.low), abs(set.high), scale, least);
  const unit = 2 ** (exponent(size) - precision + 1);
  return wide > 2 ** -Math.floor(precision / 3) * size && wide > 2 * unit ? "undecided" : "inside";
}

const view = new DataView(new ArrayBuffer(8));

/** The exponent of a normal double. */
function exponent(x) {
  view.setFloat64(0, x);
  return ((view.getUint16(0) >> 4) & 0x7ff) - 1023;
}

const same = (a, b) => a === b || (Number.isNaN(a) && Number.isNaN(b));

module.exports = { NoValue, isElements, floats, isInt, number, rounded, permitted, magnitude, held, same, encode };
