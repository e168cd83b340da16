// Scalar expressions, at both levels (spec 03d "Scalar expressions", 06 "Values", 07 "Index arithmetic", "Elements").
"use strict";
const { open, unsupported } = require("./ends");
const { dtype, literal, isFloat, wrap } = require("./dtypes");
const { binary, compare, cast, truth } = require("./numbers");
const { pureIntrinsic } = require("./intrinsics");

const ARITHMETIC = {
  Add: "add", Sub: "sub", Mul: "mul", Div: "div", Mod: "mod", FloorDiv: "floordiv", FloorMod: "floormod", Min: "min", Max: "max",
};
const COMPARISONS = { EQ: "eq", NE: "ne", LT: "lt", LE: "le", GT: "gt", GE: "ge" };

/** The dtype of an expression. */
function dtypeOf(e) {
  switch (e.node) {
    case "Binary": return e.op in ARITHMETIC ? dtypeOf(e.a) : withLanes("bool", dtype(dtypeOf(e.a)).lanes);
    case "Not": return dtypeOf(e.a);
    case "Select": return dtypeOf(e.true_value);
    case "Let": return dtypeOf(e.body);
    case "Ramp": return withLanes(dtypeOf(e.base), e.lanes);
    case "Broadcast": return withLanes(dtypeOf(e.value), e.lanes);
    case "Shuffle": return withLanes(elementOf(e.vectors[0]), e.indices.length);
    default: return e.dtype;
  }
}

const withLanes = (name, lanes) => (lanes === 1 ? name : `${name}x${lanes}`);
const elementOf = (e) => dtype(dtypeOf(e)).element;

/** Apply a function lane by lane; what is no vector is the same in every lane (ev/vector-lanes). */
function lanewise(f, ...given) {
  const vector = given.find(Array.isArray);
  if (vector === undefined) return f(...given);
  return vector.map((_, lane) => f(...given.map((x) => (Array.isArray(x) ? x[lane] : x))));
}

/** The value of an expression. `scope` has `get(name)`, `with(name, value)`, `lazy` (and/or stop early), `load`, `intrinsic`. */
function evaluate(e, scope) {
  switch (e.node) {
    case "Literal": return literal(e);
    case "SymVar": return scope.get(e.name);
    case "StringImm": return e.value;
    case "Binary": return evaluateBinary(e, scope);
    case "Not": return lanewise((a) => (a === null ? null : truth(a === 0n)), evaluate(e.a, scope));
    case "Cast": return evaluateCast(e, scope);
    case "Select": return select(e, scope);
    case "Let": return evaluate(e.body, scope.with(e.var.name, evaluate(e.value, scope)));
    case "Ramp": return ramp(e, scope);
    case "Broadcast": return new Array(e.lanes).fill(evaluate(e.value, scope));
    case "Shuffle": return shuffle(e, scope);
    case "BufferLoad": return scope.load(e);
    case "BufferRef": return scope.reference(e);
    case "Intrinsic": return intrinsic(e, scope);
    default: throw unsupported(`the scalar expression ${e.node}`);
  }
}

function evaluateBinary(e, scope) {
  const a = evaluate(e.a, scope);
  if (e.op === "And" || e.op === "Or") {
    if (scope.lazy && a === (e.op === "And" ? 0n : 1n)) return a;
    return lanewise((x, y) => connective(e.op, x, y), a, evaluate(e.b, scope));
  }
  const b = evaluate(e.b, scope);
  if (e.op in COMPARISONS) return lanewise((x, y) => compare(COMPARISONS[e.op], x, y), a, b);
  const at = elementOf(e.a);
  return lanewise((x, y) => binary(ARITHMETIC[e.op], x, y, at), a, b);
}

/** Both operands count, so poison in either is poison (num/truth-is-opaque). */
function connective(op, a, b) {
  if (a === null || b === null) return null;
  return op === "And" ? a & b : a | b;
}

function evaluateCast(e, scope) {
  const from = elementOf(e.value);
  const to = dtype(e.dtype).element;
  return lanewise((x) => cast(x, from, to), evaluate(e.value, scope));
}

/** Both arms are evaluated; poison in the other does not matter (ev/select-both-arms). */
function select(e, scope) {
  const condition = evaluate(e.condition, scope);
  const [a, b] = [evaluate(e.true_value, scope), evaluate(e.false_value, scope)];
  return lanewise((c, x, y) => (c === null ? null : c !== 0n ? x : y), condition, a, b);
}

function ramp(e, scope) {
  const base = evaluate(e.base, scope);
  const stride = evaluate(e.stride, scope);
  const at = elementOf(e.base);
  return Array.from({ length: e.lanes }, (_, lane) => {
    const step = isFloat(at) ? lane : wrap(BigInt(lane), at);
    return binary("add", base, binary("mul", stride, step, at), at);
  });
}

function shuffle(e, scope) {
  const lanes = e.vectors.flatMap((v) => evaluate(v, scope));
  return e.indices.map((i) => lanes[Number(evaluate(i, scope))]);
}

function intrinsic(e, scope) {
  if (e.op === "if_then_else") {
    const condition = evaluate(e.args[0], scope);
    if (condition === null) throw open("ev/if-then-else-one-arm", "poison decides");
    if (Array.isArray(condition)) throw unsupported("if_then_else of vectors");
    return evaluate(e.args[condition !== 0n ? 1 : 2], scope);
  }
  const found = scope.intrinsic(e);
  if (found !== undefined) return found.value;
  const args = e.args.map((a) => evaluate(a, scope));
  const at = e.args.length > 0 ? elementOf(e.args[0]) : e.dtype;
  return lanewise((...each) => pureIntrinsic(e.op, each, at, dtype(e.dtype).element), ...args);
}

/** An integer: an index, an extent. Poison leaves the run open. */
function index(value) {
  if (value === null || value === undefined) throw open("ld/index-arithmetic", "poison as an index");
  return Number(value);
}

module.exports = { evaluate, dtypeOf, lanewise, index, elementOf };
