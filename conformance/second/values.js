// Values, and their form in the protocol (spec 01 "The suite for other implementations", 02 "Values").
"use strict";
const { encode, decode } = require("./dtypes");

/** A tensor: a view over `store`, an array of elements; row-major unless `strides` say otherwise. Its data pointer points to `base`. */
class Tensor {
  constructor(dtype, shape, store, strides = rowMajor(shape), offset = 0, base = 0) {
    Object.assign(this, { dtype, shape, store, strides, offset, base });
  }

  get size() {
    return this.shape.reduce((a, b) => a * b, 1);
  }

  place(index) {
    let at = this.offset;
    for (let k = 0; k < index.length; k++) at += index[k] * this.strides[k];
    return at;
  }

  at(index) {
    return this.store[this.place(index)];
  }

  /** All elements in row-major order. */
  elements() {
    return Array.from(positions(this.shape), (index) => this.at(index));
  }

  static make(dtype, shape, element) {
    return new Tensor(dtype, shape, Array.from(positions(shape), element));
  }
}

function rowMajor(shape) {
  const strides = new Array(shape.length).fill(1);
  for (let k = shape.length - 2; k >= 0; k--) strides[k] = strides[k + 1] * shape[k + 1];
  return strides;
}

/** All indices of a shape, in row-major order. */
function* positions(shape) {
  if (shape.some((n) => n === 0)) return;
  const index = new Array(shape.length).fill(0);
  for (;;) {
    yield index.slice();
    let k = shape.length - 1;
    while (k >= 0 && ++index[k] === shape[k]) index[k--] = 0;
    if (k < 0) return;
  }
}

/** A scalar that is no tensor. */
class Prim {
  constructor(dtype, value, given = undefined) {
    Object.assign(this, { dtype, value, given }); // `given`: as an argument was spelled
  }
}

class Shape {
  constructor(dims) {
    this.dims = dims;
  }
}

class DType {
  constructor(name) {
    this.name = name;
  }
}

/** A function value: `call(args)`. */
class Closure {
  constructor(call) {
    this.call = call;
  }
}

function fromJson(spec) {
  if (Array.isArray(spec)) return spec.map(fromJson);
  if (typeof spec === "string") return spec;
  if (typeof spec === "boolean") return new Prim("bool", spec ? 1n : 0n, spec);
  if (typeof spec === "number") return new Prim(Number.isInteger(spec) ? "int64" : "float64", Number.isInteger(spec) ? BigInt(spec) : spec, spec);
  if ("bits" in spec) return new Tensor(spec.dtype, spec.shape, spec.bits.map((b) => decode(BigInt(b), spec.dtype)));
  if ("value" in spec) return new Prim(spec.dtype, decode(BigInt(spec.value), spec.dtype), spec);
  if ("shape" in spec) return new Shape(spec.shape);
  return new DType(spec.dtype);
}

const hex = (value, dtype) => (value === null ? null : `0x${encode(value, dtype).toString(16)}`);

function toJson(value) {
  if (Array.isArray(value)) return value.map(toJson);
  if (value === undefined || value === null || typeof value === "string") return value ?? null;
  if (value instanceof Tensor) return { dtype: value.dtype, shape: value.shape, bits: value.elements().map((x) => hex(x, value.dtype)) };
  if (value instanceof Prim) return primToJson(value);
  if (value instanceof Shape) return { shape: value.dims };
  if (value instanceof DType) return { dtype: value.name };
  return { opaque: "value" };
}

/** A bare truth is a bool, a bare number an int64; what else there is tells its dtype. */
function primToJson({ dtype, value }) {
  if (dtype === "bool") return value !== 0n;
  const n = Number(value);
  return dtype === "int64" && Number.isSafeInteger(n) ? n : { dtype, value: hex(value, dtype) };
}

/** An argument after the run: a prim value as it was given, since nothing changes it. */
function argumentToJson(value) {
  if (Array.isArray(value)) return value.map(argumentToJson);
  return value instanceof Prim && value.given !== undefined ? value.given : toJson(value);
}

module.exports = { Tensor, Prim, Shape, DType, Closure, positions, rowMajor, fromJson, toJson, argumentToJson };
