// What operators share (spec ops/common.md).
"use strict";
const { open } = require("../ends");
const { Tensor, Prim } = require("../values");
const { dtype, isFloat } = require("../dtypes");
const { cast } = require("../numbers");

/** An axis, counted from the end where it is negative. */
const axisOf = (axis, rank) => (axis < 0 ? axis + rank : axis);

/** An operand: a scalar next to a tensor counts as a tensor of shape (1,). */
const asTensor = (x) => (x instanceof Prim ? new Tensor(x.dtype, [1], [x.value]) : x);

/** The extents of broadcast operands (op.common/broadcast). */
function broadcastShape(...shapes) {
  const rank = Math.max(...shapes.map((s) => s.length));
  return Array.from({ length: rank }, (_, k) => {
    let found = 1;
    for (const shape of shapes) {
      const n = shape[k - rank + shape.length];
      if (n === undefined || n === 1) continue;
      if (found !== 1 && found !== n) throw open("op.common/broadcast-run");
      found = n;
    }
    return found;
  });
}

/** The element of a tensor that broadcasting puts at a position. */
function broadcastAt(x, index) {
  const skip = index.length - x.shape.length;
  return x.at(x.shape.map((n, k) => (n === 1 ? 0 : index[k + skip])));
}

/** The dtype in which two meet: a number before a bool, a float before an integer, the wider, the unsigned (op.binary/meeting-dtype). */
function meeting(p, q) {
  if (p === q) return p;
  if (isFloat(p) !== isFloat(q)) return isFloat(p) ? p : q;
  const [a, b] = [dtype(p), dtype(q)];
  if (a.bits !== b.bits) return a.bits > b.bits ? p : q;
  if (isFloat(p)) throw open("op.binary/meeting-dtype");
  return a.signed ? q : p;
}

function convert(x, to) {
  return Tensor.make(to, x.shape, (i) => cast(x.at(i), x.dtype, to));
}

const product = (shape) => shape.reduce((a, b) => a * b, 1);

/** The number of a scalar argument. */
const scalar = (x) => Number(x.value);

const whole = (x) => {
  if (x === null) throw open("op.common/integer-positions", "poison");
  if (typeof x !== "bigint") throw open("op.common/integer-positions");
  return Number(x);
};

module.exports = { axisOf, asTensor, broadcastShape, broadcastAt, product, scalar, whole, convert, meeting };
