// JSON whose whole numbers keep all their digits: one beyond 2**53 becomes {whole: "its digits"} (a bare number of a
// value may be any integer of 64 bits).
"use strict";

const TOKEN = /"(?:\\.|[^"\\])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const wide = (text) => /^-?\d{16,}$/.test(text) && !Number.isSafeInteger(Number(text));

const parse = (text) => JSON.parse(/\d{16}/.test(text) ? text.replace(TOKEN, (each) => (wide(each) ? `{"whole":"${each}"}` : each)) : text);

/** JSON again, as it was read. */
const write = (value) => JSON.stringify(value).replace(/\{"whole":"(-?\d+)"\}/g, "$1");

module.exports = { parse, write };
