// Types as nodes of the tree, and dimensions made from dimensions (spec 03d "Types").
"use strict";
const { literal } = require("../dtypes");
const { normal, value } = require("../shapes");

const tensor = (shape, dtype, ndim = shape.length, vdevice = null) => ({ node: "TensorType", shape, dtype, ndim, vdevice });
const shapeType = (values, ndim = values.length) => ({ node: "ShapeType", values, ndim });
const prim = (dtype) => ({ node: "PrimType", dtype });
const tuple = (fields) => ({ node: "TupleType", fields });
const ANY = { node: "AnyType" };
const VOID = tuple([]);
/** A constant whose array was not supplied, and what is made of one (ty/unbound-constant). */
const NOTHING_KNOWN = tensor(null, null, -1);

const int = (n) => ({ node: "Literal", dtype: "int64", bits: `0x${BigInt.asUintN(64, BigInt(n)).toString(16)}` });
const isLiteral = (e) => e.node === "Literal";
/** The number of a literal dimension, or null. */
const fixed = (e) => (isLiteral(e) ? Number(literal(e)) : null);
/** The number that a dimension always is, or null. */
const known = (e) => {
  const found = value(normal(e));
  return found === null ? null : Number(found);
};

function binary(op, a, b) {
  const made = { node: "Binary", op, a, b };
  const n = value(normal(made));
  return n === null ? made : int(n);
}

const plus = (a, b) => binary("Add", a, b);
const minus = (a, b) => binary("Sub", a, b);
const times = (a, b) => binary("Mul", a, b);
const over = (a, b) => binary("FloorDiv", a, b);
const least = (a, b) => binary("Min", a, b);
const greatest = (a, b) => binary("Max", a, b);
const productOf = (dims) => dims.reduce(times, int(1));

module.exports = {
  tensor, shapeType, prim, tuple, ANY, VOID, NOTHING_KNOWN, int, isLiteral, fixed, known, plus, minus, times, over, least, greatest, productOf,
};
