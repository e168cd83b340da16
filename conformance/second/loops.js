// Loop-level evaluation, on one thread (spec 07 "PrimFuncs", "Statements", "Blocks", "Buffers").
"use strict";
const { open, trapped, unsupported } = require("./ends");
const { Tensor, Prim } = require("./values");
const { Frame } = require("./frame");
const { evaluate, index } = require("./scalars");
const { Pointer, allocate, viewAt, defineSymbols, bindParameter } = require("./buffers");
const { block } = require("./blocks");
const { cast } = require("./numbers");

/** Call a PrimFunc with tensors for its buffers and numbers for its scalars. */
function callPrimFunc(machine, f, args) {
  if (args.length !== f.params.length) throw trapped("ev/arity");
  const frame = new Frame(machine);
  f.params.forEach((p, k) => scalarParameter(p, args[k], frame));
  f.params.forEach((p, k) => p.node === "BufferParam" && defineSymbols(p.buffer, args[k], frame));
  f.params.forEach((p, k) => p.node === "BufferParam" && frame.buffers.set(p.buffer.name, bindParameter(p.buffer, args[k], frame)));
  for (const buffer of f.root_allocs) frame.buffers.set(buffer.name, allocate(buffer, frame));
  const ended = statements(f.body, frame);
  if (f.ret === null || f.ret === "void") return [];
  if (ended?.returned === undefined) throw open("ev/prim-func-result");
  return new Prim(f.ret, ended.returned);
}

function scalarParameter(p, given, frame) {
  if (p.node !== "ScalarParam") return;
  if (given instanceof Tensor && p.var.dtype.startsWith("handle")) {
    frame.set(p.var.name, new Pointer(given.store, given.offset, given.dtype));
    return;
  }
  if (p.var.dtype.startsWith("handle")) throw unsupported("records of host code");
  if (!(given instanceof Prim)) throw trapped("ev/param-type");
  if (given.dtype !== p.var.dtype && !given.bare) throw trapped("ev/param-dtype");
  frame.set(p.var.name, cast(given.value, given.dtype, p.var.dtype));
}

const BREAK = { leave: true };
const CONTINUE = { leave: false };

/** Statements in order; gives what ended them early: a break, a continue, `{returned}`. */
function statements(list, frame) {
  for (const s of list) {
    const ended = statement(s, frame);
    if (ended !== undefined) return ended;
  }
  return undefined;
}

function statement(s, frame) {
  switch (s.node) {
    case "For": return forLoop(s, frame);
    case "While": return whileLoop(s, frame);
    case "LaunchThread": return repeat(s.var.name, 0n, evaluate(s.extent, frame), 1n, s.body, frame);
    case "IfThenElse": return statements(holds(s.condition, frame) ? s.then_body : s.else_body, frame.inner());
    case "SBlock": return block(s, frame, statements, holds);
    case "BufferStore": return frame.store(s);
    case "Bind": return frame.set(s.var.name, evaluate(s.value, frame));
    case "AllocBuffer": return allocBuffer(s, frame);
    case "DeclBuffer": return declBuffer(s, frame);
    case "AttrStmt": return statements(s.body, frame.inner());
    case "AssertStmt":
      if (!holds(s.condition, frame)) throw trapped("ld/assert-fails");
      return undefined;
    case "Evaluate": return evaluated(s.value, frame);
    case "Break": return BREAK;
    case "Continue": return CONTINUE;
    case "Return": return { returned: evaluate(s.value, frame) };
    default: throw unsupported(`the statement ${s.node}`);
  }
}

/** A condition; poison leaves the run open. */
function holds(e, frame) {
  const value = evaluate(e, frame);
  if (value === null) throw open("ev/if-statement", "poison decides");
  return value !== 0n;
}

function evaluated(e, frame) {
  switch (e.op) {
    case "ret": return { returned: evaluate(e.args[0], frame) };
    case "break_loop": return BREAK;
    case "continue_loop": return CONTINUE;
  }
  evaluate(e, frame);
  return undefined;
}

function forLoop(s, frame) {
  const min = evaluate(s.min, frame);
  const extent = evaluate(s.extent, frame);
  const step = s.step === null ? 1n : evaluate(s.step, frame);
  index(min);
  index(extent);
  if (step <= 0n) throw open("ld/loop-step");
  return repeat(s.var.name, min, min + extent, step, s.body, frame);
}

function repeat(name, from, until, step, body, frame) {
  for (let i = from; i < until; i += step) {
    const ended = statements(body, frame.with(name, i));
    if (ended === BREAK) break;
    if (ended !== undefined && ended !== CONTINUE) return ended;
  }
  return undefined;
}

function whileLoop(s, frame) {
  while (holds(s.condition, frame)) {
    const ended = statements(s.body, frame.inner());
    if (ended === BREAK) break;
    if (ended !== undefined && ended !== CONTINUE) return ended;
  }
  return undefined;
}

function allocBuffer(s, frame) {
  const buffer = allocate(s.buffer, frame);
  if (s.init !== null) buffer.store[0] = evaluate(s.init, frame);
  frame.buffers.set(s.buffer.name, buffer);
}

function declBuffer(s, frame) {
  const { data } = s.buffer;
  frame.buffers.set(s.buffer.name, data === null ? allocate(s.buffer, frame) : viewAt(s.buffer, evaluate(data, frame), frame));
}

module.exports = { callPrimFunc };
