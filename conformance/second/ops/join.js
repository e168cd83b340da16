// Several tensors into one, one into several, repetition (spec ops/join.md).
"use strict";
const { open } = require("../ends");
const { Tensor } = require("../values");
const { axisOf } = require("./common");
const { flat, insert, without } = require("./lines");
const types = require("../types/join");

const replaced = (index, axis, n) => index.map((i, k) => (k === axis ? n : i));

/** Extents agree on all axes but one. */
function agree(tensors, axis) {
  for (const { shape } of tensors) {
    const same = shape.length === tensors[0].shape.length && shape.every((n, k) => k === axis || n === tensors[0].shape[k]);
    if (!same) throw open("op.join/equal-extents");
  }
}

function concat([tensors], { axis }) {
  const at = axisOf(axis ?? 0, tensors[0].shape.length);
  agree(tensors, at);
  const total = tensors.reduce((sum, t) => sum + t.shape[at], 0);
  return Tensor.make(tensors[0].dtype, replaced(tensors[0].shape, at, total), (i) => {
    let place = i[at];
    for (const t of tensors) {
      if (place < t.shape[at]) return t.at(replaced(i, at, place));
      place -= t.shape[at];
    }
    return null;
  });
}

function stack([tensors], { axis }) {
  const at = axisOf(axis ?? 0, tensors[0].shape.length + 1);
  agree(tensors, -1);
  return Tensor.make(tensors[0].dtype, insert(tensors[0].shape, at, tensors.length), (i) => tensors[i[at]].at(without(i, at)));
}

/** Where the pieces begin and end: cut at the given places, or into sections of ceil(n / sections). */
function cuts(n, given) {
  if (Array.isArray(given)) {
    const places = [0, ...given.map((p) => Math.min(Math.max(p, 0), n)), n];
    return places.slice(1).map((end, k) => [places[k], Math.max(places[k], end)]);
  }
  const each = Math.ceil(n / given);
  if (each * (given - 1) > n) throw open("op.split/sections"); // the last one would have a negative extent
  return Array.from({ length: given }, (_, k) => [Math.min(k * each, n), Math.min((k + 1) * each, n)]);
}

function split([x], { indices_or_sections: given, axis }) {
  const at = axisOf(axis, x.shape.length);
  const pieces = cuts(x.shape[at], given);
  if (pieces.length === 1) return x;
  return pieces.map(([from, until]) =>
    Tensor.make(x.dtype, replaced(x.shape, at, until - from), (i) => x.at(replaced(i, at, i[at] + from))));
}

function repeat([given], { repeats, axis }) {
  const x = axis === null ? flat(given) : given;
  const at = axis === null ? 0 : axisOf(axis, x.shape.length);
  return Tensor.make(x.dtype, replaced(x.shape, at, x.shape[at] * repeats), (i) => x.at(replaced(i, at, Math.floor(i[at] / repeats))));
}

function tile([x], { repeats }) {
  const rank = Math.max(x.shape.length, repeats.length);
  const fill = (list) => [...new Array(rank - list.length).fill(1), ...list];
  const [extents, times] = [fill(x.shape), fill(repeats)];
  const skip = rank - x.shape.length;
  return Tensor.make(x.dtype, extents.map((n, k) => n * times[k]), (i) => x.at(x.shape.map((n, k) => i[k + skip] % n)));
}

function flip([x], { axis }) {
  const at = axisOf(axis, x.shape.length);
  return Tensor.make(x.dtype, x.shape, (i) => x.at(replaced(i, at, x.shape[at] - 1 - i[at])));
}

module.exports = {
  concat: { type: types.concat, run: concat },
  stack: { type: types.stack, run: stack },
  split: { type: types.split, run: split },
  repeat: { type: types.repeat, run: repeat },
  tile: { type: types.tile, run: tile },
  flip: { type: types.flip, run: flip },
};
