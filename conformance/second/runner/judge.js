// What is said of an answer to a case; nothing is run (spec 01 "What is said of a case").
"use strict";
const { NoValue } = require("./elements");
const { compare, checked, sum, shown } = require("./compare");
const { difference } = require("./types");

const REJECTIONS = new Set(["Malformed", "IllFormed", "IllTyped", "Unlinkable"]);
const CLAIMS = ["proved", "refuted", "unknown"];
const ENDS = new Set(["accepted", "rejected", "returned", "trapped", ...CLAIMS, "unsupported", "crash", "hang"]);
const BEYOND = "it rests on an equality that an implementation need not show (sh/required)";
const NOTHING_ASKED = "all of the result is left open, or its permitted sets are too wide to tell";

/** Words as they are, whatever else stands in their place as JSON. */
const said = (x) => (typeof x === "string" ? x : shown(x));

const endOf = (record) => record.expect.split(" ")[0];

/** [word, why]; `defs` of the schema of modules. What comes in pairs is settled in pairs.js. */
function judge(record, answer, defs) {
  const { end } = answer;
  const why = said(answer.why ?? "");
  if (!ENDS.has(end)) return ["failed", `expected an end, one of ${[...ENDS].join(", ")}; found ${shown(end)}`];
  if (end === "unsupported") return ["unsupported", why];
  if (end === "crash" || end === "hang") return ["failed", `${end}: ${why}`];
  try {
    return told(record, answer, endOf(record), defs);
  } catch (error) {
    if (error instanceof NoValue) return ["failed", error.message];
    throw error;
  }
}

function told(record, answer, expected, defs) {
  if (record.ask === "prove") return claim(expected, answer);
  if (record.required?.end === answer.end) return ["excluded", BEYOND];
  if (REJECTIONS.has(expected)) {
    const right = answer.end === "rejected" || (expected === "Unlinkable" && answer.end === "trapped");
    return right ? ["passed", ""] : ["failed", `expected ${record.expect}, found ${answer.end}`];
  }
  if (answer.end === "rejected") return ["refused", said(answer.why ?? "the module is rejected")];
  return record.ask === "check" ? check(record, answer, defs) : run(record, answer, expected);
}

function claim(expected, answer) {
  if (expected === "Malformed") return answer.end === "rejected" ? ["passed", ""] : ["failed", `expected the claim to be rejected, found ${answer.end}`];
  if (!CLAIMS.includes(answer.end)) return ["failed", `expected ${CLAIMS.join(", ")}, found ${answer.end}`];
  if (expected === "Unknown") return ["excluded", "the claim is not decided here"];
  if (answer.end === "unknown") return ["undecided", `the claim is ${expected.toLowerCase()} here`];
  if (answer.end !== expected.toLowerCase()) return ["failed", `the claim is ${expected.toLowerCase()}, found ${answer.end}`];
  return "model" in answer ? ["undecided", "a model is asked of a prover, which is not here: refrelax conformance judge has one"] : ["passed", ""];
}

function check(record, answer, defs) {
  if (answer.end !== "accepted") return ["failed", `expected accepted or rejected, found ${answer.end}`];
  return ("types" in answer && difference(record.types, answer.types, record.required?.types, defs)) || ["passed", ""];
}

function run(record, answer, expected) {
  if (expected === "Unspecified" || expected === "Exhausted") return ["excluded", `the run is open: ${record.expect}`];
  if (answer.end !== "returned" && answer.end !== "trapped") return ["failed", `expected returned or trapped, found ${answer.end}`];
  if (expected === "Trapped" || answer.end === "trapped") {
    const same = expected === "Trapped" && answer.end === "trapped";
    return same ? ["passed", ""] : ["failed", `expected ${record.expect}, found ${answer.end} ${said(answer.why ?? "")}`];
  }
  if (record.permitted === null) return ["excluded", "nothing is said of this result: it is an interval, or one decides control"];
  return returned(record, answer);
}

const isEffects = (x) => Array.isArray(x) && x.every((each) => typeof each === "object" && each !== null && !Array.isArray(each));
const given = (answer, key, otherwise) => (key in answer ? answer[key] : otherwise); // null is not what is left out
const names = (effects) => (isEffects(effects) ? effects.map(({ kind, name }) => `${said(kind)} ${said(name)}`).join("; ") : null);

function returned(record, answer) {
  const theirs = given(answer, "effects", []);
  if (names(theirs) !== names(record.effects)) return ["failed", `effects: expected ${names(record.effects)}, found ${names(theirs)}`];
  const left = given(answer, "arguments", []);
  if (!Array.isArray(left) || left.length !== record.arguments.length) return ["failed", `expected ${record.arguments.length} final arguments, found ${shown(left)}`];
  const value = answer.value ?? null;
  const payloads = theirs.map((each) => given(each, "payload", []));
  checked([value, left, payloads]);
  const found = sum([
    compare(record.permitted.value, record.value, value, "own"),
    compare(record.permitted.arguments, record.arguments, left, "parameter"),
    compare(record.permitted.effects, record.effects.map((each) => each.payload), payloads, "number"),
  ]);
  if (found.wrong !== null) return ["failed", found.wrong];
  return found.leftOut > 0 && found.inside === 0 ? ["excluded", NOTHING_ASKED] : ["passed", ""];
}

module.exports = { judge, endOf, REJECTIONS };
