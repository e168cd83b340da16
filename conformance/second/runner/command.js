// A command that answers the protocol, one line for one line (spec 01 "The protocol").
"use strict";
const { spawn } = require("node:child_process");
const { parse, write } = require("./json");

const ASKED = ["constants", "entry", "args", "claim", "assume", "fits", "division"];

/** The request for a case; null if it has no module in a form that is taken. */
function request(id, record, takes) {
  const asked = { id, ask: record.ask, case: record.name };
  for (const key of ASKED) if (key in record) asked[key] = record[key];
  if (record.ask === "prove") return asked;
  const text = record.repeat && record.module !== null ? record.module.replaceAll(record.repeat[0], record.repeat[1].repeat(record.repeat[2])) : record.module;
  if (takes !== "text" && record.tree !== null) asked.tree = record.tree;
  if (takes !== "tree" && text !== null) asked.text = text;
  return "tree" in asked || "text" in asked ? asked : null;
}

/** How deep an answer may be nested: what reads it calls itself. */
const DEEPEST = 1000;

function isDeep(answer) {
  const parts = (level) => level.filter((each) => typeof each === "object" && each !== null);
  let level = [answer];
  for (let depth = 0; depth < DEEPEST; depth++) {
    level = parts(parts(level).flatMap((each) => Object.values(each)));
    if (level.length === 0) return false;
  }
  return true;
}

class Command {
  constructor(words, deadline) {
    Object.assign(this, { words, deadline, process: null, hello: null });
  }

  /** What it says of itself; starts it if it does not run. */
  async start() {
    if (this.process === null) {
      this.process = spawn(this.words[0], this.words.slice(1), { stdio: ["pipe", "pipe", "inherit"], detached: true });
      Object.assign(this, { rest: "", waiting: null, hello: null });
      this.process.stdin.on("error", () => {});
      const started = this.process;
      started.stdout.setEncoding("utf8").on("data", (text) => this.process === started && this.read(text));
      const gone = (why) => {
        if (this.process !== started) return; // it was ended, and another is asked by now
        this.process = null;
        this.waiting?.({ end: "crash", why });
      };
      started.on("error", (error) => gone(`it cannot be started: ${error.message}`));
      started.on("close", (code, signal) => gone(`its process ended with ${signal ?? code}`));
    }
    if (this.hello === null) {
      const found = await this.exchange({ id: 0, ask: "hello", protocol: 1 }, 60);
      if (found.protocol !== 1) throw new Error(`no answer to hello: ${write(found).slice(0, 200)}`);
      this.hello = { profiles: found.profiles ?? null, takes: found.takes ?? "tree" };
    }
    return this.hello;
  }

  read(text) {
    this.rest += text;
    const end = this.rest.indexOf("\n");
    if (end < 0 || this.waiting === null) return;
    const line = this.rest.slice(0, end);
    this.rest = this.rest.slice(end + 1);
    this.waiting(line);
  }

  exchange(asked, seconds) {
    return new Promise((resolve) => {
      const done = (answer) => {
        clearTimeout(timer);
        this.waiting = null;
        if (answer.end === "hang" || answer.end === "crash") this.close();
        resolve(answer);
      };
      const timer = setTimeout(() => done({ end: "hang", why: `no answer within ${seconds} s` }), 1000 * seconds);
      this.waiting = (line) => done(typeof line === "string" ? this.answerOf(line, asked.id) : line);
      this.process.stdin.write(`${write(asked)}\n`);
    });
  }

  answerOf(line, id) {
    const wrong = (what) => ({ end: "crash", why: `expected ${what}, found ${line.slice(0, 60)}` });
    let found;
    try {
      found = parse(line);
    } catch {
      return wrong("a JSON object on one line");
    }
    if (typeof found !== "object" || found === null || Array.isArray(found)) return wrong("a JSON object on one line");
    if (isDeep(found)) return { end: "crash", why: `expected an answer nested at most ${DEEPEST} deep` };
    if (found.id !== id) return wrong(`an answer to the request ${id}`);
    return this.rest === "" ? found : wrong("one line for one request");
  }

  /** The answer to a case; what it does not have is not asked. */
  async ask(id, record) {
    let hello;
    try {
      hello = await this.start();
    } catch (error) {
      if (this.everSaidHello) return { end: "crash", why: error.message };
      throw error;
    }
    this.everSaidHello = true;
    if (hello.profiles !== null && !hello.profiles.includes(record.profile)) return { end: "unsupported", why: `the profile ${record.profile}` };
    const asked = request(id, record, hello.takes);
    if (asked === null) return { end: "unsupported", why: `the case has no ${hello.takes}` };
    return this.exchange(asked, this.deadline);
  }

  /** End it, and what it started. */
  close() {
    const gone = this.process;
    this.process = null;
    if (gone === null || gone.pid === undefined) return;
    try {
      process.kill(-gone.pid, "SIGKILL");
    } catch {
      gone.kill("SIGKILL");
    }
  }
}

module.exports = { Command };
