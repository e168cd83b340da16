// What a module must fulfil before it runs (spec 04, 05).
"use strict";
const { wellFormed } = require("./wellformed");
const { loopsWellFormed } = require("./wellformed_loops");
const { infer } = require("./infer");

/** The type of every parameter and binding of every graph-level function. */
function check(module) {
  wellFormed(module);
  for (const f of module.functions.values()) if (f.node === "PrimFunc") loopsWellFormed(module, f);
  return infer(module);
}

module.exports = { check };
