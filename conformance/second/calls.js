// Calls across levels, library functions and closures (spec 07 "Calls across levels").
"use strict";
const { open, End } = require("./ends");
const { Tensor, Closure } = require("./values");
const { evaluate, index } = require("./scalars");
const { match } = require("./matching");
const { LIBRARY } = require("./library");

const attr = (e, name) => (e.attrs.find(([key]) => key === name) ?? [])[1];

/** {value} of a call form, or undefined if the operator is none. */
function callForm(machine, e, args, scope) {
  switch (e.op.name) {
    case "relax.call_tir":
    case "relax.call_tir_with_grad": return { value: intoOutputs(e, args[1], scope, args[0].call) };
    case "relax.call_tir_inplace": return { value: inPlace(e, args[1], scope, args[0].call) };
    case "relax.call_dps_packed": return { value: intoOutputs(e, [args[1]].flat(), scope, args[0].call) };
    case "relax.call_pure_packed":
    case "relax.call_inplace_packed": return { value: packed(e, args[0].call(args.slice(1)), scope) };
    case "relax.call_py_func": return { value: packed(e, machine.library(args[0], [args[1]].flat()), scope) };
    case "relax.make_closure": return { value: new Closure((first) => called(args[0], [...first, ...args[1]])) };
    case "relax.invoke_closure":
    case "relax.invoke_pure_closure": return { value: called(args[0], args[1]) };
    default: return undefined;
  }
}

function called(callee, args) {
  if (!(callee instanceof Closure)) throw open("ev/call-non-function");
  return callee.call(args);
}

/** The output types of a call: one, or those in its tuples, in order. */
const parts = (type) => (type.node === "TupleType" ? type.fields.flatMap(parts) : [type]);

/** Outputs in the tuples of a type; they are taken from the list. */
const inTuples = (type, made) => (type.node === "TupleType" ? type.fields.map((t) => inTuples(t, made)) : made.shift());

/** Fresh memory of the annotated shape; every element is poison until it is written (ev/call-tir-allocates). */
function fresh(type, scope) {
  if (type.dtype === null) throw open("ev/call-tir-allocates");
  const shape = type.shape.map((d) => index(evaluate(d, scope)));
  if (shape.some((n) => n < 0)) throw open("ev/negative-extent");
  return new Tensor(type.dtype, shape, new Array(shape.reduce((a, b) => a * b, 1)).fill(null));
}

function intoOutputs(e, inputs, scope, callee) {
  const [type] = e.ty_args;
  const made = parts(type).map((each) => fresh(each, scope));
  callee([...inputs, ...made]);
  return inTuples(type, made);
}

function inPlace(e, inputs, scope, callee) {
  const [type] = e.ty_args;
  const places = attr(e, "inplace_indices").items;
  const made = parts(type).map((each, k) => (places[k] >= 0 ? inputs[places[k]] : fresh(each, scope)));
  callee([...inputs, ...made.filter((_, k) => places[k] < 0)]);
  return inTuples(type, made);
}

/** What a library function gives, as it is promised (ev/packed-result-type); of the type void it is dropped. */
function packed(e, value, scope) {
  if (e.ty_args.length === 1 && e.ty_args[0].node === "TupleType" && e.ty_args[0].fields.length === 0) return [];
  if (e.ty_args.length === 1) match([[value, e.ty_args[0]]], scope, () => open("ev/packed-result-type"));
  return value;
}

/** A library function: its contract in the module, or what is registered under its name. */
function callLibrary(machine, name, args) {
  if (machine.promised.has(name)) return byContract(machine, machine.promised.get(name), args);
  if (!LIBRARY.has(name)) throw open("ev/library-missing", name);
  machine.effects.push({ kind: "call", name, payload: [] });
  return LIBRARY.get(name)(...args) ?? [];
}

/** The contract's function gives the result, or what is written to the arguments after its own (ev/contract). */
function byContract(machine, name, args) {
  const count = machine.module.functions.get(name).params.length;
  let value;
  try {
    value = machine.call(name, args.slice(0, count));
  } catch (error) {
    if (error instanceof End && error.kind === "trapped") throw open("ev/contract", error.message);
    throw error;
  }
  const out = args.slice(count);
  if (out.length === 0) return value;
  const results = [value].flat(Infinity);
  out.forEach((tensor, k) => LIBRARY.get("conformance.copy_into")(results[k], tensor));
  return [];
}

module.exports = { callForm, callLibrary, packed, attr };
