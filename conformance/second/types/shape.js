// Types between tensors and shapes (spec ops/shape.md).
"use strict";
const { rejected } = require("../ends");
const { tensor, shapeType, int, fixed } = require("./build");
const { tensorArgument, shapeArgument, dims } = require("./common");

function shapeOf([x]) {
  const type = tensorArgument(x);
  return shapeType(dims(type), type.ndim);
}

function tensorToShape([x]) {
  const type = tensorArgument(x);
  if ((type.dtype !== null && type.dtype !== "int64") || (type.ndim >= 0 && type.ndim !== 1)) throw rejected("op.tensor_to_shape/int64-vector", "");
  const length = dims(type) === null ? null : fixed(dims(type)[0]);
  return shapeType(null, length ?? -1);
}

function shapeToTensor([x]) {
  const { ndim } = shapeArgument(x);
  return ndim >= 0 ? tensor([int(ndim)], "int64") : tensor(null, "int64", 1);
}

function size([x]) {
  tensorArgument(x);
  return tensor([], "int64");
}

module.exports = { shapeOf, tensorToShape, shapeToTensor, size };
