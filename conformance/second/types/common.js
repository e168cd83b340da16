// What the type rules of operators share (spec ops/common.md).
"use strict";
const { rejected, unsupported } = require("../ends");
const { equality, provablyEqual } = require("../shapes");
const { tensor, fixed } = require("./build");

/** An argument that is a tensor. */
function tensorArgument(type) {
  if (type.node === "DTensorType") throw unsupported("distributed tensors");
  if (type.node !== "TensorType") throw rejected("op.common/tensor-argument", type.node);
  return type;
}

const dims = (type) => (Array.isArray(type.shape) ? type.shape : null);

function tensors(type) {
  if (type.node !== "TupleType" || type.fields.length === 0 || type.fields.some((f) => f.node !== "TensorType")) {
    throw rejected("op.common/tuple-of-tensors", type.node);
  }
  return type.fields;
}

function shapeArgument(type) {
  if (type.node !== "ShapeType") throw rejected("op.common/shape-argument", type.node);
  return type;
}

/** The dims of a shape argument, or the name of the variable that holds them. */
function shapeOf({ values }, expression) {
  return values === null && expression.node === "Var" ? expression.name : values;
}

function axisIn(axis, rank) {
  if (rank < 0) return axis;
  if (axis < -rank || axis >= rank) throw rejected("op.common/axis-range", `${axis} of ${rank}`);
  return axis < 0 ? axis + rank : axis;
}

function axesIn(axes, rank) {
  const found = axes.map((a) => axisIn(a, rank));
  if (new Set(found).size !== found.length) throw rejected("op.common/axes-distinct", String(axes));
  return found;
}

/** {shape, ndim} of operands that are broadcast (op.common/broadcast). */
function broadcast(types) {
  const known = types.map(dims).filter((d) => d !== null);
  let shape = [];
  known.forEach((each, k) => {
    for (const other of known.slice(0, k)) broadcastTwo(other, each);
    shape = shape === null ? null : broadcastTwo(shape, each);
  });
  const ndim = types.some((t) => t.ndim < 0) ? -1 : Math.max(...types.map((t) => t.ndim));
  return { shape: known.length === types.length ? shape : null, ndim };
}

function broadcastTwo(a, b) {
  const rank = Math.max(a.length, b.length);
  const found = [];
  for (let k = 0; k < rank; k++) {
    const [p, q] = [a[k - rank + a.length], b[k - rank + b.length]];
    if (p === undefined || q === undefined) found.push(p ?? q);
    else if (fixed(p) === 1) found.push(q);
    else if (fixed(q) === 1 || provablyEqual(p, q)) found.push(p);
    else if (fixed(p) !== null && fixed(q) !== null) throw rejected("op.common/broadcast", `${fixed(p)} and ${fixed(q)}`);
    else found.push(null);
  }
  return found.includes(null) ? null : found;
}

/** The device of a result of several operands. */
function device(types) {
  let found = null;
  for (const { vdevice } of types) {
    if (vdevice === null) continue;
    if (found !== null && found !== vdevice) throw rejected("op.common/same-vdevice", `${found} and ${vdevice}`);
    found = vdevice;
  }
  return found;
}

/** The device on which all lie that lie on one, where two different ones make none. */
function anyDevice(types) {
  const found = new Set(types.map((t) => t.vdevice ?? null).filter((each) => each !== null));
  return found.size === 1 ? [...found][0] : null;
}

/** The one dtype of several tensors. */
function oneDtype(types, rule = "op.common/equal-dtypes") {
  const named = types.map((t) => t.dtype).filter((d) => d !== null);
  if (named.some((d) => d !== named[0])) throw rejected(rule, named.join());
  return named.length === types.length ? named[0] : null;
}

/** Whether two dims provably differ. */
const differ = (a, b) => equality(a, b) === "different";

const like = (type, shape, dtype = type.dtype, ndim = shape === null ? -1 : shape.length) => tensor(shape, dtype, ndim, type.vdevice);

module.exports = { tensorArgument, dims, tensors, shapeArgument, shapeOf, axisIn, axesIn, broadcast, device, anyDevice, oneDtype, differ, like };
