// JSON whose whole numbers keep all their digits, however they are written: one beyond 2**53 becomes a BigInt (a bare
// number of a value may be any integer of 64 bits), and -0.0 is 0.
"use strict";
const { randomUUID } = require("node:crypto");

const TOKEN = /"(?:\\.|[^"\\])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const OTHERWISE = /\d{16}|\d[eE]|-0/; // what no other text needs to be looked through for
const MARK = randomUUID(); // which stands in nobody's text
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");

/** The digits of a whole number beyond 2**53; null of any other. */
function wide(text) {
  const number = Number(text);
  if (!Number.isInteger(number) || Number.isSafeInteger(number)) return /^-?\d+$/.test(text) && !Number.isFinite(number) ? text : null;
  const [, sign, before, behind = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  const [digits, places] = [before + behind, Number(exponent) - behind.length];
  if (places >= 0) return sign + digits + "0".repeat(places);
  return /^0*$/.test(digits.slice(places)) ? sign + digits.slice(0, places) : null;
}

function token(text) {
  if (text.startsWith('"')) return text;
  if (Object.is(Number(text), -0)) return "0";
  const digits = wide(text);
  return digits === null ? text : `"${MARK}${digits}"`;
}

const whole = (_, value) => (typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value);

const parse = (text) => (OTHERWISE.test(text) ? JSON.parse(text.replace(TOKEN, token), whole) : JSON.parse(text));

/** JSON again, as it was read. */
const write = (value) => JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${MARK}${each}` : each)).replace(MARKED, "$1");

module.exports = { parse, write };
