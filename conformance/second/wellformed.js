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
  const top = { module, function: f, defined: new Set() };
  functionIn(f, null, top);
}

/** The variables and symbols that are visible in a place. */
class Names {
  constructor(parent, inFunction = parent?.inFunction) {
    this.parent = parent;
    this.inFunction = inFunction; // the function, nested or not, that the place is in
    this.names = new Map();
  }

  find(name) {
    return this.names.get(name) ?? this.parent?.find(name);
  }
}

/** A variable is defined once in a top-level function. */
function define(name, about, scope, top) {
  if (top.defined.has(name) || scope.find(name)?.symbol) throw rejected("wf/var-defined-once", name);
  top.defined.add(name);
  scope.names.set(name, about);
}

function functionIn(f, scope, top) {
  const forced = attributeOf(f, "relax.force_pure") !== undefined && !isFalse(attributeOf(f, "relax.force_pure"));
  if (forced && !f.pure) throw rejected("wf/force-pure", "");
  const inner = new Names(scope, f);
  for (const p of f.params) {
    if (p.type === null) throw rejected("wf/parameter-annotated", p.name);
  }
  promises(f);
  inTurn(f, inner);
  for (const p of f.params) if (p.type.node === "PrimType") scalarVariable(p.name, p.type.dtype, inner, top);
  for (const p of f.params) if (p.type.node !== "PrimType") define(p.name, {}, inner, top);
  definingTypes(f.params.map((p) => p.type), inner, top);
  uses(f.ret, inner, top);
  sequence(f.body, inner, top, { pure: f.pure && !forced });
}

const isNumber = (value) => typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
const nameOf = (value) => (value?.node === "StringValue" ? value.value : value);

/** What the attributes of a function promise of symbols has the form that is read, and some call keeps it (wf/promise). */
function promises(f) {
  const low = ends(f, "tir_var_lower_bound");
  const high = ends(f, "tir_var_upper_bound");
  const listed = attributeOf(f, "tir_non_negative_var") ?? null;
  if (listed !== null && listed.node !== "AttrList") throw rejected("wf/promise", "no list of names");
  for (const each of listed?.items ?? []) {
    const name = nameOf(each);
    if (typeof name !== "string") throw rejected("wf/promise", "no name");
    low.set(name, low.has(name) && low.get(name) > 0n ? low.get(name) : 0n);
  }
  for (const p of f.params) {
    const scalar = p.type.node === "PrimType";
    for (const name of scalar ? [p.name] : [...bareDims(p.type)].map((dim) => dim.name)) {
      if (!high.has(name)) continue;
      const known = f.params.some((q) => q.type.node === "PrimType" && q.name === name);
      if (high.get(name) < 0n && !known) throw rejected("wf/promise", `${name} is an extent`);
      if (low.has(name) && low.get(name) > high.get(name)) throw rejected("wf/promise", `${name}: no call keeps it`);
    }
  }
}

/** The ends that a table of integers by name promises. */
function ends(f, attribute) {
  const table = attributeOf(f, attribute) ?? null;
  if (table === null) return new Map();
  if (table.node !== "AttrDict") throw rejected("wf/promise", `${attribute} is no dict`);
  for (const [name, value] of table.items) if (!isNumber(value)) throw rejected("wf/promise", `${attribute} of ${name}`);
  return new Map(table.items.map(([name, value]) => [name, BigInt(value)]));
}

const isFalse = (value) => value === false || value === null || value === 0 || (value?.node === "Literal" && BigInt(value.bits) === 0n);

/** A scalar parameter is a symbol, and any a variable, from its place on. */
function inTurn({ params }, scope) {
  const scalars = new Set(params.filter((p) => p.type.node === "PrimType").map((p) => p.name));
  const later = new Set(params.map((p) => p.name));
  for (const p of params) {
    for (const node of nodes(p.type)) {
      if (node.node === "SymVar" && scalars.has(node.name) && later.has(node.name) && scope.find(node.name) === undefined) throw rejected("wf/symbol-defined", node.name);
      if (node.node === "TensorType" && later.has(node.shape)) throw rejected("wf/var-defined-before-use", node.shape);
    }
    later.delete(p.name);
  }
}

/** A scalar parameter has the name of no symbol around it. */
function scalarVariable(name, dtype, scope, top) {
  if (scope.find(name) !== undefined) throw rejected("wf/var-defined-once", name);
  define(name, { dtype }, scope, top);
}

/** The first bare occurrence of a symbol in a definitional position defines it (wf/symbol-defined). */
function definingTypes(types, scope, top) {
  for (const type of types) {
    for (const dim of bareDims(type)) {
      if (scope.find(dim.name) === undefined) scope.names.set(dim.name, { dtype: dim.dtype, symbol: true });
    }
  }
  for (const type of types) uses(type, scope, top);
}

function* bareDims(type) {
  const list = type.node === "TensorType" && Array.isArray(type.shape) ? type.shape : (type.values ?? []);
  for (const dim of list) if (dim.node === "SymVar") yield dim;
  for (const part of type.node === "TupleType" ? type.fields : type.node === "DTensorType" ? [type.tensor] : []) yield* bareDims(part);
}

/** What a type or a scalar expression mentions is in scope, and a dimension is an integer expression. */
function uses(node, scope, top) {
  if (node === null || typeof node !== "object") return;
  if (node.node === "FuncType") return callableType(node, scope, top);
  if (node.node === "Var") return variableUse(node.name, scope);
  const dims = node.node === "TensorType" ? node.shape : node.values;
  if (typeof dims === "string") return variableUse(dims, scope);
  if (Array.isArray(dims)) dims.forEach((d) => dimension(d, scope));
  else if (node.node === "PrimValue") scalar(node.value, scope);
  else for (const part of Object.values(node)) uses(part, scope, top);
}

/** The symbols of an R.Callable are its own. */
function callableType(type, scope, top) {
  const inner = new Names(scope);
  definingTypes(type.params ?? [], inner, top);
  uses(type.ret, inner, top);
}

/** A dataflow variable is no dim; a dim that mentions one is lost where the block ends. */
function dimension(d, scope) {
  if (!isInt(dtypeOf(d))) throw rejected("wf/shape-integer", dtypeOf(d));
  if (d.node === "SymVar" && scope.find(d.name)?.dataflow !== undefined) throw rejected("wf/dataflow-var-in-type", d.name);
  scalar(d, scope);
}

function scalar(e, scope) {
  scalarForm(e);
  for (const node of nodes(e)) if (node.node === "SymVar") symbolUse(node, withLets(e, scope));
}

/** The variables of lets inside an expression are defined in it. */
function withLets(e, scope) {
  const inner = new Names(scope);
  for (const node of nodes(e)) if (node.node === "Let") inner.names.set(node.var.name, { dtype: node.var.dtype });
  return inner;
}

function symbolUse({ name, dtype }, scope) {
  const about = scope.find(name);
  if (about === undefined) throw rejected("wf/symbol-defined", name);
  if (about.dtype !== undefined && about.dtype !== dtype) throw rejected("wf/symbol-dtype", name);
  inItsBlock(about, name, scope);
}

function variableUse(name, scope) {
  const about = scope.find(name);
  if (about === undefined || about.symbol) throw rejected("wf/var-defined-before-use", name);
  inItsBlock(about, name, scope);
}

function inItsBlock({ dataflow }, name, scope) {
  if (dataflow !== undefined && (dataflow.closed || dataflow.inFunction !== scope.inFunction)) throw rejected("wf/dataflow-var-scope", name);
}

const LEAVES = new Set([
  "Var", "GlobalVar", "ExternFunc", "Constant", "DistConstant", "ConstantRef", "PrimValue", "ShapeExpr", "StringValue", "DataTypeValue", "Tuple",
]);

function leaf(e, scope, top) {
  if (!LEAVES.has(e.node)) throw rejected("wf/normal-form", e.node);
  if (e.node === "Tuple") e.fields.forEach((field) => leaf(field, scope, top));
  else uses(e, scope, top);
}

function sequence(seq, scope, top, place) {
  for (const block of seq.blocks) {
    const flow = block.node === "DataflowBlock" ? { closed: false, inFunction: scope.inFunction } : null;
    const bound = new Set(block.bindings.map((b) => b.name));
    const outputs = new Set(block.outputs ?? []);
    for (const name of outputs) if (!bound.has(name)) throw rejected("wf/dataflow-output", name);
    for (const b of block.bindings) binding(b, flow, outputs, scope, top, place);
    if (flow !== null) flow.closed = true;
  }
  leaf(seq.body, scope, top);
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
  uses(b.annotation, scope, top);
  define(b.name, about, scope, top);
}

function expression(e, scope, top, place) {
  switch (e.node) {
    case "Call": return call(e, scope, top, place);
    case "TupleGetItem": return leaf(e.tuple, scope, top);
    case "If": {
      if (place.flow !== null) throw rejected("wf/if-in-dataflow", "");
      leaf(e.condition, scope, top);
      sequence(e.then_branch, new Names(scope), top, place);
      return sequence(e.else_branch, new Names(scope), top, place);
    }
    default: return leaf(e, scope, top);
  }
}

const INLINE = new Set(["relax.call_tir", "relax.call_tir_with_grad", "relax.call_tir_inplace"]);

function call(e, scope, top, place) {
  if (e.op.node === "Var") variableUse(e.op.name, scope);
  e.args.forEach((a) => leaf(a, scope, top));
  e.ty_args.forEach((t) => uses(t, scope, top));
  if (INLINE.has(e.op.name) && e.args.length === 2 && e.args[1].node !== "Tuple") {
    throw rejected(e.args[1].node === "Var" ? "wf/call-tir-inline-tuple" : "ty/call-tir-args", e.op.name);
  }
  if (isPureCall(top.module, e, top)) return;
  if (place.flow !== null) throw rejected("wf/impure-in-dataflow", e.op.name);
  if (place.pure) throw rejected("wf/impure-in-pure-function", e.op.name);
}

module.exports = { wellFormed };
