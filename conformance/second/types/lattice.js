// Subtyping, join and erasure (spec 05 "Subtyping", "Erasure").
"use strict";
const { isDeepStrictEqual } = require("node:util");
const { provablyEqual, substitute } = require("../shapes");
const { tensor, shapeType, tuple, ANY, NOTHING_KNOWN, isLiteral, fixed } = require("./build");

// Grades, worst first.
const L0 = 0;
const L1 = 1;
const L2 = 2;
const PASS = 3;

/** Whether every value of `derived` is a value of `base` (ty/subtype). */
function grade(base, derived) {
  if (base.node === "AnyType" || (derived === NOTHING_KNOWN && base.node === "TensorType")) return PASS;
  if (derived.node === "AnyType") return L1;
  if (base.node !== derived.node) return L0;
  switch (base.node) {
    case "ShapeType": return gradeRank(base, derived) === PASS ? gradeDims(base.values, derived.values) : gradeRank(base, derived);
    case "TensorType": return gradeTensor(base, derived);
    case "TupleType":
      if (base.fields.length !== derived.fields.length) return L0;
      return Math.min(PASS, ...base.fields.map((field, k) => grade(field, derived.fields[k])));
    case "FuncType": return gradeFunction(base, derived);
    default: return isDeepStrictEqual(base, derived) ? PASS : L0;
  }
}

function gradeRank(base, derived) {
  if (base.ndim < 0) return PASS;
  if (derived.ndim < 0) return L1;
  return base.ndim === derived.ndim ? PASS : L0;
}

const gradeWord = (base, derived) => (base === null ? PASS : derived === null ? L1 : base === derived ? PASS : L0);

function gradeTensor(base, derived) {
  const parts = [gradeWord(base.dtype, derived.dtype), gradeRank(base, derived), gradeWord(base.vdevice, derived.vdevice)];
  return parts.find((g) => g !== PASS) ?? gradeDims(base.shape, derived.shape);
}

function gradeDims(base, derived) {
  if (base === null) return PASS;
  if (derived === null) return L2;
  if (typeof base === "string" || typeof derived === "string") return base === derived ? PASS : L2;
  return Math.min(PASS, ...base.map((dim, k) => gradeDim(dim, derived[k])));
}

function gradeDim(base, derived) {
  if (isLiteral(base) && isLiteral(derived)) return fixed(base) === fixed(derived) ? PASS : L0;
  return provablyEqual(base, derived) ? PASS : L2;
}

function gradeFunction(base, derived) {
  if (base.purity && !derived.purity) return L0;
  if (base.params === null && base.derive_func !== null) return base.derive_func === derived.derive_func ? PASS : L2;
  if (base.params === null) return grade(base.ret, derived.ret);
  if (derived.params === null) return L2;
  if (named(base) === named(derived)) return PASS;
  if (base.params.length !== derived.params.length) return L0;
  const params = base.params.map((p, k) => {
    const found = grade(p, derived.params[k]);
    return found === L1 ? L2 : found;
  });
  return Math.min(PASS, ...params, grade(base.ret, derived.ret));
}

/** Parameters and result, the symbols that the parameters define named by position: equal texts are equal types. */
function named(f) {
  const names = new Map();
  for (const s of f.params.flatMap(bare)) if (!names.has(s)) names.set(s, `#${names.size}`);
  const renamed = (key, e) => (e?.node === "SymVar" && names.has(e.name) ? { ...e, name: names.get(e.name) } : e);
  return JSON.stringify([f.params, f.ret], (key, e) => inOrder(renamed(key, e)));
}

/** The same fields in one order: that of a tree means nothing. */
const inOrder = (e) => (e === null || typeof e !== "object" || Array.isArray(e) ? e : Object.fromEntries(Object.entries(e).sort(([a], [b]) => (a < b ? -1 : 1))));

/** The symbols that a type defines: its bare dims. */
function bare(type) {
  const dims = type.node === "TensorType" ? type.shape : type.node === "ShapeType" ? type.values : null;
  if (type.node === "TupleType") return type.fields.flatMap(bare);
  if (type.node === "DTensorType") return bare(type.tensor);
  return Array.isArray(dims) ? dims.filter((d) => d.node === "SymVar").map((d) => d.name) : [];
}

/** A constant without its array, or a tuple that holds one. */
const isUnbound = (type) => type === NOTHING_KNOWN || (type.node === "TupleType" && type.fields.some(isUnbound));

const sameDims = (a, b) => Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((d, k) => provablyEqual(d, b[k]));

/** The least common ancestor (ty/join). */
function join(a, b) {
  if (a.node !== b.node) return ANY;
  switch (a.node) {
    case "TensorType": {
      const ndim = a.ndim === b.ndim ? a.ndim : -1;
      const shape = sameDims(a.shape, b.shape) || a.shape === b.shape ? a.shape : null;
      return tensor(shape, a.dtype === b.dtype ? a.dtype : null, ndim, a.vdevice === b.vdevice ? a.vdevice : null);
    }
    case "ShapeType": return sameDims(a.values, b.values) ? a : shapeType(null, a.ndim === b.ndim ? a.ndim : -1);
    case "PrimType": return a.dtype === b.dtype ? a : ANY;
    case "TupleType": return a.fields.length === b.fields.length ? tuple(a.fields.map((f, k) => join(f, b.fields[k]))) : ANY;
    case "FuncType": return joinFunction(a, b);
    default: return a.node === "PackedFuncType" ? a : ANY;
  }
}

function joinFunction(a, b) {
  const purity = a.purity && b.purity;
  const derive = a.derive_func === b.derive_func ? a.derive_func : null;
  if (a.derive_func !== null || b.derive_func !== null) return { node: "FuncType", params: null, ret: ANY, purity, derive_func: derive };
  const opaque = a.params === null || b.params === null || a.params.length !== b.params.length;
  if (!opaque && named(a) === named(b)) return { ...a, purity };
  const params = opaque ? null : a.params.map((p, k) => join(p, b.params[k]));
  return { node: "FuncType", params, ret: join(a.ret, b.ret), purity, derive_func: null };
}

/** The symbols that an expression mentions; the variable of a let is its own. */
function* mentioned(e) {
  if (e === null || typeof e !== "object") return;
  if (e.node === "SymVar") yield e.name;
  else if (e.node === "Let") {
    yield* mentioned(e.value);
    for (const name of mentioned(e.body)) if (name !== e.var.name) yield name;
  }
  else for (const part of Object.values(e)) yield* mentioned(part);
}

/** A type with every shape lost, whole, that mentions a symbol for which `keeps(name)` is false, or is such a variable. */
function erase(type, keeps, keepsVariable = () => false) {
  switch (type.node) {
    case "TensorType": {
      const kept = typeof type.shape === "string" ? keepsVariable(type.shape) : [...mentioned(type.shape)].every(keeps);
      return kept ? type : { ...type, shape: null };
    }
    case "ShapeType": return [...mentioned(type.values)].every(keeps) ? type : { ...type, values: null };
    case "TupleType": return tuple(type.fields.map((f) => erase(f, keeps, keepsVariable)));
    default: return type;
  }
}

/** Symbols replaced, all at once; a shape that mentions one without a value is lost (ty/erase-by-assignment). */
function assign(type, values) {
  const dims = (list) => {
    if (!Array.isArray(list)) return null;
    return [...mentioned(list)].every((name) => values.has(name)) ? list.map((d) => substitute(d, values)) : null;
  };
  switch (type.node) {
    case "TensorType": {
      const shape = typeof type.shape === "string" ? values.get(type.shape) ?? null : dims(type.shape);
      return { ...type, shape, ndim: Array.isArray(shape) ? shape.length : type.ndim };
    }
    case "ShapeType": return { ...type, values: dims(type.values) };
    case "TupleType": return tuple(type.fields.map((f) => assign(f, values)));
    default: return type;
  }
}

module.exports = { L0, L1, L2, PASS, grade, join, erase, assign, mentioned, sameDims, isUnbound };
