// Elements by computed positions (spec ops/gather.md).
"use strict";
const { open } = require("../ends");
const { Tensor, Prim } = require("../values");
const { isFloat, round } = require("../dtypes");
const { axisOf, whole } = require("./common");
const types = require("../types/gather");

/** The place that an index names, or what stands there instead of an element. */
function place(p, n, mode) {
  if (mode !== "wrap" && mode !== "clip") return p;
  if (n === 0) throw open("op.take/empty-axis");
  return mode === "wrap" ? ((p % n) + n) % n : Math.min(Math.max(p, 0), n - 1);
}

function take([x, given], { axis, mode }) {
  const indices = given instanceof Prim ? new Tensor(given.dtype, [], [given.value]) : given;
  const at = axis === null ? 0 : axisOf(axis, x.shape.length);
  const n = x.shape[at];
  const [before, after] = [x.shape.slice(0, at), x.shape.slice(at + 1)];
  const rank = indices.shape.length;
  const outside = mode === "nan" && isFloat(x.dtype) ? round(NaN, x.dtype) : null;
  const places = new Map(indices.elements().map((p, k) => [k, place(whole(p), n, mode)]));
  const flat = new Tensor("int64", indices.shape, [...places.values()]);
  return Tensor.make(x.dtype, [...before, ...indices.shape, ...after], (i) => {
    const p = flat.at(i.slice(at, at + rank));
    return p >= 0 && p < n ? x.at([...i.slice(0, at), p, ...i.slice(at + rank)]) : outside;
  });
}

module.exports = { take: { type: types.take, run: take } };
