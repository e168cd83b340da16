// Types of effects (spec ops/effects.md).
"use strict";
const { rejected } = require("../ends");
const { ANY, VOID } = require("./build");

function assertOp([condition]) {
  if (condition.node === "AnyType") return VOID;
  const scalar = condition.node === "PrimType" || (condition.node === "TensorType" && condition.ndim <= 0);
  if (!scalar || (condition.dtype !== null && condition.dtype !== "bool")) throw rejected("op.assert_op/bool-scalar", condition.node);
  return VOID;
}

module.exports = { print: () => VOID, assertOp, any: () => ANY };
