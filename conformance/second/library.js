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

let kept = null;

function keep(x) {
  kept = x;
  return null;
}

function doubleKept() {
  for (const index of positions(kept.shape)) kept.store[kept.place(index)] = binary("add", kept.at(index), kept.at(index), kept.dtype);
  return null;
}

const LIBRARY = new Map([
  ["conformance.double", double],
  ["conformance.copy_into", copyInto],
  ["conformance.one_element", () => new Tensor("float32", [1], [1])],
  ["conformance.first_scalar", firstScalar],
  ["conformance.answer", () => new Prim("int64", 42n)],
  ["conformance.keep", keep],
  ["conformance.double_kept", doubleKept],
]);

module.exports = { LIBRARY };
