// The module as the canonical JSON tree (spec 03c "Canonical JSON", 03d), and what it needs from outside (09).
"use strict";
const { rejected, unsupported } = require("./ends");
const { cFunctionTaking } = require("./intrinsics");
const { dtypeOf } = require("./scalars");
const { LIBRARY } = require("./library");

/** The tree with the arrays of its constants. */
function readModule(tree, constants) {
  if (typeof tree === "string") throw unsupported("the text of JSON: the profile syntax");
  return { functions: new Map(Object.entries(tree.functions)), constants, tree };
}

/** All nodes below a node, itself included. */
function* nodes(node) {
  if (node === null || typeof node !== "object") return;
  if (typeof node.node === "string") yield node;
  for (const part of Object.values(node)) yield* nodes(part);
}

/** The name of the contract's function by the library function that it stands for (ev/contract). */
function contracts(module) {
  const found = new Map();
  for (const [name, f] of module.functions) {
    for (const [key, value] of f.attrs ?? []) if (key === "Contract") found.set(value, name);
  }
  return found;
}

const FIRST_IS_NAME = new Set(["call_extern", "call_pure_extern", "call_packed", "call_cpacked", "call_packed_lowered", "call_cpacked_lowered"]);

/** The library functions and functions of the module that a node names. */
function named(node) {
  if (node.node === "GlobalVar") return { global: node.name };
  if (node.node === "ExternFunc") return { library: node.name };
  if (node.node !== "Intrinsic") return {};
  if (node.op.startsWith("cls.")) return { global: node.op.slice(4) };
  if (!FIRST_IS_NAME.has(node.op)) return {};
  const name = node.args[0].node === "StringImm" ? node.args[0].value : ""; // what is no string names nothing that is there
  const isC = node.op.endsWith("extern") && cFunctionTaking(name, node.dtype, node.args.slice(1).map(dtypeOf)) !== undefined;
  return isC ? {} : { library: name };
}

/** Refuse a module of which the entry can reach what is not there (link/…). */
function link(module, entry) {
  const promised = contracts(module);
  const waiting = [entry];
  const seen = new Set(waiting);
  const reach = (name) => {
    if (!seen.has(name)) waiting.push(name);
    seen.add(name);
  };
  while (waiting.length > 0) {
    for (const node of nodes(module.functions.get(waiting.pop()))) {
      const { global, library } = named(node);
      if (global !== undefined) reach(global);
      if (library !== undefined) {
        if (promised.has(library)) reach(promised.get(library));
        else if (!LIBRARY.has(library) && !isPyName(library)) throw rejected("link/library-function-missing", library);
      }
      if (node.node === "Call" && node.op.name === "relax.call_py_func" && !LIBRARY.has(node.args[0].value)) {
        throw rejected("link/library-function-missing", node.args[0].value);
      }
      if (node.node === "ConstantRef" && node.kind === "ir.GenericConst" && node.index >= module.constants.length) {
        throw rejected("link/constant-missing", String(node.index));
      }
    }
  }
}

const isPyName = (name) => {
  if (/^(vm\.builtin|runtime|tvm|relax\.run)\./.test(name)) throw unsupported(`the library function ${name}`);
  return false;
};

module.exports = { readModule, nodes, contracts, link };
