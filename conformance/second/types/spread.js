// Types of one-hot, meshgrid, reversed sequences (spec ops/spread.md).
"use strict";
const { rejected } = require("../ends");
const { isInt } = require("../dtypes");
const { tensor, tuple, int } = require("./build");
const { tensorArgument, tensors, dims, axisIn, oneDtype, differ, anyDevice } = require("./common");

function oneHot([indices, on, off], { depth, axis }, call) {
  const type = tensorArgument(indices);
  if (type.dtype !== null && !isInt(type.dtype)) throw rejected("op.scatter/integer-indices", type.dtype);
  for (const each of call.args.slice(1)) if (each.node !== "PrimValue") throw rejected("op.common/scalar-argument", each.node);
  if (on.dtype !== off.dtype) throw rejected("op.one_hot/equal-dtypes", `${on.dtype} and ${off.dtype}`);
  if (depth <= 0) throw rejected("op.one_hot/depth", String(depth));
  if (type.ndim < 0) return tensor(null, on.dtype, -1, type.vdevice);
  if (axis < -type.ndim - 1 || axis > type.ndim) throw rejected("op.one_hot/axis-range", String(axis));
  const at = axis < 0 ? axis + type.ndim + 1 : axis;
  const shape = dims(type);
  if (shape === null) return tensor(null, on.dtype, type.ndim + 1, type.vdevice);
  return tensor([...shape.slice(0, at), int(depth), ...shape.slice(at)], on.dtype, type.ndim + 1, type.vdevice);
}

function meshgrid([given], { indexing }) {
  const types = tensors(given);
  if (indexing !== null && indexing !== "ij" && indexing !== "xy") throw rejected("op.meshgrid/indexing", indexing);
  if (types.some((t) => t.ndim !== 1)) throw rejected("op.meshgrid/vectors", "");
  oneDtype(types, "op.meshgrid/equal-dtypes");
  const dtype = types.find((t) => t.dtype !== null)?.dtype ?? null;
  const lengths = types.map((t) => dims(t)?.[0] ?? null);
  if (indexing === "xy" && lengths.length > 1) [lengths[0], lengths[1]] = [lengths[1], lengths[0]];
  const made = tensor(lengths.includes(null) ? null : lengths, dtype, types.length, anyDevice(types));
  return tuple(types.map(() => made));
}

function reverseSequence([x, given], { seq_axis: seq, batch_axis: batch }) {
  const type = tensorArgument(x);
  const lengths = tensorArgument(given);
  const [, b] = [axisIn(seq, type.ndim), axisIn(batch, type.ndim)];
  const fine = lengths.dtype === null || lengths.dtype === "int32" || lengths.dtype === "int64";
  const shapes = [dims(type), dims(lengths)];
  const batches = shapes[0] === null || shapes[1] === null || lengths.ndim !== 1 || !differ(shapes[0][b], shapes[1][0]);
  if (!fine || (lengths.ndim >= 0 && lengths.ndim !== 1) || !batches) throw rejected("op.reverse_sequence/lengths", "");
  return type;
}

module.exports = { oneHot, meshgrid, reverseSequence };
