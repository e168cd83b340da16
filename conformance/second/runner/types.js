// Deduced types held against those of a case (spec 01 "The protocol", 06 "sh/required").
"use strict";
const { isDeepStrictEqual } = require("node:util");
const { grade, PASS } = require("../types/lattice");
const { equality } = require("../shapes");
const { evaluate } = require("../scalars");
const { write } = require("./json");
const { isType } = require("./schema");

const isBase = (base, derived) => grade(base, derived) === PASS;
const FIELDS = { TensorType: "shape", ShapeType: "values", TupleType: "fields" };
const TRIES = 60;

/** [word, why] where types are not ours; null where they are. */
function difference(wanted, found, required = {}, defs) {
  let undecided = null;
  for (const [name, bindings] of Object.entries(wanted)) {
    const ours = symbols(bindings);
    const theirs = found?.[name];
    if (typeof theirs !== "object" || theirs === null) return ["failed", `types: expected an object for the function ${name}`];
    for (const [binding, type] of Object.entries(bindings)) {
      if (!(binding in theirs)) return ["failed", `types: ${name}/${binding} has none`];
      const word = isType(defs, theirs[binding]) && atDtypes(ours, theirs[binding]) ? held(type, theirs[binding], required[name]?.[binding]) : "failed";
      if (word === "passed") continue;
      const told = [word, `types: ${name}/${binding} is ${write(type).slice(0, 200)}, found ${write(theirs[binding]).slice(0, 200)}`];
      if (word === "failed") return told;
      undecided ??= told;
    }
  }
  return undecided;
}

/** Whether the symbols of a type are at the dtypes that they have in ours. */
const atDtypes = (ours, e) =>
  [...symbols(e)].every(([name, found]) => [...found].every((dtype) => ours.get(name)?.has(dtype) ?? true));

function held(wanted, found, coarsest) {
  if (isDeepStrictEqual(wanted, found)) return "passed";
  try {
    if (same(wanted, found)) return "passed";
    const between = coarsest !== undefined && isBase(found, wanted) && isBase(coarsest, found);
    if (between && (derivedAlike(wanted, found) || derivedAlike(coarsest, found))) return "passed";
    const pairs = dims(wanted, found);
    return pairs === null || pairs.some(([a, b]) => differ(a, b)) ? "failed" : "undecided";
  } catch {
    return "failed"; // it is no type
  }
}

const same = (wanted, found) => isBase(wanted, found) && isBase(found, wanted) && derivedAlike(wanted, found);

/** Whether the function types in two types have the same derivation functions. Subtyping looks at none beside
 * parameters. */
function derivedAlike(wanted, found) {
  const all = (a, b) => (a ?? []).every((each, k) => derivedAlike(each, b[k]));
  if (wanted.node !== found.node) return true;
  if (wanted.node === "TupleType") return all(wanted.fields, found.fields);
  if (wanted.node !== "FuncType") return true;
  if (wanted.derive_func !== (found.derive_func ?? null)) return false;
  if (wanted.derive_func !== null && wanted.params === null) return true; // its result is what that function deduces
  return all(wanted.params, found.params) && derivedAlike(wanted.ret, found.ret);
}

/** The dimensions of two types that differ in nothing else, pairwise; null where they do. */
function dims(wanted, found) {
  const field = FIELDS[wanted.node];
  const [ours, theirs] = [wanted[field], found[field]];
  if (wanted.node !== found.node) return null;
  if (!Array.isArray(ours) || !Array.isArray(theirs) || ours.length !== theirs.length) return isDeepStrictEqual(wanted, found) ? [] : null;
  if (!isDeepStrictEqual({ ...wanted, [field]: null }, { ...found, [field]: null })) return null;
  if (wanted.node !== "TupleType") return ours.map((each, k) => [each, theirs[k]]);
  const parts = ours.map((each, k) => dims(each, theirs[k]));
  return parts.includes(null) ? null : parts.flat();
}

/** The dtypes of the symbols of an expression or a type, by their names; a function type has symbols of its own. */
const symbols = (e, into = new Map()) => {
  if (e?.node === "SymVar") into.set(e.name, (into.get(e.name) ?? new Set()).add(e.dtype));
  else if (e?.node === "FuncType") return into;
  else if (typeof e === "object" && e !== null) Object.values(e).forEach((each) => symbols(each, into));
  return into;
};

/** Whether some extents tell two dimensions apart. A proof that none do is not looked for here. */
function differ(a, b) {
  if (equality(a, b) !== "open") return equality(a, b) === "different";
  const names = [...symbols([a, b]).keys()];
  for (let k = 0; k < TRIES; k++) {
    const at = new Map(names.map((name, place) => [name, BigInt((k * (2 * place + 3) + place + (k >> 2)) % 13)]));
    const [x, y] = [a, b].map((e) => valueAt(e, at));
    if (x !== null && y !== null && x !== y) return true;
  }
  return false;
}

const scope = (at) => ({
  lazy: true,
  get: (name) => at.get(name),
  with: (name, value) => scope(new Map([...at, [name, value]])),
  intrinsic: () => undefined,
});

function valueAt(e, at) {
  try {
    return evaluate(e, scope(at));
  } catch {
    return null;
  }
}

module.exports = { difference };
