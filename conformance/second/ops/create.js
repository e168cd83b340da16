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

function arange([start, end, step], { dtype }) {
  const at = dtype;
  const [from, until, by] = [start, end, step].map((p) => Number(p.value));
  if (by === 0) throw open("op.arange/zero-step");
  const count = Math.max(0, Math.ceil((until - from) / by));
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
