// Every one-place mutant of JavaScript files, as JSON on standard output: {file, line, start, end, text, kind, was}.
// Run as `node --expose-internals tools/second_mutants.js FILE…`: the parser is the one that node itself brings.
"use strict";
const fs = require("node:fs");
const { parse } = require("internal/deps/acorn/acorn/dist/acorn");

const SWAPS = {
  "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+", "*": "+", "/": "*", "%": "/",
  "**": "*", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<",
};
const NAMES = { min: "max", max: "min", floor: "ceil", ceil: "floor", every: "some", some: "every", trunc: "floor", abs: "sign" };

/** What tells people why, and what ends a request that is not supported, carries no meaning. */
const TELLS = new Set(["rejected", "trapped", "open", "unsupported", "require", "End"]);

function* mutants(node, source, inside) {
  if (node === null || typeof node !== "object") return;
  if (Array.isArray(node)) {
    for (const part of node) yield* mutants(part, source, inside);
    return;
  }
  if (typeof node.type !== "string") return;
  if ((node.type === "CallExpression" || node.type === "NewExpression") && TELLS.has(node.callee.name)) return;
  yield* ofNode(node, source);
  for (const [key, part] of Object.entries(node)) if (key !== "type") yield* mutants(part, source, node);
}

const text = (node, source) => source.slice(node.start, node.end);

function* ofNode(node, source) {
  const replaced = (part, by, kind) => ({ start: part.start, end: part.end, text: by, kind, was: text(part, source).slice(0, 60) });
  switch (node.type) {
    case "BinaryExpression": {
      const to = Object.hasOwn(SWAPS, node.operator) ? SWAPS[node.operator] : null;
      if (!to) return;
      const [left, right] = [text(node.left, source), text(node.right, source)];
      yield replaced(node, `(${left} ${to} ${right})`, `${node.operator} becomes ${to}`);
      return;
    }
    case "LogicalExpression": {
      if (node.operator === "??") return;
      const [left, right] = [text(node.left, source), text(node.right, source)];
      const other = node.operator === "&&" ? "||" : "&&";
      yield replaced(node, `(${left} ${other} ${right})`, `${node.operator} becomes ${other}`);
      yield replaced(node, `(${left})`, `right operand of ${node.operator} dropped`);
      yield replaced(node, `(${right})`, `left operand of ${node.operator} dropped`);
      return;
    }
    case "IfStatement":
      yield replaced(node.test, "true", "condition always true");
      yield replaced(node.test, "false", "condition always false");
      return;
    case "ConditionalExpression":
      yield replaced(node, `(${text(node.consequent, source)})`, "first arm always");
      yield replaced(node, `(${text(node.alternate, source)})`, "second arm always");
      return;
    case "UnaryExpression":
      if (node.operator === "!" || node.operator === "-") yield replaced(node, text(node.argument, source), `${node.operator} dropped`);
      return;
    case "Literal":
      if (typeof node.value === "boolean") yield replaced(node, String(!node.value), "truth flipped");
      else if (node.bigint !== undefined) yield replaced(node, `${BigInt(node.bigint) + 1n}n`, "constant off by one");
      else if (typeof node.value === "number" && Number.isInteger(node.value)) yield replaced(node, String(node.value + 1), "constant off by one");
      return;
    case "SwitchCase":
      if (node.test !== null && node.consequent.length > 0) yield replaced(node, "", "branch removed");
      return;
    case "ExpressionStatement":
      if (node.expression.type === "CallExpression") yield replaced(node, ";", "statement removed");
      return;
    case "MemberExpression": {
      const to = node.property.type === "Identifier" && Object.hasOwn(NAMES, node.property.name) ? NAMES[node.property.name] : null;
      if (to) yield replaced(node.property, to, `${node.property.name} becomes ${to}`);
      return;
    }
    case "ObjectExpression": {
      const words = node.properties.filter((p) => p.type === "Property" && p.value.type === "Literal" && typeof p.value.value === "string");
      if (words.length < 2 || words.length < node.properties.length) return;
      for (const [k, p] of words.entries()) {
        const other = words[(k + 1) % words.length];
        if (other.value.raw !== p.value.raw) yield replaced(p.value, other.value.raw, "entry of a table swapped");
      }
      return;
    }
    default:
  }
}

const found = [];
for (const file of process.argv.slice(2)) {
  const source = fs.readFileSync(file, "utf8");
  const tree = parse(source, { ecmaVersion: 2023, sourceType: "script", allowHashBang: true });
  for (const each of mutants(tree.body, source, null)) {
    found.push({ file, line: source.slice(0, each.start).split("\n").length, ...each });
  }
}
process.stdout.write(JSON.stringify(found));
