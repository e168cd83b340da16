// The library functions that the cases call (spec 01 "Library functions").
"use strict";
const { Tensor, Prim, positions } = require("./values");
const { open } = require("./ends");
const { binary } = require("./numbers");
const { isFloat } = require("./dtypes");

function double(x) {
  return Tensor.make(x.dtype, x.shape, (index) => binary("add", x.at(index), x.at(index), x.dtype));
}

function copyInto(x, out) {
  for (const index of positions(x.shape)) out.store[out.place(index)] = x.at(index);
}

function firstScalar(x) {
  if (x.size === 0) throw open("library", "no first element");
  return new Prim(isFloat(x.dtype) ? "float64" : "int64", x.at(x.shape.map(() => 0)));
}

const LIBRARY = new Map([
  ["conformance.double", double],
  ["conformance.copy_into", copyInto],
  ["conformance.one_element", () => new Tensor("float32", [1], [1])],
  ["conformance.first_scalar", firstScalar],
  ["conformance.answer", () => new Prim("int64", 42n)],
]);

module.exports = { LIBRARY };
