// Which calls are impure (spec 05 "ty/prim-func-purity", "ty/operator", ops/ pages).
"use strict";
const { nodes } = require("./module");

const IMPURE = new Set([
  "relax.print", "relax.assert_op", "relax.invoke_closure", "relax.call_builtin_with_ctx",
  "relax.call_packed", "relax.vm.call_tir_dyn", "relax.memory.kill_tensor", "relax.memory.kill_storage", "relax.vm.kill_object",
]);

/** Whether a call is pure: by its operator, or by what its callee declares. */
function isPureCall(module, e, top) {
  switch (e.op.node) {
    case "Op": return !IMPURE.has(e.op.name);
    case "GlobalVar": return isPureFunction(module, e.op.name);
    case "ExternFunc": return e.op.name === "runtime.TVMTensorCreateView";
    default: return localPurity(module, e.op.name, top);
  }
}

/** A variable of function type: a nested function as declared, a parameter by its type, a function of the module. */
function localPurity(module, name, top) {
  for (const node of nodes(top.function)) {
    if (node.node === "Param" && node.name === name && node.type.node === "FuncType") return node.type.purity;
    if (node.node !== "VarBinding" || node.name !== name) continue;
    if (node.value.node === "Function") return node.value.pure;
    if (node.annotation?.node === "FuncType") return node.annotation.purity;
    if (node.value.node === "GlobalVar") return isPureFunction(module, node.value.name);
    if (node.value.node === "ExternFunc") return false;
    if (node.value.node === "Var") return localPurity(module, node.value.name, top);
  }
  return true;
}

function isPureFunction(module, name) {
  const f = module.functions.get(name);
  if (f === undefined) return true;
  if (f.node === "Function") return f.pure;
  if (f.node === "ExternFunc") return false;
  return isPurePrimFunc(f);
}

const EFFECTS = /^(cls\.|call_extern|call_packed|call_cpacked|call_llvm_intrin|tvm_(?!thread_invariant$)|ptx_|ptx\.|cuda\.|atomic)/;

/** It stores only into buffers that it allocates itself, and calls nothing that may have an effect. */
function isPurePrimFunc(f) {
  const own = new Set(f.root_allocs.map((b) => b.name));
  for (const node of nodes(f.body)) {
    if (node.node === "AllocBuffer") own.add(node.buffer.name);
    if (node.node === "SBlock") node.allocs.forEach((b) => own.add(b.name));
  }
  for (const node of nodes(f.body)) {
    if (node.node === "BufferStore" && !own.has(node.buffer)) return false;
    if (node.node !== "Intrinsic") continue;
    if (EFFECTS.test(node.op)) return false;
  }
  return true;
}

module.exports = { isPureCall, isPureFunction };
