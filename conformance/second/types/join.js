// Types of concatenation, splitting, repetition (spec ops/join.md).
"use strict";
const { rejected } = require("../ends");
const { provablyEqual } = require("../shapes");
const { tensor, tuple, int, plus, minus, times, over, fixed, known, least, greatest, productOf } = require("./build");
const { tensorArgument, tensors, dims, axisIn, oneDtype, anyDevice, differ, like } = require("./common");

const replaced = (shape, axis, d) => shape.map((old, k) => (k === axis ? d : old));

function ranks(types) {
  const known = types.map((t) => t.ndim).filter((n) => n >= 0);
  if (known.some((n) => n !== known[0])) throw rejected("op.join/equal-ranks", known.join());
  return known[0] ?? -1;
}

function agree(types, axis) {
  const shapes = types.map(dims).filter((s) => s !== null);
  for (const shape of shapes) {
    if (shape.some((d, k) => k !== axis && differ(d, shapes[0][k]))) throw rejected("op.common/same-dims", "");
  }
  const common = (shape) => shape.every((d, k) => k === axis || provablyEqual(d, shapes[0][k]));
  return shapes.length === types.length && shapes.every(common) ? shapes : null;
}

function concat([given], { axis }) {
  const types = tensors(given);
  const dtype = oneDtype(types);
  const rank = ranks(types);
  if (axis === null && rank >= 0 && rank !== 1) throw rejected("op.concat/flat", String(rank));
  const at = axisIn(axis ?? 0, rank);
  const shapes = agree(types, at);
  if (types.length === 1) return types[0];
  if (shapes === null) return tensor(null, dtype, rank, anyDevice(types));
  const total = shapes.map((s) => s[at]).reduce(plus);
  return tensor(replaced(shapes[0], at, total), dtype, rank, anyDevice(types));
}

function stack([given], { axis }) {
  const types = tensors(given);
  const dtype = oneDtype(types);
  const rank = ranks(types);
  if (rank < 0) return tensor(null, dtype, -1, anyDevice(types));
  const at = axisIn(axis ?? 0, rank + 1);
  const shapes = agree(types, -1);
  if (shapes === null) return tensor(null, dtype, rank + 1, anyDevice(types));
  return tensor([...shapes[0].slice(0, at), int(types.length), ...shapes[0].slice(at)], dtype, rank + 1, anyDevice(types));
}

function split([x], { indices_or_sections: given, axis }) {
  const type = tensorArgument(x);
  const at = axisIn(axis, type.ndim);
  const shape = dims(type);
  const pieces = Array.isArray(given) ? cuts(shape, at, given) : sections(shape, at, given);
  if (pieces.length === 1) return type;
  const piece = (d) => (shape === null ? like(type, null, type.dtype, type.ndim) : like(type, replaced(shape, at, d)));
  return tuple(pieces.map(piece));
}

function cuts(shape, at, given) {
  const end = shape === null ? int(0) : shape[at];
  const clamp = (p) => greatest(int(0), least(int(p), end));
  const places = [int(0), ...given.map(clamp), end];
  return places.slice(1).map((p, k) => greatest(int(0), minus(p, places[k])));
}

function sections(shape, at, count) {
  if (count <= 0) throw rejected("op.split/sections", String(count));
  if (shape === null) return new Array(count).fill(null);
  const n = shape[at];
  const each = over(plus(n, int(count - 1)), int(count));
  const last = minus(n, times(each, int(count - 1)));
  if (known(last) < 0) throw rejected("op.split/sections", `${fixed(n)} by ${count}`);
  return Array.from({ length: count }, (_, k) => (k < count - 1 ? each : last));
}

function repeat([x], { repeats, axis }) {
  const type = tensorArgument(x);
  const shape = dims(type);
  if (axis === null) return like(type, shape === null ? null : [times(productOf(shape), int(repeats))], type.dtype, 1);
  const at = axisIn(axis, type.ndim);
  return shape === null ? like(type, null, type.dtype, type.ndim) : like(type, replaced(shape, at, times(shape[at], int(repeats))));
}

function tile([x], { repeats }) {
  const type = tensorArgument(x);
  if (type.ndim < 0) return like(type, null);
  const rank = Math.max(type.ndim, repeats.length);
  const shape = dims(type);
  if (shape === null) return like(type, null, type.dtype, rank);
  const fill = (list, one) => [...new Array(rank - list.length).fill(one), ...list];
  const all = fill(repeats, 1);
  return like(type, fill(shape, int(1)).map((d, k) => times(d, int(all[k]))));
}

function flip([x], { axis }) {
  const type = tensorArgument(x);
  axisIn(axis, type.ndim);
  return type;
}

module.exports = { concat, stack, split, repeat, tile, flip };
