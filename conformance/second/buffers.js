// Buffers as views of memory (spec 07 "PrimFuncs", "Buffers"; 08).
"use strict";
const { open, trapped, unsupported } = require("./ends");
const { Tensor, rowMajor } = require("./values");
const { evaluate, index } = require("./scalars");

/** Where data begins: memory and a place in it, counted in elements of a dtype, of which `length` are meant. */
class Pointer {
  constructor(store, place, dtype, length = store.length - place) {
    Object.assign(this, { store, place, dtype, length });
  }
}

const extents = (list, frame) => list.map((d) => index(evaluate(d, frame)));

/** Fresh memory for a buffer, every element poison (ev/alloc-buffer). */
function allocate(buffer, frame) {
  const shape = extents(buffer.shape, frame);
  if (shape.some((n) => n < 0)) throw open("ld/allocation-extent");
  const strides = buffer.strides.length > 0 ? extents(buffer.strides, frame) : rowMajor(shape);
  const offset = buffer.elem_offset === null ? 0 : index(evaluate(buffer.elem_offset, frame));
  const last = shape.reduce((at, n, k) => at + (n - 1) * strides[k], offset);
  const size = shape.includes(0) ? offset : last + 1;
  return new Tensor(buffer.dtype, shape, new Array(size).fill(null), strides, offset);
}

/** A view of memory that exists (ev/decl-buffer). */
function viewAt(buffer, pointer, frame) {
  if (!(pointer instanceof Pointer)) throw open("ld/unknown-handle");
  if (pointer.dtype !== buffer.dtype) throw unsupported("a view at another dtype");
  const shape = extents(buffer.shape, frame);
  const strides = buffer.strides.length > 0 ? extents(buffer.strides, frame) : rowMajor(shape);
  const offset = buffer.elem_offset === null ? 0 : index(evaluate(buffer.elem_offset, frame));
  return new Tensor(buffer.dtype, shape, pointer.store, strides, pointer.place + offset, pointer.place);
}

/** A dimension, stride or offset that is a plain symbol is defined by its first occurrence (ev/buffer-param-symbols). */
function defineFrom(e, value, frame) {
  if (e !== null && e.node === "SymVar" && !frame.has(e.name)) frame.set(e.name, BigInt(value));
}

/** Bind the symbols of a buffer parameter. */
function defineSymbols(buffer, given, frame) {
  if (!(given instanceof Tensor)) return;
  if (given.shape.length !== buffer.shape.length) throw trapped("ev/buffer-param-rank");
  buffer.shape.forEach((d, k) => defineFrom(d, given.shape[k], frame));
  buffer.strides.forEach((d, k) => defineFrom(d, given.strides[k], frame));
  defineFrom(buffer.elem_offset, given.offset - given.base, frame);
}

/** A buffer parameter as a view of its argument. */
function bindParameter(buffer, given, frame) {
  if (!(given instanceof Tensor)) throw trapped("ev/buffer-param-rank", "no tensor");
  if (given.dtype !== buffer.dtype) throw trapped("ev/buffer-param-dtype");
  const shape = extents(buffer.shape, frame);
  if (shape.some((n, k) => n !== given.shape[k])) throw trapped("ev/buffer-param-shape");
  const base = buffer.elem_offset === null ? given.offset : given.base; // ev/data-pointer
  return new Tensor(buffer.dtype, shape, given.store, given.strides, given.offset, base);
}

/** A view of a region (ev/match-buffer-region): axes of extent 1 that the view lacks are left out. */
function matchRegion(match, frame) {
  const source = frame.buffer(match.source.buffer);
  const starts = match.source.ranges.map(([min]) => index(evaluate(min, frame)));
  const buffer = match.buffer;
  const drop = starts.length - buffer.shape.length;
  const strides = source.strides.slice(drop);
  const offset = source.place(starts);
  buffer.strides.forEach((d, k) => defineFrom(d, strides[k], frame));
  defineFrom(buffer.elem_offset, offset - source.base, frame);
  const shape = extents(buffer.shape, frame);
  return new Tensor(buffer.dtype, shape, source.store, strides, offset, buffer.elem_offset === null ? offset : source.base);
}

const inside = (buffer, at) => at.every((i, k) => i >= 0 && i < buffer.shape[k]) && buffer.place(at) >= 0 && buffer.place(at) < buffer.store.length;

module.exports = { Pointer, allocate, viewAt, defineSymbols, bindParameter, matchRegion, inside };
