// Graph-level evaluation (spec 07 "Functions", "Expressions").
"use strict";
const { open, trapped, unsupported } = require("./ends");
const { Tensor, Prim, Shape, DType, Closure } = require("./values");
const { Scope } = require("./scope");
const { match } = require("./matching");
const { evaluate, dtypeOf, index } = require("./scalars");
const { isFloat, decode } = require("./dtypes");
const { callForm, packed } = require("./calls");
const { operator } = require("./operators");

/** Call a graph-level function; `around` is the scope of a local one. */
function callFunction(machine, f, args, around) {
  if (args.length !== f.params.length) throw trapped("ev/arity", `${args.length}`);
  const scope = new Scope(around);
  f.params.forEach((p, k) => scope.set(p.name, args[k]));
  match(f.params.map((p, k) => [args[k], p.type]), scope, (question) => trapped(`ev/param-${question}`));
  const value = sequence(machine, f.body, scope);
  match([[value, f.ret]], scope, () => trapped("ev/return-mismatch"));
  return value;
}

function sequence(machine, seq, scope) {
  for (const block of seq.blocks) for (const binding of block.bindings) bind(machine, binding, scope);
  return expression(machine, seq.body, scope);
}

function bind(machine, binding, scope) {
  if (binding.value.node === "Function") {
    scope.set(binding.name, new Closure((args) => callFunction(machine, binding.value, args, scope)));
    return;
  }
  const value = expression(machine, binding.value, scope);
  if (binding.node === "MatchCast") match([[value, binding.type]], scope, () => trapped("ev/match-cast-mismatch"));
  scope.set(binding.name, kept(value, binding.annotation));
}

/** Void drops a value; one that contradicts any other annotation may be anything (ev/promised-type). */
function kept(value, annotation) {
  return annotation?.node === "TupleType" && annotation.fields.length === 0 ? [] : value;
}

function expression(machine, e, scope) {
  switch (e.node) {
    case "Var": return scope.value(e.name);
    case "Constant": return new Tensor(e.dtype, e.shape, e.data.map((b) => decode(BigInt(b), e.dtype)));
    case "ConstantRef": return constant(machine, e);
    case "PrimValue": return prim(e.value, scope);
    case "ShapeExpr": return new Shape(e.values.map((d) => index(evaluate(d, scope))));
    case "StringValue": return e.value;
    case "DataTypeValue": return new DType(e.dtype);
    case "Tuple": return e.fields.map((field) => expression(machine, field, scope));
    case "TupleGetItem": return item(expression(machine, e.tuple, scope), e.index);
    case "GlobalVar": return new Closure((args) => machine.call(e.name, args));
    case "ExternFunc": return new Closure((args) => machine.library(e.name, args));
    case "If": return sequence(machine, isTrue(expression(machine, e.condition, scope)) ? e.then_branch : e.else_branch, new Scope(scope));
    case "Call": return call(machine, e, scope);
    default: throw unsupported(`the expression ${e.node}`);
  }
}

function constant(machine, e) {
  if (e.kind !== "ir.GenericConst" || e.index >= machine.module.constants.length) throw open("ev/constant-missing");
  const { dtype, shape, store } = machine.module.constants[e.index];
  return new Tensor(dtype, shape, store); // one tensor in the whole run: what is stored in it stays
}

function prim(e, scope) {
  const value = evaluate(e, scope);
  if (value === null) throw open("ev/prim-value", "poison");
  return new Prim(dtypeOf(e), value);
}

function item(tuple, k) {
  if (!Array.isArray(tuple) || k >= tuple.length) throw open("ev/tuple-get-item");
  return tuple[k];
}

/** A prim value, or element 0 of a bool or integer tensor (ev/if-condition). */
function isTrue(value) {
  if (value instanceof Tensor && value.size === 0) throw open("ev/if-condition", "no element");
  const dtype = value.dtype;
  const element = value instanceof Tensor ? value.at(value.shape.map(() => 0)) : value.value;
  if (element === null) throw open("ev/if-condition", "poison");
  return isFloat(dtype) ? element !== 0 : element !== 0n;
}

function call(machine, e, scope) {
  const args = e.args.map((a) => expression(machine, a, scope));
  switch (e.op.node) {
    case "GlobalVar": return machine.call(e.op.name, args);
    case "ExternFunc": return packed(e, machine.library(e.op.name, args), scope);
    case "Var": return calledValue(scope.value(e.op.name), args);
    default: break;
  }
  const form = callForm(machine, e, args, scope);
  return form !== undefined ? form.value : operator(e, args, machine);
}

function calledValue(callee, args) {
  if (!(callee instanceof Closure)) throw open("ev/call-non-function");
  return callee.call(args);
}

module.exports = { callFunction, isTrue };
