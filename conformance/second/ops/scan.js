// Running sums, sorting and searching (spec ops/scan.md).
"use strict";
const { open } = require("../ends");
const { Tensor, positions } = require("../values");
const { isFloat, isBool } = require("../dtypes");
const { binary, cast } = require("../numbers");
const { axisOf, convert, meeting } = require("./common");
const { lines, flat } = require("./lines");
const { order } = require("./order");
const types = require("../types/scan");

function running(op, start) {
  return ([given], { axis, dtype, exclusive }) => {
    const x = axis === null ? flat(given) : given;
    const at = dtype ?? x.dtype;
    if (isBool(at)) throw open("op.reduce/arithmetic-dtype");
    return lines(x, axis === null ? 0 : axisOf(axis, x.shape.length), at, (line) => {
      let total = isFloat(at) ? start : BigInt(start);
      return line.map((element) => {
        const before = total;
        total = binary(op, total, cast(element, x.dtype, at), at);
        return exclusive ? before : total;
      });
    });
  };
}

const sorted = (line, descending) => (line.includes(null) ? null : order(line, descending));

function sort([x], { axis, descending }) {
  return lines(x, axisOf(axis, x.shape.length), x.dtype, (line) => sorted(line, descending)?.map((k) => line[k]) ?? line.map(() => null));
}

function argsort([x], { axis, descending, dtype }) {
  return lines(x, axisOf(axis, x.shape.length), dtype, (line) => sorted(line, descending)?.map((k) => number(k, dtype)) ?? line.map(() => null));
}

const number = (k, dtype) => cast(BigInt(k), "int64", dtype);

function topk([x], { k, axis, ret_type: wanted, largest, dtype }) {
  const at = axisOf(axis, x.shape.length);
  const count = k <= 0 ? x.shape[at] : Math.min(k, x.shape[at]);
  const first = (line) => sorted(line, largest)?.slice(0, count);
  const none = () => new Array(count).fill(null);
  const values = lines(x, at, x.dtype, (line) => first(line)?.map((p) => line[p]) ?? none(), count);
  const indices = lines(x, at, dtype, (line) => first(line)?.map((p) => number(p, dtype)) ?? none(), count);
  return wanted === "both" ? [values, indices] : wanted === "values" ? values : indices;
}

function bucketize([x, boundaries], { out_int32: narrow, right }) {
  const at = narrow ? "int32" : "int64";
  const met = meeting(x.dtype, boundaries.dtype);
  const bounds = convert(boundaries, met).elements();
  const ascend = bounds.every((b, p) => b !== null && (p + 1 < bounds.length ? b < bounds[p + 1] : b === b));
  return Tensor.make(at, x.shape, (i) => {
    const value = cast(x.at(i), x.dtype, met);
    if (value === null || !ascend || value !== value) return null;
    return BigInt(bounds.filter((b) => b < value || (right && b === value)).length);
  });
}

function nonzero([x]) {
  const found = Array.from(positions(x.shape)).filter((i) => {
    const element = x.at(i);
    if (element === null) throw open("op.nonzero", "poison");
    return isFloat(x.dtype) ? element !== 0 : element !== 0n;
  });
  return Tensor.make("int64", [x.shape.length, found.length], ([axis, k]) => BigInt(found[k][axis]));
}

module.exports = {
  cumsum: { type: types.running, run: running("add", 0) },
  cumprod: { type: types.running, run: running("mul", 1) },
  sort: { type: types.sort, run: sort },
  argsort: { type: types.argsort, run: argsort },
  topk: { type: types.topk, run: topk },
  bucketize: { type: types.bucketize, run: bucketize },
  nonzero: { type: types.nonzero, run: nonzero },
};
