// Matrix products (spec ops/linear.md, ops/einsum.md).
"use strict";
const { open } = require("../ends");
const { Tensor, positions } = require("../values");
const { isFloat } = require("../dtypes");
const { binary, cast } = require("../numbers");
const { broadcastShape, product, convert, meeting } = require("./common");

const types = require("../types/linear");

/** A vector is a row on the left, a column on the right. */
function asMatrix(x, left) {
  if (x.shape.length > 1) return x;
  return new Tensor(x.dtype, left ? [1, x.shape[0]] : [x.shape[0], 1], x.elements());
}

function matmul([x, y], { out_dtype: wanted }) {
  const dtype = wanted ?? x.dtype;
  const at = meeting(x.dtype, y.dtype);
  const [a, b] = [asMatrix(convert(x, at), true), asMatrix(convert(y, at), false)];
  const [n, length] = a.shape.slice(-2);
  const [rows, m] = b.shape.slice(-2);
  if (length !== rows) throw open("op.matmul/reduction-length-run");
  const batch = broadcastShape(a.shape.slice(0, -2), b.shape.slice(0, -2));
  const result = Tensor.make(dtype, [...batch, n, m], (index) => {
    const [i, j] = index.slice(-2);
    const outer = index.slice(0, -2);
    let sum = isFloat(dtype) ? 0 : 0n;
    for (let k = 0; k < length; k++) {
      const p = cast(matrixAt(a, outer, i, k), at, dtype);
      const q = cast(matrixAt(b, outer, k, j), at, dtype);
      sum = binary("add", sum, binary("mul", p, q, dtype), dtype);
    }
    return sum;
  });
  const shape = [...batch, ...(x.shape.length > 1 ? [n] : []), ...(y.shape.length > 1 ? [m] : [])];
  return new Tensor(dtype, shape, result.elements());
}

function matrixAt(x, outer, i, j) {
  const dims = x.shape.slice(0, -2);
  const skip = outer.length - dims.length;
  return x.at([...dims.map((n, k) => (n === 1 ? 0 : outer[k + skip])), i, j]);
}

function outer([x, y]) {
  const at = meeting(x.dtype, y.dtype);
  const [a, b] = [convert(x, at), convert(y, at)];
  return convert(Tensor.make(at, [a.shape[0], b.shape[0]], ([i, j]) => binary("mul", a.at([i]), b.at([j]), at)), x.dtype);
}

/** The sum over the axes that broadcasting to the argument's shape would have added or stretched. */
function collapse(x, target) {
  const skip = x.shape.length - target.length;
  if (skip < 0 || target.some((n, k) => n !== 1 && n !== x.shape[k + skip])) throw open("op.collapse_sum/extents");
  const zero = isFloat(x.dtype) ? 0 : 0n;
  const out = new Tensor(x.dtype, target, new Array(product(target)).fill(zero));
  for (const i of positions(x.shape)) {
    const at = out.place(target.map((n, k) => (n === 1 ? 0 : i[k + skip])));
    out.store[at] = binary("add", out.store[at], x.at(i), x.dtype);
  }
  return out;
}

module.exports = {
  matmul: { type: types.matmul, run: matmul },
  outer: { type: types.outer, run: outer },
  collapse_sum_to: { type: types.collapseTo, run: ([x, { dims }]) => collapse(x, dims) },
  collapse_sum_like: { type: types.collapseLike, run: ([x, y]) => collapse(x, y.shape) },
};
