// One-hot, meshgrid, reversed sequences (spec ops/spread.md).
"use strict";
const { open } = require("../ends");
const { Tensor } = require("../values");
const { axisOf, whole } = require("./common");
const { insert, without } = require("./lines");
const types = require("../types/spread");

function oneHot([indices, on, off], { depth, axis }) {
  const at = axisOf(axis, indices.shape.length + 1);
  return Tensor.make(on.dtype, insert(indices.shape, at, depth), (i) => {
    const index = indices.at(without(i, at));
    if (index === null) return null;
    return whole(index) === i[at] ? on.value : off.value;
  });
}

function meshgrid([vectors], { indexing }) {
  const axisFor = (k) => (indexing === "xy" && k < 2 && vectors.length > 1 ? 1 - k : k);
  const shape = vectors.map((_, axis) => vectors[axisFor(axis)].shape[0]);
  return vectors.map((v, k) => Tensor.make(v.dtype, shape, (i) => v.at([i[axisFor(k)]])));
}

function reverseSequence([x, lengths], { seq_axis: seq, batch_axis: batch }) {
  const [s, b] = [axisOf(seq, x.shape.length), axisOf(batch, x.shape.length)];
  const counts = lengths.elements().map(whole);
  if (counts.length !== x.shape[b] || counts.some((n) => n < 0 || n > x.shape[s])) throw open("op.reverse_sequence/length-range");
  return Tensor.make(x.dtype, x.shape, (i) => {
    const n = counts[i[b]];
    return i[s] < n ? x.at(i.map((p, k) => (k === s ? n - 1 - p : p))) : x.at(i);
  });
}

module.exports = {
  one_hot: { type: types.oneHot, run: oneHot },
  meshgrid: { type: types.meshgrid, run: meshgrid },
  reverse_sequence: { type: types.reverseSequence, run: reverseSequence },
};
