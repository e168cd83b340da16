// Structural conditions of graph-level functions (spec 04).
"use strict";
const { rejected } = require("./ends");
const { nodes } = require("./module");
const { isInt } = require("./dtypes");
const { dtypeOf } = require("./scalars");
const { scalarForm } = require("./scalar_forms");
const { isPureCall } = require("./purity");

function wellFormed(module) {
  contractsOnce(module);
  for (const [name, f] of module.functions) {
    if (f.node === "Function") topLevel(module, name, f);
    globalsDefined(module, f);
  }
}

function globalsDefined(module, f) {
  for (const node of nodes(f)) {
    const global = node.node === "GlobalVar" ? node.name : node.node === "Intrinsic" && node.op.startsWith("cls.") ? node.op.slice(4) : null;
    if (global !== null && !module.functions.has(global)) throw rejected("wf/global-defined", global);
  }
}

const attributeOf = (f, name) => (f.attrs.find(([key]) => key === name) ?? [])[1];

/** No library function has two contracts (wf/contract). */
function contractsOnce(module) {
  const seen = new Set();
  for (const f of module.functions.values()) {
    if (f.node !== "Function") continue;
    const contract = attributeOf(f, "Contract");
    if (contract === undefined) continue;
    if (typeof contract !== "string" || !f.pure || seen.has(contract)) throw rejected("wf/contract", String(contract));
    seen.add(contract);
  }
}

function topLevel(module, name, f) {
  const symbol = attributeOf(f, "global_symbol");
  if (symbol !== undefined && (f.private || symbol !== name)) throw rejected("wf/global-symbol", name);
  const top = { module, defined: new Map(), dtypes: new Map() };
  functionIn(f, new Names(null), top);
}

/** The variables and symbols that are visible in a place. */
class Names {
  constructor(parent) {
    this.parent = parent;
    this.names = new Map();
  }

  find(name) {
    return this.names.get(name) ?? this.parent?.find(name);
  }
}

/** A variable is defined once in a top-level function. */
function define(name, about, scope, top) {
  if (top.defined.has(name)) throw rejected("wf/var-defined-once", name);
  top.defined.set(name, true);
  scope.names.set(name, about);
}

function functionIn(f, scope, top) {
  const forced = attributeOf(f, "relax.force_pure") !== undefined && !isFalse(attributeOf(f, "relax.force_pure"));
  if (forced && !f.pure) throw rejected("wf/force-pure", "");
  const inner = new Names(scope);
  for (const p of f.params) {
    if (p.type === null) throw rejected("wf/parameter-annotated", p.name);
  }
  for (const p of f.params) if (p.type.node === "PrimType") scalarVariable(p.name, p.type.dtype, inner, top);
  for (const p of f.params) if (p.type.node !== "PrimType") define(p.name, {}, inner, top);
  definingTypes(f.params.map((p) => p.type), inner, top);
  uses(f.ret, inner, top, {});
  sequence(f.body, inner, top, { pure: f.pure && !forced });
}

const isFalse = (value) => value === false || value === null || value === 0 || (value?.node === "Literal" && BigInt(value.bits) === 0n);

function scalarVariable(name, dtype, scope, top) {
  define(name, { dtype }, scope, top);
}

/** The first bare occurrence of a symbol in a definitional position defines it (wf/symbol-defined). */
function definingTypes(types, scope, top) {
  for (const type of types) {
    for (const dim of bareDims(type)) {
      if (scope.find(dim.name) === undefined) scope.names.set(dim.name, { dtype: dim.dtype, symbol: true });
    }
  }
  for (const type of types) uses(type, scope, top, {});
}

function* bareDims(type) {
  const list = type.node === "TensorType" && Array.isArray(type.shape) ? type.shape : type.node === "ShapeType" ? (type.values ?? []) : [];
  for (const dim of list) if (dim.node === "SymVar") yield dim;
  for (const part of type.node === "TupleType" ? type.fields : type.node === "DTensorType" ? [type.tensor] : []) yield* bareDims(part);
}

/** What a type or a scalar expression mentions is in scope, and a dimension is an integer expression. */
function uses(node, scope, top, place) {
  if (node === null || typeof node !== "object") return;
  if (node.node === "FuncType") return callableType(node, scope, top);
  if (node.node === "SymVar") return symbolUse(node, scope, place);
  if (node.node === "Var") return variableUse(node.name, scope, place);
  const dims = node.node === "TensorType" ? node.shape : node.node === "ShapeType" || node.node === "ShapeExpr" ? node.values : null;
  if (typeof dims === "string") return variableUse(dims, scope, { ...place, type: true });
  if (Array.isArray(dims)) dims.forEach((d) => dimension(d, scope, top, place));
  else if (node.node === "PrimValue") scalar(node.value, scope, top, place);
  else for (const part of Array.isArray(node) ? node : Object.values(node)) uses(part, scope, top, place);
}

/** The symbols of an R.Callable are its own. */
function callableType(type, scope, top) {
  const inner = new Names(scope);
  definingTypes(type.params ?? [], inner, top);
  uses(type.ret, inner, top, {});
}

function dimension(d, scope, top, place) {
  const known = d.node === "SymVar" ? scope.find(d.name) : undefined;
  if (!isInt(dtypeOf(d))) throw rejected("wf/shape-integer", dtypeOf(d));
  if (known?.dataflow !== undefined) throw rejected("wf/dataflow-var-in-type", d.name);
  scalar(d, scope, top, { ...place, type: true });
}

function scalar(e, scope, top, place) {
  scalarForm(e);
  for (const node of nodes(e)) if (node.node === "SymVar") symbolUse(node, withLets(e, scope), place);
}

/** The variables of lets inside an expression are defined in it. */
function withLets(e, scope) {
  const inner = new Names(scope);
  for (const node of nodes(e)) if (node.node === "Let") inner.names.set(node.var.name, { dtype: node.var.dtype });
  return inner;
}

function symbolUse({ name, dtype }, scope, place) {
  const about = scope.find(name);
  if (about === undefined) throw rejected("wf/symbol-defined", name);
  if (about.dtype !== undefined && about.dtype !== dtype) throw rejected("wf/symbol-dtype", name);
  if (about.dataflow !== undefined && place.type) throw rejected("wf/dataflow-var-in-type", name);
}

function variableUse(name, scope, place) {
  const about = scope.find(name);
  if (about === undefined) throw rejected("wf/var-defined-before-use", name);
  if (about.dataflow === undefined) return;
  if (place.type) throw rejected("wf/dataflow-var-in-type", name);
  if (about.dataflow.closed || about.dataflow.function !== place.function) throw rejected("wf/dataflow-var-scope", name);
}

const LEAVES = new Set([
  "Var", "GlobalVar", "ExternFunc", "Constant", "DistConstant", "ConstantRef", "PrimValue", "ShapeExpr", "StringValue", "DataTypeValue", "Tuple",
]);

function leaf(e, scope, top, place) {
  if (!LEAVES.has(e.node)) throw rejected("wf/normal-form", e.node);
  if (e.node === "Tuple") e.fields.forEach((field) => leaf(field, scope, top, place));
  else uses(e, scope, top, place);
}

function sequence(seq, scope, top, place) {
  const here = { ...place, function: place.function ?? {} };
  for (const block of seq.blocks) {
    const flow = block.node === "DataflowBlock" ? { closed: false, function: here.function } : null;
    const bound = new Set(block.bindings.map((b) => b.name));
    const outputs = new Set(block.outputs ?? []);
    for (const name of outputs) if (!bound.has(name)) throw rejected("wf/dataflow-output", name);
    for (const b of block.bindings) binding(b, flow, outputs, scope, top, here);
    if (flow !== null) flow.closed = true;
  }
  leaf(seq.body, scope, top, here);
}

function binding(b, flow, outputs, scope, top, place) {
  const here = { ...place, flow };
  const about = flow !== null && !outputs.has(b.name) ? { dataflow: flow } : {};
  if (b.value.node === "Function") {
    define(b.name, about, scope, top);
    functionIn(b.value, scope, top);
    return;
  }
  expression(b.value, scope, top, here);
  if (b.node === "MatchCast") definingTypes([b.type], scope, top);
  uses(b.annotation, scope, top, {});
  const dtype = b.value.node === "PrimValue" ? dtypeOf(b.value.value) : undefined;
  define(b.name, dtype === undefined ? about : { ...about, dtype }, scope, top);
}

function expression(e, scope, top, place) {
  switch (e.node) {
    case "Call": return call(e, scope, top, place);
    case "TupleGetItem": return leaf(e.tuple, scope, top, place);
    case "If": {
      if (place.flow !== null) throw rejected("wf/if-in-dataflow", "");
      leaf(e.condition, scope, top, place);
      sequence(e.then_branch, new Names(scope), top, place);
      return sequence(e.else_branch, new Names(scope), top, place);
    }
    default: return leaf(e, scope, top, place);
  }
}

const INLINE = new Set(["relax.call_tir", "relax.call_tir_with_grad", "relax.call_tir_inplace"]);

function call(e, scope, top, place) {
  if (e.op.node === "Var") variableUse(e.op.name, scope, place);
  e.args.forEach((a) => leaf(a, scope, top, place));
  e.ty_args.forEach((t) => uses(t, scope, top, {}));
  if (e.op.node === "Op" && INLINE.has(e.op.name) && e.args.length === 2 && e.args[1].node !== "Tuple") {
    throw rejected(e.args[1].node === "Var" ? "wf/call-tir-inline-tuple" : "ty/call-tir-args", e.op.name);
  }
  if (isPureCall(top.module, e, top)) return;
  if (place.flow !== null) throw rejected("wf/impure-in-dataflow", e.op.name);
  if (place.pure) throw rejected("wf/impure-in-pure-function", e.op.name);
}

module.exports = { wellFormed };
