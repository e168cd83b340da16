// The values of variables and the integers of symbols in a call (spec 07).
"use strict";
const { open, unsupported } = require("./ends");
const { Prim } = require("./values");

class Scope {
  constructor(parent = null) {
    this.parent = parent;
    this.found = new Map();
    this.lazy = true; // and, or stop where the answer is known (sh/value)
  }

  /** The value of a variable. */
  value(name) {
    if (this.found.has(name)) return this.found.get(name);
    return this.parent.value(name);
  }

  has(name) {
    return this.found.has(name) || (this.parent !== null && this.parent.has(name));
  }

  set(name, value) {
    this.found.set(name, value);
  }

  /** A symbol gets its integer. */
  define(name, integer) {
    this.found.set(name, integer);
  }

  /** A name in a scalar expression: a symbol, or a variable that holds a prim value. */
  get(name) {
    const value = this.value(name);
    const scalar = value instanceof Prim ? value.value : value;
    if (scalar === null) throw open("ev/prim-value", "poison");
    return scalar;
  }

  with(name, value) {
    const inner = new Scope(this);
    inner.set(name, value);
    return inner;
  }

  load() {
    throw unsupported("a load in a graph-level scalar");
  }

  reference() {
    throw unsupported("a buffer in a graph-level scalar");
  }

  intrinsic() {
    return undefined;
  }
}

module.exports = { Scope };
