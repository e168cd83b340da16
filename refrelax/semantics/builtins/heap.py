"""The shape heap: an int64 tensor with one slot for every symbolic dimension, and the library functions on it.

Codes of ``match_*``: 0 equal to the immediate, 1 store in the slot, 2 nothing, 3 equal to the slot.
Codes of ``make_*``: 0 the immediate, 1 load from the slot.

Spec: ``spec/08-effects-and-storage.md``, *The virtual machine's library*.
"""

from __future__ import annotations

from typing import Any

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.builtins.checks import failed, number, text_of
from refrelax.semantics.graph.machine import Machine
from refrelax.semantics.values import Prim, Shape, TensorValue, empty
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.types import PrimType

EQUALS_IMMEDIATE, STORE, NOTHING, EQUALS_SLOT = range(4)
IMMEDIATE, LOAD = range(2)


@rule("vm/alloc-shape-heap")
def alloc_shape_heap(run: Machine, args: list[Any], call: Call) -> Any:
    """``(size,)``: a heap with no slot written."""
    size = number(args[0], call.span)
    if size < 0:
        raise unspecified("vm/argument", f"a heap of {size} slots", call.span)
    run.meter.make(size)
    return empty(run.numerics, "int64", (size,), name="shape heap")


@rule("vm/heap-slot")
def _slot(heap: Any, slot: int, span: Span | None) -> TensorValue:
    if not isinstance(heap, TensorValue) or heap.dtype != "int64" or heap.ndim != 1 or not 0 <= slot < heap.size:
        raise unspecified("vm/heap-slot", f"slot {slot} of a shape heap that has none such", span)
    return heap


def read(run: Machine, heap: Any, slot: int, span: Span | None) -> int:
    """The number in a slot."""
    return run.numerics.to_index(_slot(heap, slot, span)[slot], "int64")


def write(run: Machine, heap: Any, slot: int, value: int, span: Span | None) -> None:
    """Put a number in a slot."""
    tensor = _slot(heap, slot, span)
    tensor.storage.store("int64", tensor.offset + slot, run.numerics.at("int64").lit(value))


def _match(run: Machine, found: int, heap: Any, code: int, slot: int, what: str, args: list[Any], c: Call) -> None:
    if code == STORE:
        write(run, heap, slot, found, c.span)
    elif code in (EQUALS_IMMEDIATE, EQUALS_SLOT):
        wanted = slot if code == EQUALS_IMMEDIATE else read(run, heap, slot, c.span)
        if found != wanted:
            raise failed(text_of(args), "shape", f"{what}: expected {wanted}, found {found}", c.span)
    elif code != NOTHING:
        raise unspecified("vm/argument", f"{code} is no code of a match", c.span)


@rule("vm/match-shape")
def match_shape(run: Machine, args: list[Any], call: Call) -> Any:
    """``(value, heap, n, code, slot, …, context)``: hold each extent of a shape or tensor against the heap."""
    value, heap, size = args[0], args[1], number(args[2], call.span)
    dims = value.shape if isinstance(value, TensorValue) else value.dims if isinstance(value, Shape) else None
    if dims is None:
        raise failed(text_of(args), "type", "expected a tensor or a shape", call.span)
    if len(dims) != size:
        raise failed(text_of(args), "rank", f"expected {size} dimensions, found {len(dims)}", call.span)
    if len(args) < 3 + 2 * size:
        raise unspecified("vm/argument", f"match_shape of {size} dimensions found {len(args)} arguments", call.span)
    for axis, extent in enumerate(dims):
        code, slot = (number(each, call.span) for each in args[3 + 2 * axis : 5 + 2 * axis])
        _match(run, extent, heap, code, slot, f"dimension {axis}", args, call)
    return ()


@rule("vm/match-prim-value")
def match_prim_value(run: Machine, args: list[Any], call: Call) -> Any:
    """``(k, heap, code, slot, context)``: hold a scalar against the heap."""
    code, slot = number(args[2], call.span), number(args[3], call.span)
    _match(run, number(args[0], call.span), args[1], code, slot, "the value", args, call)
    return ()


def _made(run: Machine, heap: Any, code: int, slot: int, call: Call) -> int:
    if code == IMMEDIATE:
        return slot
    if code == LOAD:
        return read(run, heap, slot, call.span)
    raise unspecified("vm/argument", f"{code} is no code of a made value", call.span)


@rule("vm/make-shape")
def make_shape(run: Machine, args: list[Any], call: Call) -> Any:
    """``(heap, n, code, slot, …)``: a shape from immediates and slots."""
    size = number(args[1], call.span)
    if len(args) < 2 + 2 * size or size < 0:
        raise unspecified("vm/argument", f"make_shape of {size} dimensions found {len(args)} arguments", call.span)
    codes = [number(each, call.span) for each in args[2 : 2 + 2 * size]]
    return Shape(tuple(_made(run, args[0], codes[2 * k], codes[2 * k + 1], call) for k in range(size)))


@rule("vm/make-prim-value")
def make_prim_value(run: Machine, args: list[Any], call: Call) -> Any:
    """``(heap, code, slot)``: a scalar from an immediate or a slot, of the dtype that the call promises."""
    value = _made(run, args[0], number(args[1], call.span), number(args[2], call.span), call)
    wanted = call.ty_args[0] if call.ty_args else None
    dtype = wanted.dtype if isinstance(wanted, PrimType) else "int64"
    if dtypes.kind(dtype) == "bool":
        return Prim(dtype, value != 0)
    low, high = dtypes.integer_range(dtype) if dtypes.is_integer(dtype) else (1, 0)
    if not low <= value <= high:
        raise unspecified("vm/argument", f"{value} is no {dtype} of a scalar that is made", call.span)
    return Prim(dtype, value)
