// A run of a function of a module (spec 07 "Functions", 09).
"use strict";
const { Prim } = require("./values");
const { link, contracts } = require("./module");
const { callFunction } = require("./graph");
const { callPrimFunc } = require("./loops");
const { callLibrary } = require("./calls");
const { LIBRARY } = require("./library");

/** {value, effects} of calling the entry. */
function run(module, entry, args) {
  link(module, entry);
  const machine = {
    module,
    effects: [],
    promised: contracts(module),
    call: (name, given) => callByName(machine, name, given),
    library: (name, given) => callLibrary(machine, name, given),
    registered: (name) => LIBRARY.has(name),
  };
  for (const each of args.flat(Infinity)) if (each instanceof Prim) each.bare = typeof each.given !== "object";
  const value = machine.call(entry, args);
  const none = module.functions.get(entry).node === "PrimFunc" && Array.isArray(value);
  return { value: none ? null : value, effects: machine.effects };
}

function callByName(machine, name, args) {
  const f = machine.module.functions.get(name);
  if (f.node === "Function") return callFunction(machine, f, args, null);
  if (f.node === "PrimFunc") return callPrimFunc(machine, f, args);
  return machine.library(f.name, args);
}

module.exports = { run };
