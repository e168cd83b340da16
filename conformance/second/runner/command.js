// A command that answers the protocol, one line for one line (spec 01 "The protocol").
"use strict";
const { spawn } = require("node:child_process");
const { write } = require("./json");
const { read } = require("./lines");

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

const FORMS = ["tree", "text", "both"];

/** Whether an answer to hello is one: `profiles` are names, `takes` is a form. */
function isHello({ protocol, profiles = [], takes = "tree" }) {
  return protocol === 1 && Array.isArray(profiles) && profiles.every((each) => typeof each === "string") && FORMS.includes(takes);
}

class Command {
  constructor(words, deadline) {
    Object.assign(this, { words, deadline, process: null, hello: null });
  }

  /** What it says of itself; starts it if it does not run. */
  async start() {
    if (this.process === null) {
      this.process = spawn(this.words[0], this.words.slice(1), { stdio: ["pipe", "pipe", "inherit"], detached: true });
      Object.assign(this, { rest: Buffer.alloc(0), waiting: null, hello: null });
      this.process.stdin.on("error", () => {});
      const started = this.process;
      started.stdout.on("data", (bytes) => this.process === started && this.read(bytes));
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
      if (!isHello(found)) throw new Error(`no answer to hello: ${write(found).slice(0, 200)}`);
      this.hello = { profiles: found.profiles ?? null, takes: found.takes ?? "tree" };
    }
    return this.hello;
  }

  read(bytes) {
    this.rest = Buffer.concat([this.rest, bytes]);
    const end = this.waiting === null ? -1 : this.rest.indexOf("\n");
    if (end < 0) return;
    const line = this.rest.subarray(0, end);
    this.rest = this.rest.subarray(end + 1);
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
      this.waiting = (line) => done(Buffer.isBuffer(line) ? this.answerOf(line, asked.id) : line);
      this.process.stdin.write(`${write(asked)}\n`);
    });
  }

  answerOf(line, id) {
    const wrong = (what) => ({ end: "crash", why: `expected ${what}, found ${line.toString().slice(0, 60)}` });
    let found;
    try {
      found = read(line);
    } catch (error) {
      return { end: "crash", why: error.message };
    }
    if (found.id !== id) return wrong(`an answer to the request ${id}`);
    return this.rest.length === 0 ? found : wrong("one line for one request");
  }

  /** The answer to a case; what it does not have is not asked. */
  async ask(id, record) {
    let hello;
    try {
      await new Promise(setImmediate); // what it said unasked is there by then
      if (this.process !== null && this.rest.length > 0) this.close();
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
