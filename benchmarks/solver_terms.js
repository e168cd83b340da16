// Draws typed terms of `sh/certificate` and what they come to, from the words of chapter 06b alone: a stack machine.
//
//   node benchmarks/solver_terms.js SEED FIRST LAST
//
// writes a line for each term: {"sort", "term", "points", "values"}. Integers are strings, so that none is rounded.
// A value is an integer, a truth, "none" (no value: sh/definedness) or "large" (nobody computes it). Symbols 0 to 2 are
// integers, 3 and 4 are truths. benchmarks/solver_terms.py holds our evaluators against these lines.

"use strict";

const INT = ["add", "sub", "mul", "floordiv", "floormod", "truncdiv", "truncmod", "min", "max", "shl", "shr", "and", "or",
  "xor"];
const COMPARED = ["lt", "le", "gt", "ge", "eq", "ne"];
const JOINED = ["and", "or", "implies", "iff"];
const WIDTHS = [4, 8, 8, 8, 16, 16, 32, 32, 32, 64, 64, 8, 16, 1, 7, 100];
const EDGES = [0n, 1n, -1n, 2n, 3n, 7n, 8n, -8n, 127n, 128n, -128n, -129n, 255n, 256n, 65535n, 2n ** 31n, -(2n ** 31n),
  2n ** 32n - 1n, 2n ** 63n, -(2n ** 63n) - 1n, 2n ** 64n];
const MOST_BITS = 60000n;

// --- numbers that look random, and are the same everywhere

function mixed(text) {
  let h = 2166136261;
  for (const c of text) h = Math.imul(h ^ c.codePointAt(0), 16777619);
  return h >>> 0;
}

class Draw {
  constructor(seed) { this.state = mixed(seed) || 1; }
  below(n) {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % n;
  }
  of(list) { return list[this.below(list.length)]; }
  number() {
    if (this.below(3)) return BigInt(this.below(24)) - 6n;
    return this.of(EDGES) + BigInt(this.below(3)) - 1n;
  }
}

// --- terms

function integer(draw, depth) {
  const kind = depth === 0 ? draw.below(3) : 3 + draw.below(20);
  if (kind < 2) return ["sym", draw.below(3)];
  if (kind === 2) return ["const", draw.number().toString()];
  const less = () => draw.below(depth);
  if (kind === 3) return ["select", truth(draw, less()), integer(draw, less()), integer(draw, less())];
  if (kind === 4) return [draw.of(["abs", "not"]), integer(draw, less())];
  if (kind < 8) return ["wrap", draw.of(["int", "uint"]) + draw.of(WIDTHS), integer(draw, less())];
  const op = draw.of(INT);
  const count = (op === "shl" || op === "shr") && draw.below(3) ? ["const", String(draw.below(12) - 1)] : null;
  return [op, integer(draw, less()), count || integer(draw, less())];
}

function truth(draw, depth) {
  const kind = draw.below(12);
  if (depth === 0 || kind === 0) {
    return kind === 1 ? [draw.of(["true", "false"])] : kind < 6 ? ["sym", 3 + draw.below(2)]
      : [draw.of(COMPARED), integer(draw, 0), integer(draw, 0)];
  }
  const less = () => draw.below(depth);
  if (kind === 1) return ["not", truth(draw, less())];
  if (kind === 2) return ["select", truth(draw, less()), truth(draw, less()), truth(draw, less())];
  if (kind < 7) return [draw.of(JOINED), truth(draw, less()), truth(draw, less())];
  return [draw.of(COMPARED), integer(draw, less()), integer(draw, less())];
}

// --- code of a machine with a stack: [operation, operand]; jumps make what is not needed stay unevaluated

function compile(term, isTruth, code) {
  const [op, ...rest] = term;
  const put = (name, operand) => code.push([name, operand]) - 1;
  const land = (place) => { code[place][1] = code.length; };
  if (op === "const") { put("push", BigInt(rest[0])); return code; }
  if (op === "true" || op === "false") { put("push", op === "true"); return code; }
  if (op === "sym") { put("load", rest[0]); return code; }
  if (op === "select") {
    compile(rest[0], true, code);
    const other = put("unless");
    compile(rest[1], isTruth, code);
    const end = put("jump");
    land(other);
    compile(rest[2], isTruth, code);
    land(end);
    return code;
  }
  if (isTruth && (op === "and" || op === "or" || op === "implies")) {
    compile(rest[0], true, code);
    if (op === "implies") put("negate");
    const end = put(op === "and" ? "keep-false" : "keep-true");
    compile(rest[1], true, code);
    land(end);
    return code;
  }
  const below = isTruth && (op === "not" || op === "iff");
  if (op === "wrap") { compile(rest[1], false, code); put("wrap", rest[0]); return code; }
  for (const part of rest) compile(part, below, code);
  put(op === "not" ? (isTruth ? "negate" : "complement") : op);
  return code;
}

const floor = (a, b) => { const q = a / b; return a % b !== 0n && (a < 0n) !== (b < 0n) ? q - 1n : q; };
const length = (a) => BigInt((a < 0n ? -a : a).toString(16).length * 4);

function divisor(b) { if (b === 0n) throw "none"; return b; }

const TWO = {
  add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, min: (a, b) => (a < b ? a : b),
  max: (a, b) => (a < b ? b : a), and: (a, b) => a & b, or: (a, b) => a | b, xor: (a, b) => a ^ b,
  floordiv: (a, b) => floor(a, divisor(b)), floormod: (a, b) => a - b * floor(a, divisor(b)),
  truncdiv: (a, b) => a / divisor(b), truncmod: (a, b) => a % divisor(b),
  shl: (a, b) => { if (b < 0n) throw "none"; if (a !== 0n && b > 4096n) throw "large"; return a === 0n ? 0n : a << b; },
  shr: (a, b) => { if (b < 0n) throw "none"; return b > length(a) ? (a < 0n ? -1n : 0n) : a >> b; },
  lt: (a, b) => a < b, le: (a, b) => a <= b, gt: (a, b) => a > b, ge: (a, b) => a >= b, eq: (a, b) => a === b,
  ne: (a, b) => a !== b, iff: (a, b) => a === b,
};

function run(code, point) {
  const stack = [];
  for (let at = 0; at < code.length; at += 1) {
    const [op, operand] = code[at];
    const top = stack.length - 1;
    if (op === "push") stack.push(operand);
    else if (op === "load") stack.push(point[operand]);
    else if (op === "jump") at = operand - 1;
    else if (op === "unless") { if (!stack.pop()) at = operand - 1; }
    else if (op === "keep-false") { if (stack[top]) stack.pop(); else at = operand - 1; }
    else if (op === "keep-true") { if (stack[top]) at = operand - 1; else stack.pop(); }
    else if (op === "negate") stack[top] = !stack[top];
    else if (op === "complement") stack[top] = -stack[top] - 1n;
    else if (op === "abs") stack[top] = stack[top] < 0n ? -stack[top] : stack[top];
    else if (op === "wrap") {
      const width = Number(operand.replace(/\D/g, ""));
      stack[top] = operand[0] === "u" ? BigInt.asUintN(width, stack[top]) : BigInt.asIntN(width, stack[top]);
    } else {
      const b = stack.pop();
      const a = stack.pop();
      const found = TWO[op](a, b);
      if (typeof found === "bigint" && (found > 2n ** 3000n || found < -(2n ** 3000n)) && length(found) > MOST_BITS) {
        throw "large";
      }
      stack.push(found);
    }
  }
  return stack.pop();
}

function valued(code, point) {
  try {
    const found = run(code, point);
    return typeof found === "bigint" ? found.toString() : found;
  } catch (error) {
    if (error === "none" || error === "large") return error;
    throw error;
  }
}

const [seed, first, last] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
let lines = [];
for (let number = first; number < last; number += 1) {
  const draw = new Draw(`${seed}/${number}`);
  const isTruth = draw.below(5) < 2;
  const depth = 1 + draw.below(5);
  const term = isTruth ? truth(draw, depth) : integer(draw, depth);
  const code = compile(term, isTruth, []);
  const points = [0, 1, 2].map(() => [draw.number(), draw.number(), draw.number(), !draw.below(2), !draw.below(2)]);
  const said = points.map((point) => point.map((each) => (typeof each === "bigint" ? each.toString() : each)));
  lines.push(JSON.stringify({ sort: isTruth ? "bool" : "int", term, points: said, values: points.map((p) => valued(code, p)) }));
  if (lines.length === 1000) { process.stdout.write(`${lines.join("\n")}\n`); lines = []; }
}
if (lines.length) process.stdout.write(`${lines.join("\n")}\n`);
