// How a request can end other than by a value (spec 09, 01 "The protocol").
"use strict";

/** An end of a request: `rejected`, `trapped`, `unsupported`. What the language leaves open is told as `trapped`: any
 * answer is permitted there. */
class End extends Error {
  constructor(kind, why) {
    super(why);
    this.kind = kind;
  }
}

const rejected = (rule, why) => new End("rejected", `${rule}: ${why}`);
const trapped = (rule, why = "") => new End("trapped", `${rule}: ${why}`);
const open = (rule, why = "") => new End("trapped", `open: ${rule}: ${why}`);
const unsupported = (what) => new End("unsupported", what);

module.exports = { End, rejected, trapped, open, unsupported };
