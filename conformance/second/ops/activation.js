// Activation functions (spec ops/activation.md). Each is computed in double precision and rounded once.
"use strict";
const { open } = require("../ends");
const { Tensor } = require("../values");
const { isFloat, round, literal } = require("../dtypes");
const { binary } = require("../numbers");
const { REAL } = require("../functions");
const { axisOf } = require("./common");
const { lines } = require("./lines");
const types = require("../types/elementwise");

/** A number among the attributes: a literal, or a number of JSON. */
const real = (x) => (typeof x === "number" ? x : literal(x));

function pointwise(f, type = types.float) {
  return {
    type,
    run: ([x], attrs) => {
      if (!isFloat(x.dtype)) throw open("num/no-operation");
      return Tensor.make(x.dtype, x.shape, (i) => (x.at(i) === null ? null : round(f(x.at(i), attrs), x.dtype)));
    },
  };
}

const SELU = { alpha: 1.6732632423543772, scale: 1.0507009873554805 };

function softplus(x, attrs) {
  const beta = real(attrs.beta);
  return beta * x > real(attrs.threshold) ? x : Math.log1p(Math.exp(beta * x)) / beta;
}

function geluTanh(x) {
  const inner = Math.sqrt(2 / Math.PI) * x * (1 + 0.044715 * x * x);
  return 0.5 * x * (1 + Math.tanh(inner));
}

/** exp(x - max) along a line, and its sum. */
function exponentials(line) {
  const max = line.reduce((a, b) => Math.max(a, b), -Infinity);
  const powers = line.map((x) => Math.exp(x - max));
  return { max, powers, sum: powers.reduce((a, b) => a + b, 0) };
}

function softmax(line) {
  const { powers, sum } = exponentials(line);
  return powers.map((p) => p / sum);
}

function logSoftmax(line) {
  const { max, sum } = exponentials(line);
  return line.map((x) => x - max - Math.log(sum));
}

function alongLines(f) {
  return {
    type: types.softmax,
    run: ([x], { axis }) =>
      lines(x, axisOf(axis, x.shape.length), x.dtype, (line) =>
        line.includes(null) ? line.map(() => null) : f(line).map((v) => round(v, x.dtype))),
  };
}

function prelu([x, alpha], { axis }) {
  const at = axisOf(axis, x.shape.length);
  if (alpha.shape.length !== 1 || (alpha.shape[0] !== 1 && alpha.shape[0] !== x.shape[at])) throw open("op.nn.prelu/alpha-extent");
  return Tensor.make(x.dtype, x.shape, (i) => {
    const slope = alpha.at([alpha.shape[0] === 1 ? 0 : i[at]]);
    const value = x.at(i);
    if (value === null) return null;
    return value > 0 ? value : binary("mul", value, slope, x.dtype);
  });
}

module.exports = {
  "nn.relu": { type: types.same, run: ([x]) => Tensor.make(x.dtype, x.shape, (i) => binary("max", x.at(i), isFloat(x.dtype) ? 0 : 0n, x.dtype)) },
  "nn.leakyrelu": pointwise((x, attrs) => (x > 0 ? x : x * real(attrs.alpha))),
  "nn.silu": pointwise((x) => x / (1 + Math.exp(-x))),
  "nn.gelu": pointwise((x) => x * (0.5 + 0.5 * REAL.erf(x * Math.SQRT1_2))),
  "nn.gelu_tanh": pointwise(geluTanh),
  "nn.selu": pointwise((x) => SELU.scale * (x > 0 ? x : SELU.alpha * Math.expm1(x))),
  "nn.softplus": pointwise(softplus),
  "nn.prelu": { type: types.prelu, run: prelu },
  "nn.softmax": alongLines(softmax),
  "nn.log_softmax": alongLines(logSoftmax),
};
