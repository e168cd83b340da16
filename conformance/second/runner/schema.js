// Whether a value is as a JSON Schema of the suite says, as far as these schemas go (spec 03d "In JSON").
"use strict";
const { isElements } = require("./elements");
const { scalarForm } = require("../scalar_forms");
const { dtypeOf } = require("../scalars");
const { isInt } = require("../dtypes");

const SORTS = {
  null: (v) => v === null,
  boolean: (v) => typeof v === "boolean",
  integer: (v) => Number.isInteger(v) || typeof v === "bigint",
  string: (v) => typeof v === "string",
  array: Array.isArray,
  object: (v) => typeof v === "object" && v !== null && !Array.isArray(v),
};

function fits(defs, schema, v) {
  if (schema.$ref) return fits(defs, defs[schema.$ref.split("/").pop()], v);
  if (schema.anyOf && !schema.anyOf.some((each) => fits(defs, each, v))) return false;
  if ("const" in schema && schema.const !== v) return false;
  if (schema.enum && !schema.enum.includes(v)) return false;
  if (schema.type && ![schema.type].flat().some((sort) => SORTS[sort](v))) return false;
  if (schema.pattern && typeof v === "string" && !new RegExp(schema.pattern).test(v)) return false;
  if (Array.isArray(v)) return items(defs, schema, v);
  return typeof v !== "object" || v === null || properties(defs, schema, v);
}

function items(defs, schema, v) {
  const first = schema.prefixItems ?? [];
  if (v.length < (schema.minItems ?? 0) || (schema.items === false && v.length > first.length)) return false;
  return v.every((each, k) => fits(defs, first[k] ?? (schema.items || {}), each));
}

function properties(defs, schema, v) {
  if ((schema.required ?? []).some((key) => !(key in v))) return false;
  return Object.entries(v).every(([key, each]) => {
    const known = schema.properties?.[key];
    if (known) return fits(defs, known, each);
    return schema.additionalProperties !== false && fits(defs, schema.additionalProperties ?? {}, each);
  });
}

const TYPES = ["AnyType", "PrimType", "ShapeType", "TensorType", "DTensorType", "TupleType", "FuncType", "PackedFuncType"];
const POINTER = /^handle(\(.*\))?$|^void$/;
const isDtype = (name) => POINTER.test(name) || isElements(name.replace(/x(vscalex)?[1-9]\d*$/, ""));

/** Whether a value is a type of chapter 03d: its nodes, its dtypes, its numbers of dimensions. */
function isType(defs, v) {
  return TYPES.includes(v?.node) && fits(defs, { $ref: `#/$defs/${v.node}` }, v) && sound(v);
}

function sound(v) {
  if (typeof v !== "object" || v === null) return true;
  if (typeof v.dtype === "string" && !isDtype(v.dtype)) return false;
  const dims = v.node === "TensorType" ? v.shape : v.values;
  if ("ndim" in v && (v.ndim < -1 || (Array.isArray(dims) && dims.length !== v.ndim))) return false;
  if ("ndim" in v && Array.isArray(dims) && !dims.every(isDim)) return false;
  return Object.values(v).every(sound);
}

/** A dimension is an integer, arithmetic on scalars (wf/scalar-form). */
function isDim(e) {
  try {
    scalarForm(e);
    return isInt(dtypeOf(e));
  } catch {
    return false;
  }
}

module.exports = { isType };
