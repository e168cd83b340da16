// The lines of others: an answer is one JSON object in UTF-8, nested at most DEEPEST deep (spec 01 "The protocol").
"use strict";
const { parse, write } = require("./json");

/** How deep an answer may be nested: what reads it calls itself. */
const DEEPEST = 1000;

const HALF = /(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]/; // of a surrogate pair: what is written again shows no whole one so
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function isDeep(answer) {
  const parts = (level) => level.filter((each) => typeof each === "object" && each !== null);
  let level = [answer];
  for (let depth = 0; depth < DEEPEST; depth++) {
    level = parts(parts(level).flatMap((each) => Object.values(each)));
    if (level.length === 0) return false;
  }
  return true;
}

/** The answer on a line of bytes; an Error says what was expected. */
function read(bytes) {
  const wrong = () => new Error(`expected a JSON object on one line, found ${bytes.toString().slice(0, 60)}`);
  let found;
  try {
    found = parse(UTF8.decode(bytes));
  } catch {
    throw wrong();
  }
  if (typeof found !== "object" || found === null || Array.isArray(found)) throw wrong();
  if (isDeep(found)) throw new Error(`expected an answer nested at most ${DEEPEST} deep`);
  if (HALF.test(write(found))) throw wrong();
  return found;
}

module.exports = { read };
