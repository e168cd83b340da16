// Acceptances and refusals count in pairs (spec 01): who accepts everything, or refuses everything, tells nothing apart.
"use strict";
const { judge, endOf, REJECTIONS } = require("./judge");

const refuses = (record) => REJECTIONS.has(endOf(record));
const traps = (record) => endOf(record) === "Trapped";
const onlyChecked = (record) => record.ask === "check" || refuses(record);
const keys = (record) => [String(record.rule), `${String(record.rule).split("/")[0]}/`, ""];
const mayBePartner = (record) => record.ask !== "prove" && endOf(record) !== "Unlinkable";

/** By rule, by area and over all: for acceptances (false) and refusals, which were right. */
function rightWays(records, said) {
  const ways = new Map();
  for (const record of records) {
    const word = said.get(record.name)[0];
    if (!mayBePartner(record) || word === "unsupported" || word === "excluded") continue;
    for (const key of keys(record)) {
      const at = `${key} ${refuses(record)}`;
      ways.set(at, [...(ways.get(at) ?? []), word === "passed"]);
    }
  }
  return ways;
}

const partners = (record, ways, refused) => keys(record).map((key) => ways.get(`${key} ${refused}`)).find(Boolean) ?? null;

/** The word and the reason of every case, by its name; `answers` by name, `defs` of the schema of modules. */
function score(records, answers, defs) {
  const said = new Map(records.map((r) => [r.name, answers.has(r.name) ? judge(r, answers.get(r.name), defs) : ["not judged", "there is no answer"]]));
  const right = rightWays(records, said);
  const returned = rightWays(records.filter((r) => r.expect === "Returned"), said);
  return new Map(records.map((r) => [r.name, settled(r, said.get(r.name), right, returned)]));
}

function settled(record, [word, why], right, returned) {
  if (word !== "passed" || !(traps(record) || onlyChecked(record))) return [word, why];
  const found = traps(record) ? partners(record, returned, false) : partners(record, right, !refuses(record));
  const enough = found === null ? traps(record) : found.some(Boolean);
  return enough ? [word, why] : ["not judged", `no answer the other way about ${record.rule} is right, so this one says nothing`];
}

module.exports = { score };
