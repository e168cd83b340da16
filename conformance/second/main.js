#!/usr/bin/env node
// A second implementation of Relax, written from the text of its specification alone.
// It answers the protocol of spec/01-conformance.md on standard input and output, one JSON object a line.
"use strict";
const readline = require("node:readline");
const { End } = require("./ends");
const { fromJson, toJson, argumentToJson } = require("./values");
const { readModule } = require("./module");
const { check } = require("./check");
const { run } = require("./run");

const NAME = "refrelax-second";
const PROFILES = ["static", "graph", "loops"];

function checked(asked) {
  const module = readModule(asked.tree, asked.constants.map(fromJson));
  return { module, types: check(module) };
}

function ran(asked) {
  const module = readModule(asked.tree, asked.constants.map(fromJson));
  checkedAsFarAsKnown(module);
  const args = asked.args.map(fromJson);
  const { value, effects } = run(module, asked.entry, args);
  const told = effects.map((e) => ({ kind: e.kind, name: e.name, payload: e.payload.map(toJson) }));
  return { end: "returned", value: toJson(value), arguments: args.map(argumentToJson), effects: told };
}

/** A module may lack what only its types are not known for here, and run all the same. */
function checkedAsFarAsKnown(module) {
  try {
    check(module);
  } catch (error) {
    if (!(error instanceof End) || error.kind !== "unsupported") throw error;
  }
}

function answer(asked) {
  switch (asked.ask) {
    case "hello": return { protocol: 1, name: NAME, profiles: PROFILES, takes: "tree" };
    case "check": return { end: "accepted", types: checked(asked).types };
    case "run": return ran(asked);
    default: return { end: "unsupported", why: `a request to ${asked.ask}` };
  }
}

function ended(asked) {
  try {
    return answer(asked);
  } catch (error) {
    if (error instanceof End) return { end: error.kind, why: error.message };
    if (error instanceof RangeError && error.message.includes("stack")) return { end: "unsupported", why: `node's stack: ${error.message}` };
    throw error; // a fault of ours: the process ends, the runner says "crash"
  }
}

if (require.main === module) {
  readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
    const asked = JSON.parse(line);
    process.stdout.write(`${JSON.stringify({ id: asked.id, ...ended(asked) })}\n`);
  });
}

module.exports = { ended };
