// Effects and checks (spec ops/effects.md).
"use strict";
const { open, trapped } = require("../ends");
const { Tensor, Prim } = require("../values");
const types = require("../types/effects");
const { same } = require("../types/elementwise");

function print([format, ...values], _, machine) {
  machine.effects.push({ kind: "print", name: "relax.print", payload: [format, ...values] });
  return [];
}

function assertOp([condition]) {
  const scalar = condition instanceof Prim || (condition instanceof Tensor && condition.shape.length === 0);
  if (!scalar || condition.dtype !== "bool") throw open("op.assert_op/bool-scalar");
  const holds = condition instanceof Tensor ? condition.at([]) : condition.value;
  if (holds === null) throw open("op.assert_op", "poison");
  if (holds === 0n) throw trapped("op.assert_op/failed");
  return [];
}

module.exports = {
  print: { type: types.print, run: print },
  assert_op: { type: types.assertOp, run: assertOp },
  null_value: { type: types.any, run: () => null },
  "builtin.stop_lift_params": { type: same, run: ([x]) => x },
  hint_on_device: { type: same, run: ([x]) => x },
};
