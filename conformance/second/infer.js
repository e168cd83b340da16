// Deduction of types (spec 05 "Expressions", "Bindings and functions", "Signatures").
"use strict";
const { isDeepStrictEqual } = require("node:util");
const { rejected, unsupported } = require("./ends");
const { dtypeOf } = require("./scalars");
const { nodes } = require("./module");
const { tensor, shapeType, prim, tuple, ANY, NOTHING_KNOWN, int } = require("./types/build");
const { L0, PASS, grade, join, erase, mentioned, isUnbound } = require("./types/lattice");
const { callType } = require("./types/calls");
const { primFuncSignature, opaque, functionType } = require("./types/signatures");

/** The types of all variables of all graph-level functions: {function: {name: type}}. */
function infer(module) {
  const state = { module, found: new Map(), signatures: new Map(), open: new Set() };
  state.signature = (name) => signature(state, name);
  for (const name of module.functions.keys()) state.signature(name);
  return Object.fromEntries([...state.found].map(([name, types]) => [name, Object.fromEntries(types)]));
}

/** Callees first; around a cycle the declared signature is used (ty/callees-first). */
function signature(state, name) {
  const f = state.module.functions.get(name);
  if (f.node === "PrimFunc") return primFuncSignature(state.module, name, f);
  if (f.node === "ExternFunc") return opaque();
  if (state.signatures.has(name)) return state.signatures.get(name);
  if (state.open.has(name)) return functionType(f, f.ret ?? ANY);
  state.open.add(name);
  const types = new Map();
  state.found.set(name, types);
  const found = functionIn(f, new Map(), types, state);
  state.signatures.set(name, found);
  return found;
}

/** The type of a function, the types of its variables put into `types`. */
function functionIn(f, outer, types, state) {
  const env = new Map(outer);
  for (const p of f.params) {
    env.set(p.name, ranked(p.type, env));
    types.set(p.name, env.get(p.name));
  }
  f.params.forEach((p) => written(p.type, env));
  written(f.ret, env);
  const visible = symbolsOf(f);
  const body = sequence(f.body, env, types, state, visible);
  const own = new Set(f.params.flatMap((p) => [...mentioned(p.type)]));
  const left = erase(body, (name) => own.has(name));
  return functionType(f, f.ret === null || grade(f.ret, left) === PASS ? left : f.ret);
}

/** A tensor whose shape is a variable has the rank of that variable. */
function ranked(type, env) {
  if (type.node === "TupleType") return tuple(type.fields.map((field) => ranked(field, env)));
  const shape = env.get(type.shape);
  return shape?.node === "ShapeType" ? { ...type, ndim: Math.max(type.ndim, shape.ndim) } : type;
}

/** The symbols that a function's own parameters and match_casts define. */
function symbolsOf(f) {
  const found = new Set(f.params.flatMap((p) => [...mentioned(p.type)]));
  for (const node of nodes(f.body)) if (node.node === "MatchCast") for (const name of mentioned(node.type)) found.add(name);
  return found;
}

function sequence(seq, env, types, state, visible) {
  for (const block of seq.blocks) {
    for (const b of block.bindings) binding(b, env, types, state, visible);
    if (block.node === "DataflowBlock") eraseOutputs(block, env, types);
  }
  return expression(seq.body, env, types, state, visible);
}

/** An output that mentions a dataflow variable loses its shape (ty/erase-at-block-end). */
function eraseOutputs(block, env, types) {
  const outputs = new Set(block.outputs);
  const inner = new Set(block.bindings.map((b) => b.name).filter((name) => !outputs.has(name)));
  for (const name of outputs) {
    const stays = (mention) => !inner.has(mention);
    const type = erase(env.get(name), stays, stays);
    env.set(name, type);
    types.set(name, type);
  }
}

function binding(b, env, types, state, visible) {
  const type = b.node === "MatchCast" ? matchCast(b, env, types, state, visible) : bound(b, env, types, state, visible);
  env.set(b.name, type);
  types.set(b.name, type);
}

function matchCast(b, env, types, state, visible) {
  const found = expression(b.value, env, types, state, visible);
  if (b.annotation !== null && !isDeepStrictEqual(b.annotation, b.type)) throw rejected("ty/match-cast-annotation", b.name);
  if (grade(found, ranked(b.type, env)) === L0) throw rejected("ty/match-cast-impossible", b.name);
  written(b.type, env);
  return ranked(b.type, env);
}

function bound(b, env, types, state, visible) {
  if (b.value.node === "Function") {
    const inner = new Map(env);
    inner.set(b.name, functionType(b.value, b.value.ret ?? ANY));
    const own = new Map();
    const found = functionIn(b.value, inner, own, state);
    for (const [name, type] of own) types.set(`${b.name}/${name}`, type);
    if (b.annotation !== null && grade(b.annotation, found) === L0) throw rejected("ty/annotation-impossible", b.name);
    return found;
  }
  const found = expression(b.value, env, types, state, visible);
  if (b.annotation === null) return found;
  if (grade(ranked(b.annotation, env), found) === L0) throw rejected("ty/annotation-impossible", b.name);
  written(b.annotation, env);
  return b.value.node === "Call" || isUnbound(found) ? b.annotation : found;
}

function expression(e, env, types, state, visible) {
  const typed = (part) => expression(part, env, types, state, visible);
  switch (e.node) {
    case "Var": return env.get(e.name);
    case "Constant": return tensor(e.shape.map(int), e.dtype);
    case "ConstantRef": return constant(e, state);
    case "PrimValue":
      scalars(e, env);
      return prim(dtypeOf(e.value));
    case "ShapeExpr":
      scalars(e, env);
      return shapeType(e.values);
    case "StringValue":
    case "DataTypeValue": return ANY;
    case "Tuple": return tuple(e.fields.map(typed));
    case "TupleGetItem": return item(typed(e.tuple), e.index);
    case "GlobalVar": return state.signature(e.name);
    case "ExternFunc": return opaque(e.name === "runtime.TVMTensorCreateView");
    case "If": return conditional(e, env, types, state, visible);
    case "Call":
      e.ty_args.forEach((t) => written(t, env));
      return ranked(callType(e, e.args.map(typed), (name) => env.get(name), state), env);
    default: throw unsupported(`the type of ${e.node}`);
  }
}

/** A variable in a scalar expression holds a prim value, of the dtype that it has there (ty/scalar-variable). */
function scalars(e, env) {
  if (e?.node === "FuncType") return; // its symbols are its own
  for (const node of free(e, new Set())) {
    if (!env.has(node.name)) continue;
    const type = env.get(node.name);
    if (type.node !== "PrimType" || type.dtype !== node.dtype) throw rejected("ty/scalar-variable", node.name);
  }
}

/** A variable that is the shape of a tensor has a shape type (ty/shape-variable). */
function shapes(e, env) {
  for (const node of nodes(e)) {
    if (node.node !== "TensorType" || typeof node.shape !== "string" || !env.has(node.shape)) continue;
    if (env.get(node.shape).node !== "ShapeType") throw rejected("ty/shape-variable", node.shape);
  }
}

/** What the names in a type that is written may stand for. */
function written(type, env) {
  scalars(type, env);
  shapes(type, env);
}

/** The variables of a scalar expression that no Let around them binds. */
function* free(e, bound) {
  if (e === null || typeof e !== "object") return;
  if (e.node === "SymVar") {
    if (!bound.has(e.name)) yield e;
  } else if (e.node === "Let") {
    yield* free(e.value, bound);
    yield* free(e.body, new Set([...bound, e.var.name]));
  } else {
    for (const part of Object.values(e)) yield* free(part, bound);
  }
}

function constant(e, state) {
  const array = e.kind === "ir.GenericConst" ? state.module.constants[e.index] : undefined;
  if (array === undefined) return NOTHING_KNOWN;
  return tensor(array.shape.map(int), array.dtype);
}

function item(type, k) {
  if (type.node !== "TupleType") throw rejected("ty/tuple-get-item", type.node);
  if (k < 0 || k >= type.fields.length) throw rejected("ty/tuple-index", String(k));
  return type.fields[k];
}

/** The join of the branches' types, each erased to what is in scope outside (ty/if). */
function conditional(e, env, types, state, visible) {
  const condition = expression(e.condition, env, types, state, visible);
  if (!["TensorType", "DTensorType", "PrimType", "AnyType"].includes(condition.node)) throw rejected("ty/if-condition", condition.node);
  const outside = (branch) => {
    const before = new Set([...env.values()].flatMap((type) => [...mentioned(type)]));
    const found = sequence(branch, new Map(env), types, state, visible);
    return erase(found, (name) => visible.has(name) && before.has(name));
  };
  return join(outside(e.then_branch), outside(e.else_branch));
}

module.exports = { infer };
