// An answer's values against what is permitted (spec 01 "The suite for other implementations").
"use strict";
const { isDeepStrictEqual } = require("node:util");
const { NoValue, isElements, floats, number, rounded, permitted, magnitude, held, same } = require("./elements");
const { write } = require("./json");

const NOTHING = { inside: 0, leftOut: 0, wrong: null };
const one = (right, what) => (right ? { ...NOTHING, inside: 1 } : { ...NOTHING, wrong: what });
const isObject = (x) => typeof x === "object" && x !== null && !Array.isArray(x);
const shown = (x) => (x === undefined ? "nothing" : write(x)).slice(0, 60);

function sum(parts) {
  return parts.reduce((a, b) => ({ inside: a.inside + b.inside, leftOut: a.leftOut + b.leftOut, wrong: a.wrong ?? b.wrong }), NOTHING);
}

/** {dtype, shape, elements} of a tensor. */
function tensor(spec) {
  const { dtype, shape } = spec;
  if (!isElements(dtype)) throw new NoValue(`expected a dtype of elements, found ${shown(dtype)}`);
  if (!shape.every((n) => isWhole(n) && n >= 0)) throw new NoValue(`expected extents, found ${shown(shape)}`);
  const byBits = Array.isArray(spec.bits);
  const given = byBits ? spec.bits : spec.data.flat(Infinity);
  const elements = given.map((each) => (each === null ? null : byBits ? number(each, dtype) : rounded(each, dtype)));
  if (shape.reduce((a, b) => a * BigInt(b), 1n) !== BigInt(elements.length)) throw new NoValue(`expected as many elements as the shape ${shown(shape)} has`);
  return { dtype, shape, elements };
}

const isWhole = (n) => Number.isInteger(n) || typeof n === "bigint";
const isTensor = (x) => isObject(x) && Array.isArray(x.shape) && "dtype" in x;
const isBare = (x) => ["number", "bigint", "boolean"].includes(typeof x);
const isPrim = (x) => isBare(x) || (isObject(x) && "dtype" in x && "value" in x && !isTensor(x));

/** A value that somebody gives is one. */
function checked(spec) {
  if (Array.isArray(spec)) return spec.forEach(checked);
  if (spec === null || isBare(spec) || typeof spec === "string") return undefined;
  if (isTensor(spec) && (Array.isArray(spec.bits) || Array.isArray(spec.data))) return void tensor(spec);
  if (isPrim(spec)) return void number(spec.value, spec.dtype);
  const keys = Object.keys(spec).join();
  if (keys === "dtype" || typeof spec.opaque === "string") return undefined;
  if (keys === "shape" && Array.isArray(spec.shape) && spec.shape.every(isWhole)) return undefined;
  throw new NoValue(`expected a value, found ${shown(spec)}`);
}

/** How an answer is held: what is permitted, our own value, theirs; `bare` as of `sameDtype`. */
function compare(allowed, own, found, bare) {
  if (allowed === null && isTensor(own)) return tensors(own, own, found); // nothing but what we say
  if (Array.isArray(allowed)) {
    if (!Array.isArray(found) || found.length !== allowed.length) return one(false, `expected a tuple of ${allowed.length}, found ${shown(found)}`);
    return sum(allowed.map((each, k) => compare(each, own[k], found[k], bare)));
  }
  if (isObject(allowed) && "opaque" in allowed) return isObject(found) && "opaque" in found ? NOTHING : one(false, `expected something opaque, found ${shown(found)}`);
  if (isObject(allowed) && ("permitted" in allowed || "bits" in allowed)) return tensors(allowed, own, found);
  if (isPrim(allowed)) return one(isPrim(found) && prims(allowed, found, bare), `expected ${shown(allowed)}, found ${shown(found)}`);
  if (isObject(allowed) && "shape" in allowed) return one(isObject(found) && !("dtype" in found) && isDeepStrictEqual(found.shape, allowed.shape), `expected ${shown(allowed)}, found ${shown(found)}`);
  if (isObject(allowed) && "dtype" in allowed) return one(isObject(found) && Object.keys(found).join() === "dtype" && found.dtype === allowed.dtype, `expected ${shown(allowed)}, found ${shown(found)}`);
  return one(found === allowed, `expected ${shown(allowed)}, found ${shown(found)}`);
}

const valueOf = (x) => (isObject(x) ? number(x.value, x.dtype) : typeof x === "boolean" || isWhole(x) ? BigInt(x) : x);

/** The dtype of a prim value: the one it tells, or the one of a bare number. */
const dtypeOf = (x) => (!isBare(x) ? x.dtype : typeof x === "boolean" ? "bool" : isWhole(x) ? "int64" : "float64");

const sort = (dtype) => (dtype === "bool" ? dtype : floats(dtype) ? "float" : "integer");

/** Whether a prim value is of the dtype that is wanted. `bare`: what a bare number is of, its "own" dtype (a result), that
 * of the "parameter" (a final argument), or any: what is printed counts by its "number". */
function sameDtype(wanted, found, bare) {
  const [a, b] = [dtypeOf(wanted), dtypeOf(found)];
  if (!isBare(found)) return bare === "number" ? sort(a) === sort(b) : a === b;
  if (bare !== "own") return a === "bool" || b !== "bool"; // 0 and 1 may stand for a truth, no truth for a number
  return a === b || (a === "float64" && b === "int64"); // 1.0 is 1 in JSON
}

function prims(wanted, found, bare) {
  if (!sameDtype(wanted, found, bare)) return false;
  const [x, y] = [valueOf(wanted), isBare(found) && isFloat(wanted) ? toldAt(wanted, found, bare) : valueOf(found)];
  return typeof x === typeof y && same(x, y); // no integer is told as a float
}

const isFloat = (x) => floats(dtypeOf(x));

/** The number that a bare one stands for in the place of a float: rounded once, as `data` is; what is printed is a float64. */
const toldAt = (wanted, found, bare) => rounded(found, bare === "number" ? "float64" : dtypeOf(wanted));

function tensors(allowed, own, found) {
  const kind = `${allowed.dtype}[${allowed.shape}]`;
  if (!isTensor(found)) return one(false, `expected ${kind}, found ${shown(found)}`);
  const theirs = tensor(found);
  if (theirs.dtype !== allowed.dtype || !isDeepStrictEqual(theirs.shape, allowed.shape)) return one(false, `expected ${kind}, found ${theirs.dtype}[${theirs.shape}]`);
  if (theirs.elements.length === 0) return one(true);
  const sets = (allowed.permitted ?? allowed.bits).map((each) => permitted(each, allowed.dtype));
  const canonical = own.bits.map((each) => (each === null ? null : number(each, allowed.dtype)));
  const scale = floats(allowed.dtype) ? magnitude(sets) : 0;
  return sum(sets.map((set, k) => element(set, canonical[k], theirs.elements[k], allowed.dtype, scale, k)));
}

function element(set, own, found, dtype, scale, k) {
  if (set.open !== undefined) {
    if (own === null) return { ...NOTHING, leftOut: 1 };
    if (found === null) return one(false, `element ${k} is open`);
    return same(found, own) ? one(true) : { ...NOTHING, leftOut: 1 };
  }
  const word = held(set, found, dtype, scale);
  if (word === "outside") return one(false, `element ${k} is outside the permitted results: found ${found}`);
  return word === "inside" ? one(true) : { ...NOTHING, leftOut: 1 };
}

module.exports = { compare, checked, sum, shown };
