// Mutants of the second implementation, asked in one process: `node tools/second_runner.js INPUT OUTPUT`, where the input
// is {root, requests, mutants: [{file, start, end, text}], most}, as JSON. The first line of the output is the list of the
// implementation's own answers; then a line a mutant: {"number", "asked", "answers": [[request, answer], …]}: which
// requests run the place of the mutant, and of those the answers that are others than the implementation's own, the first
// `most` of them; "late": the request that was being answered when its time was over.
//
// Which requests run a place is V8's own coverage, block by block. Every mutant begins with modules that are loaded anew.
"use strict";
const fs = require("node:fs");
const inspector = require("node:inspector");
const path = require("node:path");
const { fileURLToPath } = require("node:url");
const vm = require("node:vm");

const SECONDS = 10;
const { root, requests, mutants, most = Infinity } = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const PREFIX = "(function (exports, require, module) {";

const compile = (file, source) => new vm.Script(`${PREFIX}${source.replace(/^#!/, "//")}\n})`, { filename: file });
const sources = new Map();
const scripts = new Map();
const kept = (map, file, make) => map.get(file) ?? map.set(file, make()).get(file);
const sourceOf = (file) => kept(sources, file, () => fs.readFileSync(file, "utf8"));

/** The implementation, loaded anew; of the file of the mutant, its text. */
function implementation(mutant) {
  const loaded = new Map();
  function load(file) {
    if (loaded.has(file)) return loaded.get(file).exports;
    const module = { exports: {} };
    loaded.set(file, module);
    const theirs = (name) => (name.startsWith(".") ? load(path.resolve(path.dirname(file), name.endsWith(".js") ? name : `${name}.js`)) : require(name));
    const script = mutant !== null && file === mutant.path
      ? compile(file, sourceOf(file).slice(0, mutant.start) + mutant.text + sourceOf(file).slice(mutant.end))
      : kept(scripts, file, () => compile(file, sourceOf(file)));
    script.runInThisContext()(module.exports, theirs, module);
    return module.exports;
  }
  return load(path.join(root, "main.js")).ended;
}

function answer(ended, line) {
  try {
    return JSON.stringify(ended(JSON.parse(line)));
  } catch (error) {
    return JSON.stringify({ end: "crash", why: String(error) });
  }
}

/** How often each place was run since the last call: by file, ranges in the order from outer to inner. */
function coverage(session) {
  const found = new Map();
  session.post("Profiler.takePreciseCoverage", (error, told) => {
    if (error) throw new Error(error.message);
    for (const script of told.result) {
      const file = script.url.startsWith("file:") ? fileURLToPath(script.url) : script.url;
      if (file.startsWith(root)) found.set(file, script.functions.flatMap((f) => f.ranges));
    }
  });
  return found;
}

function isRun(ranges, place) {
  let inner = null;
  for (const range of ranges ?? []) {
    const holds = range.startOffset <= place && place < range.endOffset;
    if (holds && (inner === null || range.endOffset - range.startOffset <= inner.endOffset - inner.startOffset)) inner = range;
  }
  return inner !== null && inner.count > 0;
}

/** The implementation's own answers, and for each mutant the requests that run its place (all, if loading does). */
function observe() {
  const session = new inspector.Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const places = new Map();
  for (const each of mutants) places.set(`${each.path} ${each.start}`, { file: each.path, at: each.start + PREFIX.length, by: [] });
  const ended = implementation(null);
  const loading = coverage(session);
  for (const each of places.values()) each.always = isRun(loading.get(each.file), each.at);
  const own = requests.map((line, number) => {
    const given = answer(ended, line);
    const run = coverage(session);
    for (const each of places.values()) if (!each.always && isRun(run.get(each.file), each.at)) each.by.push(number);
    return given;
  });
  session.disconnect();
  return { own, places };
}

/** The short requests first: where a few answers are enough, they cost least. */
const byLength = (numbers) => [...numbers].sort((a, b) => requests[a].length - requests[b].length);

function differences(mutant, own, numbers) {
  const state = { number: 0, found: [] };
  globalThis.__ask = () => {
    const ended = implementation(mutant);
    for (const number of byLength(numbers)) {
      if (state.found.length >= most) return;
      state.number = number;
      const given = answer(ended, requests[number]);
      if (given !== own[number]) state.found.push([number, given]);
    }
  };
  try {
    vm.runInThisContext("__ask()", { timeout: SECONDS * 1000 });
  } catch (error) {
    if (error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return { answers: state.found, late: state.number };
    return { answers: requests.map((_, number) => [number, JSON.stringify({ end: "crash", why: String(error) })]) };
  }
  return { answers: state.found };
}

for (const each of mutants) each.path = path.join(root, each.file);
const { own, places } = observe();
const output = fs.openSync(process.argv[3], "w");
const tell = (value) => fs.writeFileSync(output, `${JSON.stringify(value)}\n`);
tell(own);
const all = requests.map((_, number) => number);
for (const [number, mutant] of mutants.entries()) {
  const place = places.get(`${mutant.path} ${mutant.start}`);
  const asked = place.always ? all : place.by;
  tell({ number, asked: place.always ? null : asked, ...differences(mutant, own, asked) });
}
