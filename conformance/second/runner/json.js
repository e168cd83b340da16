// JSON whose whole numbers keep all their digits: one beyond 2**53 becomes a BigInt (a bare number of a value may be any
// integer of 64 bits).
"use strict";
const { randomUUID } = require("node:crypto");

const TOKEN = /"(?:\\.|[^"\\])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARK = randomUUID(); // which stands in nobody's text
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");

const wide = (text) => /^-?\d{16,}$/.test(text) && !Number.isSafeInteger(Number(text));

const whole = (_, value) => (typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value);

const parse = (text) => (/\d{16}/.test(text) ? JSON.parse(text.replace(TOKEN, (each) => (wide(each) ? `"${MARK}${each}"` : each)), whole) : JSON.parse(text));

/** JSON again, as it was read. */
const write = (value) => JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${MARK}${each}` : each)).replace(MARKED, "$1");

module.exports = { parse, write };
