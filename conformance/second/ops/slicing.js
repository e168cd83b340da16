// Strided slices (spec ops/slicing.md).
"use strict";
const { open } = require("../ends");
const { Tensor } = require("../values");
const { axisOf, scalar, whole } = require("./common");
const types = require("../types/slicing");

/** First position, number of positions. A negative bound counts from the end, once, and is then clamped. */
function span(n, begin, end, stride, inbound) {
  if (stride === 0) throw open("op.strided_slice/zero-stride-run");
  const [low, high] = stride > 0 ? [0, n] : [-1, n - 1];
  if (inbound) {
    const out = (p) => p < 0 || p > n;
    if (out(begin) || out(end) || (stride < 0 && begin === n && end < n)) throw open("op.strided_slice/inbound");
  }
  const bound = (p) => Math.min(Math.max(p < 0 ? p + n : p, low), high);
  const [from, until] = [bound(begin), bound(end)];
  return [from, Math.max(0, Math.ceil((until - from) / stride))];
}

/** A slice by {axis: [begin, end, stride]}. */
function sliced(x, ranges, inbound) {
  const spans = x.shape.map((n, k) => (ranges.has(k) ? [...span(n, ...ranges.get(k), inbound), ranges.get(k)[2]] : [0, n, 1]));
  return Tensor.make(x.dtype, spans.map(([, count]) => count), (i) => x.at(spans.map(([from, , stride], k) => from + i[k] * stride)));
}

function stridedSlice([x, axes, begin, end, strides], { assume_inbound: inbound }) {
  const ranges = new Map();
  axes.forEach((axis, k) => {
    const step = strides === undefined ? 1 : scalar(strides[k]);
    ranges.set(axisOf(scalar(axis), x.shape.length), [scalar(begin[k]), scalar(end[k]), step]);
  });
  return sliced(x, ranges, inbound);
}

function dynamicStridedSlice([x, begin, end, strides]) {
  const numbers = (t) => t.elements().map(whole);
  const [b, e, s] = [begin, end, strides].map(numbers);
  return sliced(x, new Map(x.shape.map((_, k) => [k, [b[k], e[k], s[k]]])), false);
}

module.exports = {
  strided_slice: { type: types.stridedSlice, run: stridedSlice },
  dynamic_strided_slice: { type: types.dynamicStridedSlice, run: dynamicStridedSlice },
};
