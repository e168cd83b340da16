// Tensors line by line along an axis.
"use strict";
const { Tensor, positions } = require("../values");

/** The tensor made of `f(line)` for every line of `x` along `axis`; the new lines may have another length. */
function lines(x, axis, dtype, f, length = x.shape[axis]) {
  const outer = x.shape.filter((_, k) => k !== axis);
  const made = new Map();
  for (const place of positions(outer)) {
    made.set(place.join(), f(Array.from({ length: x.shape[axis] }, (_, n) => x.at(insert(place, axis, n))), place));
  }
  const shape = x.shape.map((n, k) => (k === axis ? length : n));
  return Tensor.make(dtype, shape, (i) => made.get(without(i, axis).join())[i[axis]]);
}

const insert = (place, axis, n) => [...place.slice(0, axis), n, ...place.slice(axis)];
const without = (place, axis) => place.filter((_, k) => k !== axis);

/** The tensor as one line. */
const flat = (x) => new Tensor(x.dtype, [x.size], x.elements());

module.exports = { lines, insert, without, flat };
