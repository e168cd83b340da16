// All operators by name: the files in ops/ (spec ops/).
"use strict";
const { unsupported } = require("./ends");

const OPERATORS = new Map();
for (const file of ["elementwise", "activation", "reduce", "reshape", "join", "linear", "slicing", "create", "gather", "scan", "shape", "effects", "spread"]) {
  for (const [name, definition] of Object.entries(require(`./ops/${file}`))) OPERATORS.set(`relax.${name}`, definition);
}

/** The definition of an operator: {run(args, attrs, machine, call), type(types, attrs, call)}. */
function definitionOf(name) {
  const found = OPERATORS.get(name);
  if (found === undefined) throw unsupported(`the operator ${name}`);
  return found;
}

/** Attributes as an object; a list of numbers is an array, and what names a dtype or a string is that string. */
function attributes(e) {
  return Object.fromEntries(e.attrs.map(([name, value]) => [name, plain(value)]));
}

function plain(value) {
  switch (value?.node) {
    case "AttrList": return value.items;
    case "DataTypeValue": return value.dtype;
    case "StringValue": return value.value;
    default: return value;
  }
}

function operator(e, args, machine) {
  return definitionOf(e.op.name).run(args, attributes(e), machine, e);
}

module.exports = { operator, definitionOf, attributes, OPERATORS };
