#!/usr/bin/env node
// Runs an exported suite on an implementation, or judges its answers, with node alone (spec 01 "The suite for other
// implementations"). Ends with 1 if anything is failed or refused.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { Command } = require("./command");
const { parse, write } = require("./json");
const { read } = require("./lines");
const { score } = require("./pairs");

const USAGE = `usage: refrelax-conformance SUITE --impl 'COMMAND …' [--answers FILE] [--deadline SECONDS] [--only TEXT] [--json]
       refrelax-conformance SUITE --judge FILE [--only TEXT] [--json]

SUITE is a folder that \`refrelax conformance export\` wrote.`;

const FORMAT = 5; // of the records (spec 01)

const VALUES = ["impl", "answers", "deadline", "only", "judge"];

function options(argv) {
  const found = { deadline: "60", only: "" };
  for (let k = 0; k < argv.length; k++) {
    const name = argv[k].startsWith("--") ? argv[k].slice(2) : "";
    if (name === "json") found.json = true;
    else if (VALUES.includes(name) && k + 1 < argv.length) found[name] = argv[++k];
    else if (name === "" && found.suite === undefined) found.suite = argv[k];
    else return null;
  }
  if (!(Number(found.deadline) > 0)) return null;
  return found.suite !== undefined && (found.impl === undefined) !== (found.judge === undefined) ? found : null;
}

function records(suite, only) {
  const { cases, format } = JSON.parse(fs.readFileSync(path.join(suite, "manifest.json"), "utf8"));
  if (format !== FORMAT) throw new Error(`expected a suite of format ${FORMAT}, found ${format}`);
  const chosen = cases.filter((name) => name.includes(only));
  if (chosen.length === 0) throw new Error(`no case is chosen: none has ${JSON.stringify(only)} in its name`);
  return chosen.map((name) => parse(fs.readFileSync(path.join(suite, `${name}.json`), "utf8")));
}

/** The words of a command: quotes keep blanks. */
const words = (text) => [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c);

async function asked(listed, found) {
  const command = new Command(words(found.impl), Number(found.deadline));
  const answers = new Map();
  const lines = [];
  try {
    for (const [k, record] of listed.entries()) {
      const answer = await command.ask(k + 1, record);
      answers.set(record.name, answer);
      const { id, ...rest } = answer;
      lines.push(`${write({ ...rest, case: record.name })}\n`);
    }
  } finally {
    command.close(); // (who said no hello still runs)
  }
  if (found.answers !== undefined) fs.writeFileSync(found.answers, lines.join(""));
  return answers;
}

/** Answers from a file, by the names of their cases. */
function kept(file) {
  const found = new Map();
  const text = fs.readFileSync(file);
  for (let start = 0, number = 1; start < text.length; number++) {
    const end = text.indexOf("\n", start);
    const line = text.subarray(start, end < 0 ? text.length : end);
    start += line.length + 1;
    if (line.toString().trim() === "") continue;
    const at = (what) => new Error(`${file}:${number}: ${what}`);
    let answer;
    try {
      answer = read(line);
    } catch (error) {
      throw at(error.message);
    }
    if (typeof answer.case !== "string") throw at('expected an object with "case" and "end"');
    if (found.has(answer.case)) throw at(`a second answer to ${answer.case}`);
    found.set(answer.case, answer);
  }
  return found;
}

function table(listed, said) {
  const counts = new Map();
  for (const record of listed) {
    const area = record.name.split("/")[0];
    const row = counts.get(area) ?? counts.set(area, {}).get(area);
    const [word] = said.get(record.name);
    row[word] = (row[word] ?? 0) + 1;
  }
  return counts;
}

const inWords = (row) => ["passed", "failed", "refused", "undecided", "excluded", "unsupported", "not judged"]
  .filter((word) => row[word] || word === "passed" || word === "failed").map((word) => `${row[word] ?? 0} ${word}`).join(", ");

/** What an implementation says that it does not have, by how many cases ask for it. */
function lacks(said) {
  const counts = new Map();
  for (const [word, why] of said.values()) if (word === "unsupported" && why) counts.set(why, (counts.get(why) ?? 0) + 1);
  const first = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([why, count]) => `${why} (${count})`);
  return first.length > 0 ? [`asked for most: ${first.join(", ")}${counts.size > 8 ? ", …" : ""}`] : [];
}

async function main() {
  const found = options(process.argv.slice(2));
  if (found === null) {
    console.error(USAGE);
    return 2;
  }
  const listed = records(found.suite, found.only);
  const { $defs } = JSON.parse(fs.readFileSync(path.join(found.suite, "schema", "module.json"), "utf8"));
  const said = score(listed, found.judge === undefined ? await asked(listed, found) : kept(found.judge), $defs);
  const total = {};
  for (const [word] of said.values()) total[word] = (total[word] ?? 0) + 1;
  if (found.json) {
    for (const r of listed) console.log(JSON.stringify({ case: r.name, rule: r.rule, profile: r.profile, expected: r.expect, verdict: said.get(r.name)[0], why: said.get(r.name)[1] }));
  } else {
    for (const [name, [word, why]] of said) if (word === "failed" || word === "refused") console.log(`${word}: ${name}: ${why}`);
    for (const [area, row] of table(listed, said)) if (row.passed || row.failed || row.refused) console.log(`${area.padEnd(24)} ${inWords(row)}`);
    console.log([inWords(total), ...lacks(said)].join("\n"));
  }
  return total.failed || total.refused ? 1 : 0;
}

main().then((code) => { process.exitCode = code; }, (error) => {
  console.error(`refrelax-conformance: ${error.message}`);
  process.exitCode = 3;
});
