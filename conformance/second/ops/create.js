// Tensors from numbers and positions (spec ops/create.md).
"use strict";
const { open } = require("../ends");
const { Tensor } = require("../values");
const { isFloat, round, fromInteger, wrap } = require("../dtypes");
const { binary, cast } = require("../numbers");
const types = require("../types/create");

const number = (n, dtype) => (isFloat(dtype) ? fromInteger(BigInt(n), dtype) : wrap(BigInt(n), dtype));
const filled = (shape, dtype, element) => Tensor.make(dtype, shape, () => element);

function full(shape, fill, dtype) {
  return filled(shape, dtype ?? fill.dtype, cast(fill.at([]), fill.dtype, dtype ?? fill.dtype));
}

function eye(n, m, k, dtype) {
  return Tensor.make(dtype, [n, m], ([i, j]) => number(j - i === k ? 1 : 0, dtype));
}

function triangle(keeps) {
  return ([x, k]) => {
    const zero = number(0, x.dtype);
    const offset = Number(k.value);
    return Tensor.make(x.dtype, x.shape, (index) => {
      const [i, j] = index.slice(-2);
      return keeps(j - i, offset) ? x.at(index) : zero;
    });
  };
}

/** How many of start, start + step, … lie before the end: of integers and literals exactly, else in steps of float32. */
function positionsOf(ends, call) {
  const written = call.args.every((a) => a.value.node === "Literal");
  if (!written && ends.some((p) => isFloat(p.dtype))) {
    const [a, b, by] = ends.map((p) => cast(p.value, p.dtype, "float32"));
    return Math.max(0, Math.ceil(Math.fround(Math.fround(b - a) / by)));
  }
  let scale = 1;
  while (!ends.every((p) => !isFloat(p.dtype) || Number.isInteger(p.value * scale))) scale *= 2;
  const [a, b, by] = ends.map((p) => (isFloat(p.dtype) ? BigInt(p.value * scale) : p.value * BigInt(scale)));
  const [n, d] = by > 0n ? [b - a, by] : [a - b, -by];
  return n > 0n ? Number((n + d - 1n) / d) : 0;
}

function arange([start, end, step], { dtype }, _, call) {
  const at = dtype;
  const [from, until, by] = [start, end, step].map((p) => Number(p.value));
  if (by === 0 || ![from, until, by].every(Number.isFinite)) throw open("op.arange/zero-step");
  const count = positionsOf([start, end, step], call);
  const element = (p) => cast(p.value, p.dtype, at);
  return Tensor.make(at, [count], ([i]) => binary("add", element(start), binary("mul", number(i, at), element(step), at), at));
}

function hammingWindow([size, periodic, alpha, beta], { dtype }) {
  const n = Number(size.value);
  if (n === 1) return Tensor.make(dtype, [1], () => 1);
  const m = periodic.value !== 0n ? n : n - 1;
  return Tensor.make(dtype, [n], ([i]) => round(alpha.value - beta.value * Math.cos((2 * Math.PI * i) / m), dtype));
}

module.exports = {
  full: { type: types.full, run: ([{ dims }, fill], { dtype }) => full(dims, fill, dtype) },
  full_like: { type: types.fullLike, run: ([x, fill], { dtype }) => full(x.shape, fill, dtype ?? x.dtype) },
  ones: { type: types.filled, run: ([{ dims }], { dtype }) => filled(dims, dtype, number(1, dtype)) },
  zeros: { type: types.filled, run: ([{ dims }], { dtype }) => filled(dims, dtype, number(0, dtype)) },
  ones_like: { type: types.like, run: ([x], { dtype }) => filled(x.shape, dtype ?? x.dtype, number(1, dtype ?? x.dtype)) },
  zeros_like: { type: types.like, run: ([x], { dtype }) => filled(x.shape, dtype ?? x.dtype, number(0, dtype ?? x.dtype)) },
  eye: { type: types.eye, run: ([n, m, k], { dtype }) => eye(Number(n.value), Number(m.value), Number(k.value), dtype) },
  eye_like: { type: types.eyeLike, run: ([x, k], { dtype }) => eye(x.shape[0], x.shape[1], Number(k.value), dtype ?? x.dtype) },
  arange: { type: types.arange, run: arange },
  tril: { type: types.triangle, run: triangle((away, k) => away <= k) },
  triu: { type: types.triangle, run: triangle((away, k) => away >= k) },
  hamming_window: { type: types.hamming, run: hammingWindow },
};
