// Dtypes, their bits, and rounding to them (spec 02 "Values", "Rounding"; 03d "Dtypes").
// An integer or truth is a BigInt, a float a JavaScript number, poison is null.
"use strict";
const { unsupported } = require("./ends");

// sign bits, exponent bits, bias, fraction bits, what the top exponent holds
const FORMATS = {
  float16: [1, 5, 15, 10, "ieee"],
  bfloat16: [1, 8, 127, 7, "ieee"],
  float32: [1, 8, 127, 23, "ieee"],
  float64: [1, 11, 1023, 52, "ieee"],
  float8_e3m4: [1, 3, 3, 4, "ieee"],
  float8_e4m3: [1, 4, 7, 3, "ieee"],
  float8_e5m2: [1, 5, 15, 2, "ieee"],
  float8_e4m3fn: [1, 4, 7, 3, "fn"],
  float8_e4m3b11fnuz: [1, 4, 11, 3, "fnuz"],
  float8_e4m3fnuz: [1, 4, 8, 3, "fnuz"],
  float8_e5m2fnuz: [1, 5, 16, 2, "fnuz"],
  float6_e2m3fn: [1, 2, 1, 3, "finite"],
  float6_e3m2fn: [1, 3, 3, 2, "finite"],
  float4_e2m1fn: [1, 2, 1, 1, "finite"],
};

const known = new Map();

/** {name, kind, bits, lanes, signed, format} of a dtype. */
function dtype(name) {
  let found = known.get(name);
  if (found === undefined) known.set(name, (found = parse(name)));
  return found;
}

function parse(name) {
  const lanes = /^(.*[^v0-9].*?|bool|u?int\d+|b?float\d+)x(\d+)$/.exec(name);
  if (lanes) return { ...dtype(lanes[1]), name, element: lanes[1], lanes: Number(lanes[2]) };
  const base = { name, element: name, lanes: 1, signed: true };
  if (name === "bool") return { ...base, kind: "bool", bits: 1, signed: false };
  const integer = /^(u?)int(\d+)$/.exec(name);
  if (integer) return { ...base, kind: "int", bits: Number(integer[2]), signed: integer[1] === "" };
  if (name in FORMATS) {
    const [sign, exponent, bias, fraction, top] = FORMATS[name];
    return { ...base, kind: "float", bits: sign + exponent + fraction, exponent, bias, fraction, top };
  }
  if (name === "void" || name.startsWith("handle")) return { ...base, kind: "handle" };
  throw unsupported(`the dtype ${name}`);
}

const isFloat = (name) => dtype(name).kind === "float";
const isBool = (name) => dtype(name).kind === "bool";
const isInt = (name) => dtype(name).kind === "int";

const view = new DataView(new ArrayBuffer(8));

function doubleBits(x) {
  view.setFloat64(0, x);
  return view.getBigUint64(0);
}

const largest = (d) => {
  const whole = 2 - 2 ** -d.fraction;
  const field = 2 ** d.exponent - 1;
  if (d.top === "ieee") return whole * 2 ** (field - 1 - d.bias);
  if (d.top === "fn") return (2 - 2 ** (1 - d.fraction)) * 2 ** (field - d.bias);
  return whole * 2 ** (field - d.bias);
};

function halfEven(x) {
  const low = Math.floor(x);
  const rest = x - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
}

/** The number of a float dtype that is nearest to a double (num/round-once). */
function round(x, name) {
  if (name === "float32") return Math.fround(x);
  const d = dtype(name);
  if (Number.isNaN(x)) return d.top === "finite" ? null : NaN; // num/no-nan
  const size = Math.abs(x);
  const beyond = d.top === "ieee" ? Infinity : d.top === "finite" ? largest(d) : NaN;
  const exponent = Math.max(Number((doubleBits(size) >> 52n) & 0x7ffn) - 1023, 1 - d.bias);
  const unit = 2 ** (exponent - d.fraction);
  let rounded = halfEven(size / unit) * unit;
  if (rounded > largest(d)) rounded = beyond;
  if (rounded === 0 && d.top === "fnuz") return 0;
  return x < 0 || Object.is(x, -0) ? -rounded : rounded;
}

/** An integer as the nearest float: rounded to odd at 53 bits first, so that the second rounding is right. */
function fromInteger(n, name) {
  if (name === "float64") return Number(n);
  const size = n < 0n ? -n : n;
  const excess = size.toString(2).length - 53;
  const shift = BigInt(excess);
  let top = size >> shift;
  if (top << shift !== size) top |= 1n;
  const value = Number(top) * 2 ** excess;
  return round(n < 0n ? -value : value, name);
}

/** An integer wrapped into the range of its dtype (num/int-wrap). */
function wrap(n, name) {
  const d = dtype(name);
  if (d.kind === "bool") return n !== 0n ? 1n : 0n;
  return d.signed ? BigInt.asIntN(d.bits, n) : BigInt.asUintN(d.bits, n);
}

const leastOf = (name) => (dtype(name).signed ? -(1n << BigInt(dtype(name).bits - 1)) : 0n);
const greatestOf = (name) => (1n << BigInt(dtype(name).bits - (dtype(name).signed ? 1 : 0))) - 1n;

function decode(bits, name) {
  const d = dtype(name);
  if (d.kind !== "float") return wrap(bits, name);
  const sign = (bits >> BigInt(d.bits - 1)) & 1n ? -1 : 1;
  const field = Number((bits >> BigInt(d.fraction)) & ((1n << BigInt(d.exponent)) - 1n));
  const fraction = Number(bits & ((1n << BigInt(d.fraction)) - 1n));
  const top = 2 ** d.exponent - 1;
  if (d.top === "ieee" && field === top) return fraction === 0 ? sign * Infinity : NaN;
  if (d.top === "fn" && field === top && fraction === 2 ** d.fraction - 1) return NaN;
  if (d.top === "fnuz" && sign < 0 && field === 0 && fraction === 0) return NaN;
  const scale = 2 ** ((field === 0 ? 1 : field) - d.bias);
  return sign * scale * ((field === 0 ? 0 : 1) + fraction / 2 ** d.fraction);
}

function encode(value, name) {
  const d = dtype(name);
  if (d.kind !== "float") return BigInt.asUintN(d.bits, value);
  if (Number.isNaN(value)) return nanBits(d);
  const sign = (value < 0 || Object.is(value, -0) ? 1n : 0n) << BigInt(d.bits - 1);
  const size = Math.abs(value);
  if (size === Infinity) return sign | (BigInt(2 ** d.exponent - 1) << BigInt(d.fraction));
  const exponent = Math.max(Number((doubleBits(size) >> 52n) & 0x7ffn) - 1023, 1 - d.bias);
  const whole = size / 2 ** (exponent - d.fraction); // with the leading bit
  const normal = whole >= 2 ** d.fraction;
  const field = normal ? exponent + d.bias : 0;
  return sign | (BigInt(field) << BigInt(d.fraction)) | BigInt(normal ? whole - 2 ** d.fraction : whole);
}

function nanBits(d) {
  if (d.top === "ieee") return ((1n << BigInt(d.exponent + 1)) - 1n) << BigInt(d.fraction - 1);
  if (d.top === "fn") return (1n << BigInt(d.bits - 1)) - 1n;
  return 1n << BigInt(d.bits - 1);
}

const literal = (node) => decode(BigInt(node.bits), node.dtype);

module.exports = {
  dtype, isFloat, isBool, isInt, halfEven, round, fromInteger, wrap, decode, encode, literal, leastOf, greatestOf,
};
