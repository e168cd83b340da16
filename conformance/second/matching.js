// Does a value have a type? Entry, return, match_cast and results of library functions ask it (spec 07 "Matching").
"use strict";
const { Tensor, Prim, Shape, Closure } = require("./values");
const { open } = require("./ends");
const { evaluate } = require("./scalars");

/** Match values against types in a scope. `fail(rule)` makes the end where they do not fit; `rules` names it by question. */
function match(pairs, scope, fail) {
  for (const [value, type] of pairs) structure(value, type, fail);
  for (const [value, type] of pairs) define(value, type, scope);
  for (const [value, type] of pairs) compare(value, type, scope, fail);
}

function structure(value, type, fail) {
  if (type === null) return;
  switch (type.node) {
    case "AnyType": return settle(value);
    case "PrimType":
      if (!(value instanceof Prim)) throw fail("type");
      if (type.dtype !== value.dtype) retype(value, type.dtype, fail);
      return;
    case "ShapeType":
      if (!(value instanceof Shape)) throw fail("type");
      if (type.ndim >= 0 && type.ndim !== value.dims.length) throw fail("rank");
      return;
    case "DTensorType": return structure(value, type.tensor, fail);
    case "TensorType":
      if (!(value instanceof Tensor)) throw fail("type");
      if (type.dtype !== null && type.dtype !== value.dtype) throw fail("dtype");
      if (type.ndim >= 0 && type.ndim !== value.shape.length) throw fail("rank");
      return;
    case "TupleType":
      if (!Array.isArray(value) || value.length !== type.fields.length) throw fail("type");
      type.fields.forEach((field, k) => structure(value[k], field, fail));
      return;
    default:
      if (!(value instanceof Closure)) throw fail("type");
  }
}

/** A bare number among the arguments is one of the parameter's dtype. */
function retype(value, dtype, fail) {
  if (!value.bare) throw fail("dtype");
  if (typeof value.given === "boolean" && dtype !== "bool") value.given = Number(value.given);
  value.dtype = dtype;
}

/** Where the parameter takes anything, a bare number is the one of a number alone. */
function settle(value) {
  if (Array.isArray(value)) value.forEach(settle);
  else if (value instanceof Prim) value.bare = false;
}

/** The dims of a value beside those of a type: [[extent, dimension]]. */
function dims(value, type) {
  if (type === null) return [];
  if (type.node === "DTensorType") return dims(value, type.tensor);
  if (type.node === "TensorType" && Array.isArray(type.shape)) return value.shape.map((n, k) => [n, type.shape[k]]);
  if (type.node === "ShapeType" && type.values !== null) return value.dims.map((n, k) => [n, type.values[k]]);
  if (type.node === "TupleType") return type.fields.flatMap((field, k) => dims(value[k], field));
  return [];
}

/** Every dimension that is a plain symbol without a value defines it, in order (ev/match-binds-symbols). */
function define(value, type, scope) {
  for (const [extent, dim] of dims(value, type)) {
    if (dim.node !== "SymVar" || scope.has(dim.name)) continue;
    if (extent < 0) throw open("ev/negative-extent");
    scope.define(dim.name, BigInt(extent));
  }
}

function compare(value, type, scope, fail) {
  for (const [extent, dim] of dims(value, type)) {
    if (evaluate(dim, scope) !== BigInt(extent)) throw fail("shape");
  }
  if (type !== null && type.node === "TensorType" && typeof type.shape === "string") {
    const wanted = scope.value(type.shape).dims;
    if (wanted.length !== value.shape.length || wanted.some((n, k) => n !== value.shape[k])) throw fail("shape");
  }
}

module.exports = { match };
