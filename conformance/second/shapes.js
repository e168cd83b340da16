// Normal forms of dimensions, and when two are equal (spec 06 "Equality", "Bounds"). Symbols are extents: at least 0.
"use strict";
const { literal, dtype, isFloat, leastOf, greatestOf } = require("./dtypes");
const { dtypeOf } = require("./scalars");

// A polynomial is a Map from a monomial (atoms joined by "*", sorted; "" for the constant) to its coefficient.
const ATOMS = new Map(); // what an atom is: {low, high, quotient: [polynomial, divisor]}
const NUMBERS = new Map(); // a short name for each compound atom

const constant = (n) => (n === 0n ? new Map() : new Map([["", n]]));
const atom = (spelling, about = {}) => {
  if (!NUMBERS.has(spelling)) NUMBERS.set(spelling, `#${NUMBERS.size}`);
  const name = NUMBERS.get(spelling);
  ATOMS.set(name, about);
  return new Map([[name, 1n]]);
};

function add(p, q, factor = 1n) {
  const sum = new Map(p);
  for (const [monomial, c] of q) {
    const total = (sum.get(monomial) ?? 0n) + factor * c;
    if (total === 0n) sum.delete(monomial);
    else sum.set(monomial, total);
  }
  return sum;
}

function multiply(p, q) {
  let product = new Map();
  for (const [m, a] of p) {
    for (const [n, b] of q) product = add(product, new Map([[joined(m, n), a * b]]));
  }
  return product;
}

function joined(m, n) {
  const atoms = [...m.split("*"), ...n.split("*")].filter((x) => x !== "").sort();
  return atoms.filter((x, k) => !(x === atoms[k - 1] && ATOMS.get(x)?.truth)).join("*"); // a truth is its own square
}

const value = (p) => (p.size === 0 ? 0n : p.size === 1 && p.has("") ? p.get("") : null);
const spelled = (p) => [...p].sort(([a], [b]) => (a < b ? -1 : 1)).map(([m, c]) => `${c}[${m}]`).join("+");
const scaled = (p, c) => multiply(p, constant(c));
const floorDiv = (a, b) => (a % b !== 0n && a < 0n !== b < 0n ? a / b - 1n : a / b);
const gcd = (a, b) => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));

/** The interval of a polynomial: [low, high], null where there is no bound (sh/interval). */
function interval(p) {
  let [low, high] = [0n, 0n];
  for (const [monomial, c] of p) {
    let [a, b] = [1n, 1n];
    for (const name of monomial === "" ? [] : monomial.split("*")) {
      const { low: l = null, high: h = null } = ATOMS.get(name);
      [a, b] = a !== null && a >= 0n && l !== null && l >= 0n ? [a * l, b === null || h === null ? null : b * h] : [null, null];
    }
    const ends = c > 0n ? [a, b] : [b, a];
    low = low === null || ends[0] === null ? null : low + c * ends[0];
    high = high === null || ends[1] === null ? null : high + c * ends[1];
  }
  return [low, high];
}

/** By its interval, or by its coefficients once each atom is measured from a bound of its own (sh/never-negative, as far as it is known here). */
const neverNegative = (p) => (interval(p)[0] !== null && interval(p)[0] >= 0n) || [...(measured(p)?.values() ?? [-1n])].every((c) => c >= 0n);

/** Each atom as what it is above its lower bound, or below its upper one where it has no lower one; null where it has neither. */
function measured(p) {
  let sum = new Map();
  for (const [monomial, c] of p) {
    let product = constant(c);
    for (const name of monomial === "" ? [] : monomial.split("*")) {
      const { low = null, high = null } = ATOMS.get(name);
      if (low === null && high === null) return null;
      product = multiply(product, add(new Map([[name, low === null ? -1n : 1n]]), constant(low ?? high)));
    }
    sum = add(sum, product);
  }
  return sum;
}

/** The sum of the q for which `a` is the sum of the `b * q`, where `b` is one product; undefined if there is none (sh/required). */
function divided(a, b) {
  if (b.size !== 1) return undefined;
  const [[divisor, d]] = b;
  let found = new Map();
  for (const [m, c] of a) {
    const left = without(m, divisor);
    if (left === undefined || c % d !== 0n) return undefined;
    found = add(found, new Map([[left, c / d]]));
  }
  return found;
}

function without(monomial, divisor) {
  const atoms = monomial.split("*");
  for (const each of divisor.split("*")) {
    const k = atoms.indexOf(each);
    if (k < 0) return undefined;
    atoms.splice(k, 1);
  }
  return atoms.join("*");
}

/** a // b (sh/floor-quotient, sh/quotient-of-quotient). */
function quotient(a, b) {
  const d = value(b);
  if (d === null || d === 0n) return divided(a, b) ?? atom(`(${spelled(a)})//(${spelled(b)})`);
  if (d < 0n) return quotient(scaled(a, -1n), constant(-d));
  let out = new Map();
  let rest = new Map();
  for (const [m, c] of a) {
    const whole = floorDiv(c, d);
    if (whole !== 0n) out = add(out, new Map([[m, whole]]));
    if (c !== whole * d) rest = add(rest, new Map([[m, c - whole * d]]));
  }
  const left = remaining(rest, d);
  return add(out, left);
}

function remaining(rest, d) {
  const [low, high] = interval(rest);
  if (low !== null && high !== null && floorDiv(low, d) === floorDiv(high, d)) return constant(floorDiv(low, d));
  const common = [...rest].reduce((g, [m, c]) => (m === "" ? g : gcd(g, c)), d);
  if (common > 1n) {
    const shorter = new Map([...rest].map(([m, c]) => [m, floorDiv(c, common)]).filter(([, c]) => c !== 0n));
    return quotient(shorter, constant(d / common));
  }
  const names = [...rest.keys()].filter((m) => m !== "");
  const inner = names.length === 1 && rest.get(names[0]) === 1n ? ATOMS.get(names[0])?.quotient : undefined;
  if (inner !== undefined) {
    const k = rest.get("") ?? 0n;
    return quotient(add(inner[0], constant(k * inner[1])), constant(inner[1] * d));
  }
  const bound = (x) => (x === null ? null : floorDiv(x, d));
  return atom(`(${spelled(rest)})//${d}`, { low: bound(low), high: bound(high), quotient: [rest, d] });
}

/** The polynomials of which one is the least: `x + min(s, t)` has two. */
function members(p) {
  const name = [...p.keys()].find((m) => p.get(m) === 1n && ATOMS.get(m)?.members !== undefined);
  if (name === undefined) return [p];
  const rest = add(p, new Map([[name, 1n]]), -1n);
  return ATOMS.get(name).members.map((m) => add(rest, m));
}

/** sh/minimum: flattened, without what is at least another member, common parts taken out. */
function minimum(a, b) {
  const all = [...new Map([...members(a), ...members(b)].map((m) => [spelled(m), m])).values()];
  const left = all.filter((p) => !all.some((q) => q !== p && neverNegative(add(p, q, -1n))));
  const names = new Set(left.flatMap((m) => [...m.keys()]));
  let shared = new Map();
  for (const name of names) {
    const least = left.map((m) => m.get(name) ?? 0n).reduce((x, y) => (x < y ? x : y));
    shared = add(shared, new Map([[name, 1n]]), least);
  }
  shared = new Map([...shared].filter(([, c]) => c !== 0n));
  const rests = left.map((m) => add(m, shared, -1n));
  const common = rests.flatMap((m) => [...m.values()]).reduce(gcd, 0n);
  const parts = rests.map((m) => new Map([...m].map(([name, c]) => [name, c / common])));
  const ends = parts.map(interval);
  const low = ends.some(([l]) => l === null) ? null : ends.map(([l]) => l).reduce((x, y) => (x < y ? x : y));
  const highs = ends.map(([, h]) => h).filter((x) => x !== null);
  const high = highs.length === 0 ? null : highs.reduce((x, y) => (x < y ? x : y));
  return add(shared, atom(`min(${parts.map(spelled).sort().join(",")})`, { low, high, members: parts }), common);
}

const maximum = (a, b) => scaled(minimum(scaled(a, -1n), scaled(b, -1n)), -1n);
const truthAtom = (name) => atom(name, { low: 0n, high: 1n, truth: true });
const not = (p) => add(constant(1n), p, -1n);

/** p >= 0 as a polynomial (sh/comparison). */
function atLeastZero(p) {
  if (neverNegative(p)) return constant(1n);
  const opposite = add(constant(-1n), p, -1n);
  if (neverNegative(opposite)) return constant(0n);
  const name = (q) => {
    const common = [...q].reduce((g, [m, c]) => (m === "" ? g : gcd(g, c)), 0n);
    return spelled(new Map([...q].map(([m, c]) => [m, floorDiv(c, common)]).filter(([, c]) => c !== 0n)));
  };
  const leading = [...p].filter(([m]) => m !== "").sort(([a], [b]) => (a < b ? -1 : 1))[0][1];
  return leading > 0n ? truthAtom(`${name(p)}>=0`) : not(truthAtom(`${name(opposite)}>=0`));
}

function isZero(p) {
  const fixed = value(p);
  if (fixed !== null) return constant(fixed === 0n ? 1n : 0n);
  if (neverZero(p)) return constant(0n);
  const [a, b] = [spelled(p), spelled(scaled(p, -1n))];
  return truthAtom(`${a < b ? a : b}==0`);
}

function neverZero(p) {
  if (neverNegative(add(p, constant(-1n))) || neverNegative(add(scaled(p, -1n), constant(-1n)))) return true;
  const common = [...p].reduce((g, [m, c]) => (m === "" ? g : gcd(g, c)), 0n);
  return common !== 0n && (p.get("") ?? 0n) % common !== 0n;
}

const comparisons = {
  GE: (a, b) => atLeastZero(add(a, b, -1n)),
  LE: (a, b) => atLeastZero(add(b, a, -1n)),
  LT: (a, b) => not(atLeastZero(add(a, b, -1n))),
  GT: (a, b) => not(atLeastZero(add(b, a, -1n))),
  EQ: (a, b) => isZero(add(a, b, -1n)),
  NE: (a, b) => not(isZero(add(a, b, -1n))),
  And: multiply,
  Or: (a, b) => add(add(a, b), multiply(a, b), -1n),
};
const arithmetic = {
  Add: (a, b) => add(a, b),
  Sub: (a, b) => add(a, b, -1n),
  Mul: multiply,
  FloorDiv: quotient,
  FloorMod: (a, b) => add(a, multiply(b, quotient(a, b)), -1n),
  Min: minimum,
  Max: maximum,
  ...comparisons,
};

/** The normal form of a dimension. */
function normal(e) {
  switch (e.node) {
    case "Literal": return isFloat(e.dtype) ? opaque(e) : constant(literal(e));
    case "SymVar": return atom(e.name, e.dtype === "bool" ? { low: 0n, high: 1n, truth: true } : { low: 0n });
    case "Binary": return binary(e);
    case "Not": return not(normal(e.a));
    case "Cast": return convert(e);
    case "Select": return choice(e.condition, e.true_value, e.false_value);
    case "Intrinsic": return intrinsic(e);
    case "Let": return normal(substitute(e, new Map()));
    default: return opaque(e);
  }
}

/** Symbols replaced, all at once, and lets by what they stand for. */
function substitute(e, values) {
  if (typeof e !== "object") return e;
  if (e.node === "SymVar") return values.get(e.name) ?? e;
  if (e.node === "Let") return substitute(e.body, new Map([...values, [e.var.name, substitute(e.value, values)]]));
  if (Array.isArray(e)) return e.map((part) => substitute(part, values));
  return Object.fromEntries(Object.entries(e).map(([key, part]) => [key, substitute(part, values)]));
}

/** An operator on floats: the same of equal integers. */
const opaque = (e) => atom(JSON.stringify(fields(e)));
const fields = (e) => Object.entries(e).filter(([key]) => key !== "span").map(([key, part]) => [key, inside(part)]);

function inside(part) {
  if (typeof part !== "object") return part;
  if (Array.isArray(part)) return part.map(inside);
  if (part.node === "Let") return inside(substitute(part, new Map()));
  return isFloat(dtypeOf(part)) ? fields(part) : spelled(normal(part));
}

function binary(e) {
  if (isFloat(dtypeOf(e.a))) return opaque(e);
  const [a, b] = [normal(e.a), normal(e.b)];
  if (e.op in arithmetic) return arithmetic[e.op](a, b);
  const [x, y] = [value(a), value(b)];
  if (x !== null && y !== null && y !== 0n) return constant(e.op === "Div" ? x / y : x % y);
  const shown = neverNegative(a) && neverNegative(add(b, constant(-1n)));
  if (e.op === "Div") return shown ? quotient(a, b) : atom(`truncdiv(${spelled(a)},${spelled(b)})`);
  return shown ? arithmetic.FloorMod(a, b) : add(a, multiply(b, atom(`truncdiv(${spelled(a)},${spelled(b)})`)), -1n);
}

/** A conversion is its operand where the target holds every value that the operand can have (sh/cast). */
function convert(e) {
  const from = dtypeOf(e.value);
  if (isFloat(from) || dtype(e.dtype).kind !== "int") return opaque(e);
  const p = normal(e.value);
  const [low, high] = interval(p);
  const [least, greatest] = [leastOf(e.dtype), greatestOf(e.dtype)];
  const fits = low !== null && high !== null && low >= least && high <= greatest;
  if (fits || (leastOf(from) >= least && greatestOf(from) <= greatest)) return p;
  return atom(`cast(${e.dtype},${spelled(p)})`, { low: least, high: greatest });
}

function choice(condition, yes, no) {
  const [c, a, b] = [condition, yes, no].map(normal);
  return add(b, multiply(c, add(a, b, -1n)));
}

function intrinsic(e) {
  if (e.op === "if_then_else") return choice(...e.args);
  if (isFloat(dtypeOf(e.args[0]))) return opaque(e);
  const args = e.args.map(normal);
  const count = args.length === 2 ? value(args[1]) : null;
  if (count !== null && count >= 0n && count < 64n) {
    if (e.op === "shift_left") return scaled(args[0], 1n << count);
    if (e.op === "shift_right") return quotient(args[0], constant(1n << count));
  }
  const least = e.op === "shift_left" ? interval(args[1])[0] : null;
  if (least !== null && least >= 0n) return multiply(args[0], power(args[1]));
  if (e.op === "bitwise_and" && count > 0n && (count & (count + 1n)) === 0n) {
    return arithmetic.FloorMod(args[0], constant(count + 1n));
  }
  return atom(`${e.op}(${args.map(spelled).join(",")})`);
}

/** Two to an exponent that is never negative; the least value of the exponent comes out as a factor (sh/power-of-two). */
function power(exponent) {
  const [low, high] = interval(exponent);
  const least = low > 256n ? 256n : low;
  const rest = add(exponent, constant(-least));
  const top = high === null || high > 256n ? null : 1n << (high - least);
  return scaled(value(rest) === 0n ? constant(1n) : atom(`2**(${spelled(rest)})`, { low: 1n, high: top }), 1n << least);
}

/** "equal", "different" or "open" (sh/equal). */
function equality(a, b) {
  const difference = add(normal(a), normal(b), -1n);
  if (difference.size === 0) return "equal";
  return neverZero(difference) ? "different" : "open";
}

const provablyEqual = (a, b) => equality(a, b) === "equal";

module.exports = { equality, provablyEqual, normal, value, substitute };
