// Reductions over axes, positions of extremes (spec ops/reduce.md).
"use strict";
const { open } = require("../ends");
const { Tensor, positions } = require("../values");
const { isFloat, isBool, fromInteger } = require("../dtypes");
const { binary } = require("../numbers");
const { unary } = require("../functions");
const { axisOf } = require("./common");
const { order } = require("./order");
const types = require("../types/reduce");

const axes = (axis, rank) => (axis === null ? [...Array(rank).keys()] : [axis].flat().map((a) => axisOf(a, rank)));

/** `f(items)` for the items on the reduced axes, in increasing order of their positions. */
function reduce(x, { axis, keepdims }, dtype, f) {
  const gone = new Set(axes(axis, x.shape.length));
  const inner = x.shape.filter((_, k) => gone.has(k));
  const kept = x.shape.map((n, k) => (gone.has(k) ? 1 : n));
  const shape = keepdims ? kept : kept.filter((_, k) => !gone.has(k));
  return Tensor.make(dtype, shape, (place) => {
    const outer = keepdims ? place.filter((_, k) => !gone.has(k)) : place;
    const items = Array.from(positions(inner), (at) => {
      const [a, b] = [at.slice(), outer.slice()];
      return x.at(x.shape.map((_, k) => (gone.has(k) ? a.shift() : b.shift())));
    });
    return f(items);
  });
}

const one = (dtype) => (isFloat(dtype) ? 1 : 1n);
const zero = (dtype) => (isFloat(dtype) ? 0 : 0n);
const fold = (op, items, start, dtype) => items.reduce((a, b) => binary(op, a, b, dtype), start);

function mean(items, dtype) {
  if (isBool(dtype)) throw open("op.reduce/arithmetic-dtype");
  if (items.length === 0) return null;
  const count = BigInt(items.length);
  return binary("div", fold("add", items, zero(dtype), dtype), isFloat(dtype) ? fromInteger(count, dtype) : count, dtype);
}

function variance(items, dtype) {
  const middle = mean(items, dtype);
  const squares = items.map((x) => {
    const away = binary("sub", x, middle, dtype);
    return binary("mul", away, away, dtype);
  });
  return mean(squares, dtype);
}

function deviation(items, dtype) {
  if (!isFloat(dtype)) throw open("op.reduce/arithmetic-dtype");
  return unary("sqrt", variance(items, dtype), dtype);
}

/** The first position of the extreme; the first NaN where there is one. */
function position(items, better) {
  if (items.length === 0 || items.includes(null)) return null;
  const nan = items.findIndex((x) => Number.isNaN(x));
  if (nan >= 0) return BigInt(nan);
  let found = 0;
  items.forEach((x, k) => {
    if (better(x, items[found])) found = k;
  });
  return BigInt(found);
}

/** The lower middle of the sorted items. */
function median(items) {
  if (items.length === 0 || items.includes(null)) return null;
  const sorted = order(items, false).map((k) => items[k]);
  return sorted[Math.floor((items.length - 1) / 2)];
}

const definition = (f, type = types.reduction) => ({ type, run: ([x], attrs) => reduce(x, attrs, x.dtype, (items) => f(items, x.dtype)) });
const argument = (better) => ({ type: types.position, run: ([x], attrs) => reduce(x, attrs, "int64", (items) => position(items, better)) });
const extreme = (op) => definition((items, dtype) => (items.length === 0 ? null : fold(op, items.slice(1), items[0], dtype)));

module.exports = {
  sum: definition((items, dtype) => fold("add", items, zero(dtype), dtype)),
  prod: definition((items, dtype) => fold("mul", items, one(dtype), dtype)),
  max: extreme("max"),
  min: extreme("min"),
  mean: definition(mean),
  variance: definition(variance),
  std: definition(deviation),
  argmax: argument((a, b) => a > b),
  argmin: argument((a, b) => a < b),
  median: {
    type: types.median,
    run: ([x], attrs) => {
      if (Array.isArray(attrs.axis) && attrs.axis.length !== 1) throw open("op.median/one-axis");
      return medianOf(x, attrs);
    },
  },
};

function medianOf(x, attrs) {
  const values = reduce(x, attrs, x.dtype, median);
  if (attrs.axis === null || [attrs.axis].flat().length === 0) return values;
  const places = reduce(x, attrs, "int64", (items) => {
    const middle = median(items);
    return middle === null ? null : BigInt(order(items, false)[Math.floor((items.length - 1) / 2)]);
  });
  return [values, places];
}
