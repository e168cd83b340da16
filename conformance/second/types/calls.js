// Types of calls (spec 05 "Calls", "Call forms").
"use strict";
const { End, rejected, unsupported } = require("../ends");
const { definitionOf, attributes } = require("../operators");
const { tuple, ANY, NOTHING_KNOWN, fixed } = require("./build");
const { L2, PASS, grade, assign, mentioned, isUnbound } = require("./lattice");

/** The type of a call whose arguments have these types; one that has a constant without its array is not held to much. */
function callType(e, types, variable, state) {
  if (!types.some(isUnbound)) return checked(e, types, variable, state);
  try {
    const found = checked(e, types, variable, state);
    return found.node === "TensorType" && (found.dtype === null || found.ndim < 0) ? NOTHING_KNOWN : found;
  } catch (error) {
    if (error instanceof End && error.kind === "rejected") return ANY;
    throw error;
  }
}

function checked(e, types, variable, state) {
  switch (e.op.node) {
    case "GlobalVar": return callFunction(state.signature(e.op.name), types, e);
    case "ExternFunc": return promised(e);
    case "Var": return callFunction(variable(e.op.name), types, e);
    default: break;
  }
  const form = FORMS[e.op.name];
  return form !== undefined ? form(e, types, state) : said(definitionOf(e.op.name).type(types, attributes(e), e, state));
}

/** What an operator's type says: of a dim that would be a negative number the rank alone (ty/operator). */
function said(type) {
  if (type.node === "TupleType") return tuple(type.fields.map(said));
  return type.shape?.some?.((d) => fixed(d) !== null && fixed(d) < 0) ? { ...type, shape: null } : type;
}

/** What `ty_args` say: nothing is R.Any, several are a tuple. */
function promised(e) {
  return e.ty_args.length === 0 ? ANY : e.ty_args.length === 1 ? e.ty_args[0] : tuple(e.ty_args);
}

function callFunction(type, args, e) {
  if (type.node === "PackedFuncType") return promised(e);
  if (type.node !== "FuncType") throw rejected("ty/call-not-a-function", type.node);
  if (type.params === null) return type.derive_func === null ? type.ret : promised(e);
  if (type.params.length !== args.length) throw rejected("ty/call-arity", `${args.length} for ${type.params.length}`);
  return assign(type.ret, assignment(type.params, args));
}

/** Arguments matched with parameters: the values of the callee's symbols. */
function assignment(params, args) {
  params.forEach((p, k) => {
    if ((args[k].node === "DTensorType") !== (p.node === "DTensorType")) throw unsupported("distributed tensors");
    const found = grade(apart(p), args[k]);
    if (found !== PASS && found !== L2) throw rejected("ty/call-argument", `argument ${k}`);
  });
  const values = new Map();
  params.forEach((p, k) => bind(p, args[k], values));
  return values;
}

/** Symbols of the callee and of the caller never meet. */
function apart(type) {
  const names = new Map([...mentioned(type)].map((name) => [name, { node: "SymVar", name: `callee's ${name}`, dtype: "int64" }]));
  return assign(type, names);
}

function bind(param, arg, values) {
  if (typeof param.shape === "string" && !values.has(param.shape) && arg.shape) values.set(param.shape, arg.shape);
  const pairs = [[param.node === "ShapeType" ? param.values : param.shape, arg.node === "ShapeType" ? arg.values : arg.shape]];
  if (param.node === "TupleType" && arg.node === "TupleType") return param.fields.forEach((p, k) => bind(p, arg.fields[k], values));
  for (const [dims, given] of pairs) {
    if (!Array.isArray(dims) || !Array.isArray(given)) continue;
    dims.forEach((d, k) => {
      if (d.node === "SymVar" && !values.has(d.name)) values.set(d.name, given[k]);
    });
  }
  return undefined;
}

// --- call forms ---

const parts = (type) => (type.node === "TupleType" ? type.fields.flatMap(parts) : [type]);

function outputs(e) {
  if (e.ty_args.length !== 1) throw rejected("ty/call-form-out-ty", String(e.ty_args.length));
  const nested = e.op.name === "relax.call_dps_packed";
  const types = e.ty_args.flatMap((t) => (nested ? parts(t) : t.node === "TupleType" ? t.fields : [t]));
  const fine = types.every((t) => t.node === "TensorType" && t.shape !== null);
  if (e.ty_args.some((t) => t.node === "DTensorType")) throw unsupported("distributed tensors");
  if (!fine) throw rejected("ty/call-form-out-ty", e.op.name);
  return types;
}

function twoArguments(e) {
  if (e.args.length !== 2) throw rejected("ty/call-form-arguments", String(e.args.length));
}

function argumentsOf(e, types) {
  twoArguments(e);
  if (types[1].node !== "TupleType") throw rejected("ty/call-tir-args", types[1].node);
  return types[1].fields;
}

/** The callee's first parameters are matched with the inputs; the others imply the types of outputs. */
function callTir(e, types, state, skip = () => false) {
  const inputs = argumentsOf(e, types);
  const outs = outputs(e);
  const callee = e.args[0].node === "GlobalVar" ? state.module.functions.get(e.args[0].name) : undefined;
  if (callee === undefined || callee.node !== "PrimFunc") throw rejected("ty/call-tir-callee", "");
  const { params } = state.signature(e.args[0].name);
  const fresh = outs.filter((_, k) => !skip(k));
  if (params.length !== inputs.length + fresh.length) throw rejected("ty/call-arity", `${inputs.length} and ${fresh.length} for ${params.length}`);
  const values = assignment(params.slice(0, inputs.length), inputs);
  params.slice(inputs.length).forEach((p, k) => {
    const implied = assign(p, values);
    if (grade(implied, fresh[k]) !== PASS) throw rejected("ty/call-tir-out-ty", `output ${k}`);
  });
  return promised(e);
}

function callTirInplace(e, types, state) {
  const inputs = argumentsOf(e, types);
  const outs = outputs(e);
  const places = attributes(e).inplace_indices;
  checkPlaces(places, outs.length, inputs.length);
  places.forEach((place, k) => {
    if (place < 0) return;
    const exact = grade(outs[k], inputs[place]) === PASS;
    if (!exact) throw rejected("ty/call-tir-inplace", String(k));
  });
  return callTir(e, types, state, (k) => places[k] >= 0);
}

function checkPlaces(places, outs, inputs) {
  const used = places.filter((p) => p !== -1);
  const fine = places.length === outs && used.length > 0 && used.every((p) => p >= 0 && p < inputs) && new Set(used).size === used.length;
  if (!fine) throw rejected("ty/inplace-indices", places.join());
}

/** A value that is no tuple is the one argument. */
function callDpsPacked(e) {
  twoArguments(e);
  outputs(e);
  return promised(e);
}

function opaqueCallee(e, types) {
  if (types[0]?.node === "FuncType" && types[0].params === null) return;
  throw rejected("ty/call-packed-callee", String(types[0]?.node));
}

function callPurePacked(e, types) {
  opaqueCallee(e, types);
  return promised(e);
}

function callInplacePacked(e, types) {
  opaqueCallee(e, types);
  const places = attributes(e).inplace_indices;
  const result = promised(e);
  const outs = places.length === 1 ? [result] : result.node === "TupleType" ? result.fields : [result];
  checkPlaces(places, outs.length, types.length - 1);
  places.forEach((place, k) => {
    if (place >= 0 && grade(outs[k], types[place + 1]) !== PASS) throw rejected("ty/call-inplace-packed", String(k));
  });
  return result;
}

function ofTwo(e) {
  twoArguments(e);
  return promised(e);
}

function makeClosure(e) {
  twoArguments(e);
  return ANY;
}

function callPyFunc(e) {
  twoArguments(e);
  if (e.args[0].node !== "StringValue") throw rejected("ty/call-py-func", e.args[0].node);
  return promised(e);
}

const FORMS = {
  "relax.call_tir": (e, types, state) => callTir(e, types, state),
  "relax.call_tir_with_grad": (e, types, state) => callTir(e, types, state),
  "relax.call_tir_inplace": callTirInplace,
  "relax.call_dps_packed": callDpsPacked,
  "relax.call_pure_packed": callPurePacked,
  "relax.call_inplace_packed": callInplacePacked,
  "relax.call_py_func": callPyFunc,
  "relax.invoke_closure": ofTwo,
  "relax.invoke_pure_closure": ofTwo,
  "relax.make_closure": makeClosure,
};

module.exports = { callType };
