// Structural conditions of loop-level functions (spec 04 "Loop-level functions").
"use strict";
const { rejected, unsupported } = require("./ends");
const { dtype, isBool, literal } = require("./dtypes");
const { dtypeOf } = require("./scalars");
const { scalarForm, operandKinds, argumentCount, bound, isNumber } = require("./scalar_forms");

const isInteger = (e) => dtype(dtype(dtypeOf(e)).element).kind === "int";
const isScalarInteger = (e) => isInteger(e) && dtype(dtypeOf(e)).lanes === 1;
/** The scalars and buffers that are visible in a place; `loop` where break may stand. */
class Place {
  constructor(parent, changes = {}) {
    this.scalars = new Map();
    this.buffers = new Map();
    this.parent = parent;
    this.top = parent === null ? { scalars: new Set(), buffers: new Set(), ...changes.top } : parent.top;
    this.loop = changes.loop ?? parent?.loop ?? false;
  }

  scalar(name) {
    return this.scalars.get(name) ?? this.parent?.scalar(name);
  }

  buffer(name) {
    return this.buffers.get(name) ?? this.parent?.buffer(name);
  }

  /** A scalar variable is defined once in a function, and has the name of no buffer. */
  define(name, about, again = false) {
    if ((this.top.scalars.has(name) && !again) || this.top.buffers.has(name)) throw rejected("wf/loop-var-once", name);
    this.top.scalars.add(name);
    this.scalars.set(name, about);
  }

  declare(buffer) {
    if (this.top.buffers.has(buffer.name)) throw rejected("wf/buffer-declared-once", buffer.name);
    if (this.top.scalars.has(buffer.name)) throw rejected("wf/buffer-declared-once", buffer.name);
    this.top.buffers.add(buffer.name);
    this.buffers.set(buffer.name, buffer);
  }
}

function loopsWellFormed(module, f) {
  const place = new Place(null, { top: { functions: module.functions, ret: f.ret } });
  for (const p of f.params) if (p.node === "ScalarParam") place.define(p.var.name, { dtype: p.var.dtype });
  for (const p of f.params) if (p.node === "BufferParam") defineBare([...p.buffer.shape, ...p.buffer.strides, p.buffer.elem_offset], place);
  for (const p of f.params) if (p.node === "BufferParam") declared(p.buffer, place);
  for (const p of f.params) if (p.node === "BufferParam") p.buffer.shape.forEach(scalarForm);
  for (const buffer of f.root_allocs) declared(buffer, place);
  statements(f.body, place);
}

/** A bare variable among these extents, strides and offset of a buffer is defined there. */
function defineBare(found, place) {
  for (const e of found) {
    if (e?.node === "SymVar" && place.scalar(e.name) === undefined) place.define(e.name, { dtype: e.dtype });
  }
}

function declared(buffer, place) {
  for (const e of [...buffer.shape, ...buffer.strides, ...(buffer.elem_offset === null ? [] : [buffer.elem_offset])]) {
    if (!isInteger(e) || dtype(dtypeOf(e)).lanes !== 1) throw rejected("wf/extent-integer", dtypeOf(e));
    expression(e, place);
  }
  if (buffer.strides.length > 0 && buffer.strides.length !== buffer.shape.length) throw rejected("wf/stride-count", buffer.name);
  if (buffer.data !== null) expression(buffer.data, place);
  place.declare(buffer);
}

function statements(list, place) {
  const inner = new Place(place);
  for (const s of list) statement(s, inner);
}

function statement(s, place) {
  switch (s.node) {
    case "For": return forLoop(s, place);
    case "While":
      condition(s.condition, place);
      return statements(s.body, new Place(place, { loop: true }));
    case "LaunchThread": {
      counted(s.var, s.extent, place);
      const inner = new Place(place);
      inner.define(s.var.name, { dtype: s.var.dtype }, true);
      return statements(s.body, inner);
    }
    case "IfThenElse":
      condition(s.condition, place);
      statements(s.then_body, place);
      return statements(s.else_body, place);
    case "SBlock": return block(s, place);
    case "BufferStore": return store(s, place);
    case "Bind":
      bound(s.var.dtype, s.value);
      expression(s.value, place);
      return place.define(s.var.name, { dtype: s.var.dtype });
    case "AllocBuffer":
      declared(s.buffer, place);
      if (s.init === null) return undefined;
      bound(s.buffer.dtype, s.init);
      return expression(s.init, place);
    case "DeclBuffer": return declared(s.buffer, place);
    case "AttrStmt":
      if (!s.key.startsWith("pragma_")) [s.node_, s.value].forEach((e) => e && expression(e, place)); // a pragma mentions, and uses nothing
      return statements(s.body, place);
    case "AssertStmt": return condition(s.condition, place);
    case "Evaluate": return evaluated(s.value, place);
    case "Return":
      if (isNumber(place.top.ret) && isNumber(dtypeOf(s.value)) && dtypeOf(s.value) !== place.top.ret) throw rejected("wf/return-dtype", dtypeOf(s.value));
      return expression(s.value, place);
    case "Break":
    case "Continue": return inLoop(place);
    default: throw unsupported(`the statement ${s.node}`);
  }
}

function inLoop(place) {
  if (!place.loop) throw rejected("wf/break-outside-loop", "");
}

function evaluated(e, place) {
  if (e.op === "break_loop" || e.op === "continue_loop") inLoop(place);
  expression(e, place);
}

/** What bounds a variable is a scalar integer of its dtype. */
function counted(variable, e, place) {
  if (!isScalarInteger(e)) throw rejected("wf/extent-integer", dtypeOf(e));
  bound(variable.dtype, e);
  expression(e, place);
}

function condition(e, place) {
  if (!isBool(dtype(dtypeOf(e)).element)) throw rejected("wf/condition-bool", dtypeOf(e));
  expression(e, place);
}

function forLoop(s, place) {
  [s.min, s.extent, ...(s.step === null ? [] : [s.step])].forEach((e) => counted(s.var, e, place));
  if ((s.kind === "thread_binding") !== (s.thread !== null)) throw rejected("wf/thread-tag", s.kind);
  const inner = new Place(place, { loop: true });
  inner.define(s.var.name, { dtype: s.var.dtype, loop: true });
  statements(s.body, inner);
}

/** A block with axes uses the loops around it only in bindings and predicate. */
function block(s, place) {
  for (const axis of s.iters) {
    if (!isScalarInteger(axis.binding)) throw rejected("wf/axis-binding", dtypeOf(axis.binding));
    [axis.min, axis.extent].forEach((e) => counted(axis.var, e, place));
    expression(axis.binding, place);
  }
  if (s.predicate !== null) condition(s.predicate, place);
  const inner = new Place(place);
  inner.fenced = s.iters.length > 0;
  for (const axis of s.iters) inner.define(axis.var.name, { dtype: axis.var.dtype });
  for (const buffer of s.allocs) declared(buffer, inner);
  for (const match of s.matches) {
    region(match.source, inner);
    defineBare([...match.buffer.strides, match.buffer.elem_offset], inner); // (no extents)
    declared(match.buffer, inner);
  }
  [...(s.reads ?? []), ...(s.writes ?? [])].forEach((r) => region(r, inner));
  if (s.init !== null) statements(s.init, inner);
  statements(s.body, inner);
}

function region({ buffer, ranges }, place) {
  const found = bufferOf(buffer, place);
  if (ranges.length !== found.shape.length) throw rejected("wf/region-rank", buffer);
  ranges.flat().forEach((e) => expression(e, place));
}

function bufferOf(name, place) {
  const found = place.buffer(name);
  if (found === undefined) throw rejected("wf/buffer-declared", name);
  return found;
}

function indexed(e, place) {
  const buffer = bufferOf(e.buffer, place);
  if (e.indices.length !== buffer.shape.length) throw rejected("wf/index-count", e.buffer);
  e.indices.forEach((i, k) => {
    if (!(k === e.indices.length - 1 ? isInteger(i) : isScalarInteger(i))) throw rejected("wf/index-integer", dtypeOf(i));
    expression(i, place);
  });
  if (e.predicate !== null) {
    if (isInteger(e.predicate)) expression(e.predicate, place);
    else condition(e.predicate, place);
  }
  return buffer;
}

/** What is loaded and stored has the buffer's dtype, with the lanes that the indices span. */
function element(e, name, place) {
  const buffer = indexed(e, place);
  const lanes = e.indices.reduce((n, i) => n * dtype(dtypeOf(i)).lanes, dtype(buffer.dtype).lanes);
  const value = dtype(name);
  if (value.element !== dtype(buffer.dtype).element || value.lanes !== lanes) throw rejected("wf/store-dtype", `${value.name} in ${buffer.dtype}`);
}

function store(s, place) {
  element(s, dtypeOf(s.value), place);
  expression(s.value, place);
}

/** What is cast keeps its lanes, what is repeated is a scalar, a ramp has integers of one dtype. */
function lanesFit(e) {
  const lanes = (x) => dtype(dtypeOf(x)).lanes;
  if (e.node === "Cast" && lanes(e) !== lanes(e.value)) throw rejected("wf/operand-dtypes", e.dtype);
  if (e.node === "Broadcast" && lanes(e.value) !== 1) throw rejected("wf/operand-dtypes", dtypeOf(e.value));
  if (e.node !== "Ramp") return;
  bound(dtypeOf(e.base), e.stride);
  if (!isScalarInteger(e.base)) throw rejected("wf/extent-integer", dtypeOf(e.base));
}

/** A call of a function of the module has the dtype that its head declares. */
function called(e, place) {
  const callee = place.top.functions.get(e.op.slice(4));
  if (callee.node === "PrimFunc" && isNumber(e.dtype) && e.dtype !== callee.ret) throw rejected("wf/return-dtype", e.dtype);
}

/** Names are in scope, operands fit, inside an expression. */
function expression(e, place) {
  switch (e.node) {
    case "SymVar": return used(e, place);
    case "BufferLoad": return element(e, e.dtype, place);
    case "BufferRef":
      return void bufferOf(e.buffer, place);
    case "RangeArg":
      if (e.buffer !== "") bufferOf(e.buffer, place);
      return e.ranges.flat().forEach((x) => expression(x, place));
    case "Let": {
      bound(e.var.dtype, e.value);
      expression(e.value, place);
      const inner = new Place(place);
      inner.define(e.var.name, { dtype: e.var.dtype });
      return expression(e.body, inner);
    }
    case "CommReducer": {
      const inner = new Place(place); // its parameters are its own
      for (const { name, dtype: at } of [...e.lhs, ...e.rhs]) inner.scalars.set(name, { dtype: at });
      return [...e.result, ...e.identity].forEach((part) => expression(part, inner));
    }
    case "Shuffle": shuffleLanes(e); break;
    case "Intrinsic":
      if (e.op.startsWith("cls.")) called(e, place);
      argumentCount(e);
      operandKinds(e);
      break;
    default:
      lanesFit(e);
      operandKinds(e);
  }
  const mentions = e.op === "tvm_thread_allreduce"; // the variables among its arguments are no uses
  for (const part of Object.values(e).flat()) if (part?.node !== undefined && !(mentions && part.node === "SymVar")) expression(part, place);
  return undefined;
}

/** The indices are constants that name lanes (wf/shuffle-lanes). */
function shuffleLanes(e) {
  const lanes = e.vectors.reduce((n, v) => n + dtype(dtypeOf(v)).lanes, 0);
  const fine = e.indices.every((i) => i.node === "Literal" && literal(i) >= 0n && literal(i) < BigInt(lanes));
  if (!fine) throw rejected("wf/shuffle-lanes", "");
}

/** A scalar variable is used in its scope, and a loop's not through the fence of a block with axes. */
function used({ name, dtype: found }, place) {
  let fenced = false;
  for (let at = place; at !== null; at = at.parent) {
    const about = at.scalars.get(name);
    if (about !== undefined) {
      if (fenced && about.loop) throw rejected("wf/block-var-access", name);
      if (about.dtype !== found && isNumber(about.dtype) && isNumber(found)) throw rejected("wf/symbol-dtype", name);
      return;
    }
    fenced = fenced || at.fenced === true;
  }
  throw rejected("wf/loop-var-defined", name);
}

module.exports = { loopsWellFormed };
