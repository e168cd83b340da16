// The forms of scalar expressions, and the kinds that operators take (spec 04 "wf/scalar-form", "wf/scalar-kind").
"use strict";
const { rejected } = require("./ends");
const { dtype, isFloat, isBool } = require("./dtypes");
const { dtypeOf } = require("./scalars");
const { REAL } = require("./functions");
const { isCount, argumentSorts } = require("./arguments");

const OF_OPERANDS = new Set([
  ...Object.keys(REAL), "abs", "fabs", "sign", "square", "floor", "ceil", "round", "nearbyint", "trunc", "pow", "atan2", "hypot", "copysign", "nextafter",
  "ldexp", "fmod", "fma", "isnan", "isinf", "isfinite", "max", "min", "truncmod", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not",
  "shift_left", "shift_right", "popcount", "clz", "if_then_else", "likely", "reinterpret", "q_multiply_shift",
]);

/** An index, a truth or a float (sh/kind); null for what has no kind. */
function kindOf(name) {
  const { kind } = dtype(name);
  return kind === "int" ? "index" : kind === "bool" ? "truth" : kind === "float" ? "float" : null;
}

/** A dimension and a prim value are arithmetic on scalars. */
function scalarForm(e) {
  switch (e.node) {
    case "Literal":
    case "SymVar": break;
    case "Binary": [e.a, e.b].forEach(scalarForm); break;
    case "Not": scalarForm(e.a); break;
    case "Cast": scalarForm(e.value); break;
    case "Select": [e.condition, e.true_value, e.false_value].forEach(scalarForm); break;
    case "Let":
      bound(e.var.dtype, e.value);
      [e.value, e.body].forEach(scalarForm);
      break;
    case "Intrinsic":
      if (!OF_OPERANDS.has(e.op) || e.op === "q_multiply_shift" || !isCount(e.op, e.args.length, 1)) throw rejected("wf/scalar-form", e.op);
      e.args.forEach(scalarForm);
      if (e.op === "reinterpret" && dtype(e.dtype).bits !== dtype(dtypeOf(e.args[0])).bits) throw rejected("wf/scalar-form", `the width of ${e.dtype}`);
      break;
    default: throw rejected("wf/scalar-form", e.node);
  }
  if (dtype(dtypeOf(e)).lanes !== 1) throw rejected("wf/scalar-form", dtypeOf(e));
  operandKinds(e);
}

/** An intrinsic has as many arguments as it takes (spec 04 "wf/argument-count"). */
function argumentCount(e) {
  if (!isCount(e.op, e.args.length, OF_OPERANDS.has(e.op) ? 1 : undefined)) throw rejected("wf/argument-count", e.op);
}

const isNumber = (name) => name !== null && !name.startsWith("handle") && name !== "void";

/** What a name stands for has its dtype; pointers, and what gives no value, go by any. */
function bound(name, value) {
  const found = dtypeOf(value);
  if (found !== name && isNumber(found) && isNumber(name)) throw rejected("wf/operand-dtypes", `${found} for ${name}`);
}

const DIVISIONS = new Set(["Div", "Mod", "FloorDiv", "FloorMod"]);
const COMPARED = new Set(["EQ", "NE", "LT", "LE", "GT", "GE"]);
const INDICES = new Set(["shift_left", "shift_right", "popcount", "clz"]);
const NO_FLOATS = new Set(["bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"]);
const NO_TRUTHS = new Set(["pow", "abs", "fabs", "isnan", "isinf", "isfinite", "truncmod"]);
const FLOATS = new Set([...Object.keys(REAL), "atan2", "hypot", "copysign", "nextafter", "fmod"]);

const NO_NUMBER = new Set(["StringImm", "BufferRef", "CommReducer", "RangeArg"]);

/** The kinds that an operand may have; undefined where nothing is said. */
function taken(op, k) {
  if (op === "ldexp") return k === 0 ? ["float"] : ["index"];
  if (INDICES.has(op) || (op.startsWith("q_multiply_shift") && k < 5)) return ["index"];
  if (NO_FLOATS.has(op) || op.startsWith("q_multiply_shift")) return ["index", "truth"];
  if (NO_TRUTHS.has(op)) return ["index", "float"];
  if (FLOATS.has(op)) return ["float"];
  return OF_OPERANDS.has(op) && op !== "if_then_else" && op !== "reinterpret" ? ["index", "truth", "float"] : undefined;
}

/** Operands have one dtype, and are of a kind that the operator takes. */
function operandKinds(e) {
  if (e.node === "Binary") return binaryKinds(e);
  if (e.node === "Cast" && NO_NUMBER.has(e.value.node)) throw rejected("wf/scalar-kind", e.value.node);
  if (e.node === "Not" && !isBool(dtype(dtypeOf(e.a)).element)) throw rejected("wf/condition-bool", "");
  if (e.node === "Select") {
    if (!isBool(dtype(dtypeOf(e.condition)).element)) throw rejected("wf/condition-bool", "");
    sameKind(e.true_value, e.false_value);
    oneDtype([e.true_value, e.false_value]);
  }
  if (e.node !== "Intrinsic" || e.op.startsWith("call_")) return undefined;
  e.args.forEach((a, k) => {
    const kind = kindOf(dtype(dtypeOf(a) ?? "handle").element);
    if (taken(e.op, k)?.includes(kind) === false) throw rejected("wf/scalar-kind", `${e.op} of ${kind}`);
  });
  argumentSorts(e);
  if (e.op === "reinterpret" && NO_NUMBER.has(e.args[0].node) && !(e.args[0].node === "BufferRef" && dtype(e.dtype).kind === "handle")) throw rejected("wf/scalar-kind", e.args[0].node);
  if (e.op === "if_then_else") {
    if (kindOf(dtype(dtypeOf(e.args[0])).element) !== "truth") throw rejected("wf/scalar-kind", "a condition");
    sameKind(e.args[1], e.args[2]);
  }
  if (OF_OPERANDS.has(e.op) && e.op !== "if_then_else" && e.op !== "reinterpret") elementary(e);
  if (e.op !== "reinterpret" && (OF_OPERANDS.has(e.op) || e.op in RESULTS || OF_SECOND.has(e.op))) resultKind(e);
  if (e.op === "if_then_else") oneDtype(e.args.slice(1));
  if (ALIKE.has(e.op)) oneDtype(e.args);
  return undefined;
}

/** The operands of an elementary function are numbers of as many lanes, and but for ldexp of one kind, floats of one dtype. */
function elementary(e) {
  if (e.args.some((a) => NO_NUMBER.has(a.node) || kindOf(dtype(dtypeOf(a) ?? "handle").element) === null)) throw rejected("wf/scalar-kind", `${e.op} of no number`);
  for (const a of e.args.slice(1)) {
    if (dtype(dtypeOf(a)).lanes !== dtype(dtypeOf(e.args[0])).lanes) throw rejected("wf/scalar-kind", `lanes of ${e.op}`);
    if (e.op !== "ldexp") sameKind(e.args[0], a);
  }
}

const ALIKE = new Set(["bitwise_and", "bitwise_or", "bitwise_xor", "truncmod", "max", "min"]);
const OF_TRUTH = new Set(["isnan", "isinf", "isfinite"]);
const OF_COUNT = new Set(["popcount", "clz"]);
const RESULTS = { q_multiply_shift: "int32", q_multiply_shift_per_axis: "int32", isnullptr: "bool", tvm_warp_activemask: "uint32" };
const OF_SECOND = new Set([
  "if_then_else", "tvm_warp_shuffle", "tvm_warp_shuffle_up", "tvm_warp_shuffle_down", "tvm_warp_shuffle_xor", "atomic_add", "cuda.atomic_add",
]);

/** A function of its operands gives the dtype that these give; a pointer goes by any type. */
function resultKind(e) {
  const own = dtype(e.dtype);
  const lanesFit = () => own.lanes === dtype(dtypeOf(e.args[0])).lanes;
  let fits;
  if (OF_TRUTH.has(e.op)) fits = isBool(own.element) && lanesFit();
  else if (OF_COUNT.has(e.op)) fits = dtype(own.element).kind === "int" && lanesFit();
  else if (e.op in RESULTS) fits = own.element === RESULTS[e.op];
  else {
    const given = dtypeOf(e.args[OF_SECOND.has(e.op) ? 1 : 0]);
    fits = e.dtype === given || (own.kind === "handle" && dtype(given).kind === "handle");
  }
  if (!fits) throw rejected("wf/scalar-kind", `${e.op} at ${e.dtype}`);
}

/** The arms of a choice, and the operands of these functions, have one dtype; pointers go by any. */
function oneDtype(operands) {
  const found = new Set(operands.map(dtypeOf).filter((name) => dtype(name).kind !== "handle"));
  if (found.size > 1) throw rejected("wf/operand-dtypes", [...found].join());
}

function sameKind(a, b) {
  const [p, q] = [dtypeOf(a), dtypeOf(b)];
  const [{ element: m }, { element: n }] = [dtype(p), dtype(q)];
  if (kindOf(m) !== kindOf(n) || (isFloat(m) && m !== n)) throw rejected("wf/scalar-kind", `${p} and ${q}`);
}

function binaryKinds(e) {
  const [a, b] = [dtypeOf(e.a), dtypeOf(e.b)];
  if (e.op === "And" || e.op === "Or") {
    if (!isBool(dtype(a).element) || !isBool(dtype(b).element)) throw rejected("wf/condition-bool", e.op);
    return;
  }
  const pointers = [a, b].filter((name) => dtype(name).kind === "handle").length;
  if (a !== b && pointers < 2) throw rejected("wf/operand-dtypes", `${a} and ${b}`);
  if (!COMPARED.has(e.op) && dtype(a).kind === "handle") throw rejected("wf/scalar-kind", `${e.op} of pointers`);
  if (DIVISIONS.has(e.op) && isBool(dtype(a).element)) throw rejected("wf/scalar-kind", `${e.op} of truths`);
}

module.exports = { scalarForm, operandKinds, argumentCount, bound, isNumber };
