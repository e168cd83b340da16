// Between tensors and shapes (spec ops/shape.md).
"use strict";
const { Tensor, Shape } = require("../values");
const { whole } = require("./common");
const types = require("../types/shape");

module.exports = {
  shape_of: { type: types.shapeOf, run: ([x]) => new Shape(x.shape) },
  tensor_to_shape: { type: types.tensorToShape, run: ([x]) => new Shape(x.elements().map(whole)) },
  shape_to_tensor: { type: types.shapeToTensor, run: ([{ dims }]) => new Tensor("int64", [dims.length], dims.map(BigInt)) },
  size: { type: types.size, run: ([x]) => new Tensor("int64", [], [BigInt(x.size)]) },
};
