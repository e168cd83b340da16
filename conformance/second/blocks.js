// Blocks (spec 07 "Blocks").
"use strict";
const { evaluate, index } = require("./scalars");
const { allocate, matchRegion } = require("./buffers");

/** One instance of a block (ev/block). `statements` and `holds` are those of the loops. */
function block(s, frame, statements, holds) {
  const bindings = s.iters.map((axis) => evaluate(axis.binding, frame));
  if (s.predicate !== null && !holds(s.predicate, frame)) return undefined;
  const inner = frame.inner();
  s.iters.forEach((axis, k) => inner.set(axis.var.name, bindings[k]));
  for (const buffer of s.allocs) inner.buffers.set(buffer.name, allocate(buffer, inner));
  for (const match of s.matches) inner.buffers.set(match.buffer.name, matchRegion(match, inner));
  if (s.init !== null && atStart(s, bindings, frame)) statements(s.init, inner);
  return statements(s.body, inner);
}

/** The init runs where every reduce axis is at the start of its domain (ev/block-init). */
function atStart(s, bindings, frame) {
  return s.iters.every((axis, k) => axis.kind !== "reduce" || index(bindings[k]) === index(evaluate(axis.min, frame)));
}

module.exports = { block };
