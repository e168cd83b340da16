// The scalars and buffers of a call of a loop-level function, and what an expression does to memory (spec 07).
"use strict";
const { open, unsupported } = require("./ends");
const { Tensor, Prim } = require("./values");
const { evaluate, index, elementOf, dtypeOf } = require("./scalars");
const { Pointer, inside } = require("./buffers");
const { cFunctionOf } = require("./intrinsics");
const { dtype } = require("./dtypes");
const { cast } = require("./numbers");

class Frame {
  constructor(machine, parent = null) {
    this.machine = machine;
    this.parent = parent;
    this.scalars = new Map();
    this.buffers = new Map();
    this.lazy = false; // both sides of and, or are evaluated (ld/index-arithmetic)
  }

  get(name) {
    for (let frame = this; frame !== null; frame = frame.parent) if (frame.scalars.has(name)) return frame.scalars.get(name);
    throw unsupported(`no value of ${name}`);
  }

  has(name) {
    for (let frame = this; frame !== null; frame = frame.parent) if (frame.scalars.has(name)) return true;
    return false;
  }

  set(name, value) {
    this.scalars.set(name, value);
  }

  with(name, value) {
    const inner = new Frame(this.machine, this);
    inner.set(name, value);
    return inner;
  }

  inner() {
    return new Frame(this.machine, this);
  }

  buffer(name) {
    for (let frame = this; frame !== null; frame = frame.parent) if (frame.buffers.has(name)) return frame.buffers.get(name);
    throw unsupported(`no buffer ${name}`);
  }

  /** The places that indices name: one, or one a lane. */
  places(indices) {
    const each = indices.map((i) => evaluate(i, this));
    const lanes = each.find(Array.isArray);
    if (lanes === undefined) return each.map(index);
    return lanes.map((_, lane) => each.map((i) => index(Array.isArray(i) ? i[lane] : i)));
  }

  /** Element or lanes of a buffer; outside of its shape there is poison (ld/load-out-of-bounds). */
  load(e) {
    const buffer = this.buffer(e.buffer);
    const at = this.places(e.indices);
    const mask = e.predicate === null ? true : evaluate(e.predicate, this);
    const one = (place, taken) => (taken && inside(buffer, place) ? buffer.at(place) : null);
    return isVector(at) ? at.map((place, lane) => one(place, Array.isArray(mask) ? mask[lane] : mask)) : one(at, mask);
  }

  /** All lanes are computed before the first is written (ev/vector-store). */
  store(e) {
    const buffer = this.buffer(e.buffer);
    const value = evaluate(e.value, this);
    const at = this.places(e.indices);
    const mask = e.predicate === null ? true : evaluate(e.predicate, this);
    const one = (place, element, taken) => {
      if (!taken) return;
      if (!inside(buffer, place)) throw open("ld/store-out-of-bounds");
      buffer.store[buffer.place(place)] = element;
    };
    if (!isVector(at)) return one(at, value, mask);
    return at.forEach((place, lane) => one(place, Array.isArray(value) ? value[lane] : value, Array.isArray(mask) ? mask[lane] : mask));
  }

  /** A buffer as an argument. */
  reference(e) {
    const buffer = this.buffer(e.buffer);
    return e.part === "" ? buffer : new Pointer(buffer.store, buffer.base, buffer.dtype);
  }

  /** {value} of an intrinsic that is more than a function of its operands; undefined for any other. */
  intrinsic(e) {
    if (e.op.startsWith("cls.")) return { value: this.callFunction(e) };
    const first = e.args[0];
    switch (e.op) {
      case "address_of": return { value: this.addressOf(first) };
      case "tvm_access_ptr": return { value: this.accessPointer(e) };
      case "call_extern":
      case "call_pure_extern":
        if (cFunctionOf(first.value, e.dtype) !== undefined && !this.machine.registered(first.value)) return undefined;
        return { value: this.callLibrary(e) };
      case "call_packed":
      case "call_cpacked": return { value: this.callLibrary(e) };
      case "tvm_stack_make_shape": return { value: e.args.map((a) => index(evaluate(a, this))) };
      case "tvm_stack_make_array": return { value: this.stackArray(e) };
      case "vectorlow":
      case "vectorhigh": return { value: half(evaluate(first, this), e.op === "vectorlow") };
      case "vectorcombine": return { value: e.args.flatMap((a) => evaluate(a, this)) };
      case "reinterpret": return this.reinterpret(e);
      case "isnullptr": return { value: evaluate(first, this) === 0n ? 1n : 0n };
      case "assume": return this.assume(first);
      case "prefetch": return { value: null };
      default: return undefined;
    }
  }

  /** A pointer is the same at another type; lanes are cut. */
  reinterpret(e) {
    const from = dtype(dtypeOf(e.args[0]));
    if (from.kind === "handle") return { value: evaluate(e.args[0], this) };
    return from.lanes !== dtype(e.dtype).lanes ? cutLanes(e) : undefined;
  }

  /** A promise: where it does not hold, or is poison, the run is open. */
  assume(promise) {
    const truth = evaluate(promise, this);
    if (truth === null || truth === 0n) throw open("ev/assume");
    return { value: null };
  }

  callFunction(e) {
    const value = this.machine.call(e.op.slice(4), e.args.map((a) => argument(a, this)));
    return value instanceof Prim ? value.value : value;
  }

  callLibrary(e) {
    const [name, ...args] = e.args;
    const value = this.machine.library(name.value, args.map((a) => argument(a, this)));
    return value instanceof Prim ? cast(value.value, value.dtype, e.dtype) : 0n;
  }

  addressOf(e) {
    const buffer = this.buffer(e.buffer);
    return new Pointer(buffer.store, buffer.place(this.places(e.indices)), buffer.dtype);
  }

  accessPointer(e) {
    const pointer = evaluate(e.args[1], this);
    return new Pointer(pointer.store, pointer.place + index(evaluate(e.args[2], this)), pointer.dtype, index(evaluate(e.args[3], this)));
  }

  /** The tensor that is described (ev/stack-array). */
  stackArray(e) {
    const [data, shape, strides, , like] = e.args;
    if (strides.node === "Intrinsic") throw unsupported("strides of a stack array");
    const pointer = evaluate(data, this);
    return new Tensor(elementOf(like), evaluate(shape, this), pointer.store, undefined, pointer.place, pointer.place);
  }
}

const isVector = (at) => Array.isArray(at[0]);

function half(lanes, low) {
  const middle = lanes.length / 2;
  return low ? lanes.slice(0, middle) : lanes.slice(middle);
}

function cutLanes(e) {
  throw unsupported(`reinterpret to ${e.dtype}`);
}

/** An argument of a call: a number with its dtype, the tensor of a buffer, a vector over the memory of another handle. */
function argument(e, frame) {
  if (e.node === "BufferRef") return frame.buffer(e.buffer);
  const value = evaluate(e, frame);
  if (value instanceof Pointer) return new Tensor(value.dtype, [value.length], value.store, undefined, value.place, value.place);
  if (typeof value === "bigint" || typeof value === "number") return new Prim(dtypeOf(e), value);
  if (value === null) throw open("ld/index-arithmetic", "poison as an argument");
  return value;
}

module.exports = { Frame };
