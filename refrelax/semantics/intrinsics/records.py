"""Records: what lowered host code passes arguments in, and how they are read and filled.

A function with the packed calling convention takes its arguments in one handle, given as a tuple. It reads them, and
the descriptors of tensors, with ``T.tvm_struct_get``. Before a library call it fills records of its own
(``T.tvm_stack_alloca``) with ``T.tvm_struct_set``.

Field numbers are those of ``TVMStructFieldKind`` (``include/tvm/tirx/builtin.h``); type indices those of the FFI.
Spec: ``spec/07-evaluation.md``, *Host code*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from refrelax.errors import trap, unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Bound, Builder, Element, Frame, Index, Run, fixed
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.pointers import bind_tensor, pointee, unknown
from refrelax.semantics.numbers.poison import NEVER_WRITTEN, Poison, poison
from refrelax.semantics.storage import Storage, Workspace, free
from refrelax.semantics.values import Prim, TensorValue, row_major
from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import Intrinsic, PrimExpr, StringImm

ADDRESS, DATA, SHAPE, STRIDES, NDIM, CODE, BITS, LANES, BYTE_OFFSET, DEVICE_ID, DEVICE_TYPE = range(11)
TYPE_INDEX, PADDING, VALUE = 13, 14, 15
INT64_ELEMENT = 17

CODES = {
    "int": 0, "uint": 1, "float": 2, "handle": 3, "bfloat": 4, "bool": 6, "float8_e3m4": 7, "float8_e4m3": 8,
    "float8_e4m3b11fnuz": 9, "float8_e4m3fn": 10, "float8_e4m3fnuz": 11, "float8_e5m2": 12, "float8_e5m2fnuz": 13,
    "float8_e8m0fnu": 14, "float6_e2m3fn": 15, "float6_e3m2fn": 16, "float4_e2m1fn": 17,
}  # fmt: skip
"""DLPack's codes, by the dtype without its width."""


def code_of(dtype: str) -> int | None:
    """DLPack's code of a dtype's element."""
    scalar = dtypes.element(dtype)
    return CODES.get(scalar, CODES.get(scalar.rstrip("0123456789")))


def dtype_of(code: int, width: int, lanes: int = 1) -> str:
    """The dtype of a DLPack code, a width and lanes."""
    family = next((name for name, each in CODES.items() if each == code), "uint")
    return dtypes.with_lanes(family if family == "bool" or "_" in family else f"{family}{width}", lanes)


NONE, INT, BOOL, FLOAT, POINTER, TENSOR, TEXT = 0, 1, 2, 3, 4, 7, 8
"""Type indices of FFI values."""

HOST = frozenset({"tvm_struct_get", "tvm_struct_set", "isnullptr", "tvm_throw_last_error", "TVMBackendFreeWorkspace"})
"""Intrinsics that read, fill or test records and pointers."""

Key = tuple[int, int]
"""Element and field."""


@dataclass(eq=False, slots=True)
class Record:
    """An array of FFI values or of tensor descriptors: ``cells`` by element and field."""

    cells: dict[Key, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """The address of one element of a record."""

    record: Record
    index: int


@dataclass(frozen=True, slots=True)
class Extents:
    """The shape or the strides of a tensor of the caller, as memory of int64s."""

    values: tuple[int, ...]


# --- what is known when the function is built ------------------------------------------------------------------------


def pointee_of_record(build: Builder, call: Intrinsic) -> Any:
    """What a handle read from a record, or new memory, points to; no other call gives a handle."""
    match call.op:
        case "tvm_stack_alloca":
            return _on_the_stack(build, call)
        case "TVMBackendAllocWorkspace":
            return _workspace(build, call)
        case "tvm_struct_get":
            base, (index, wanted) = pointee(build, call.args[0]), _place(build, call)
            found = _handle_in(base, index, wanted)
            if found is _UNKNOWN:
                raise unspecified("ld/unknown-handle", "this handle is not known before the run", call.span)
            return found
        case _:
            raise unknown(call)


_UNKNOWN = object()


def _handle_in(base: Any, index: int, wanted: int) -> Any:
    match base:
        case TensorValue() if wanted == ADDRESS:
            return base
        case TensorValue() if wanted == DATA:
            return bind_tensor("", base)
        case TensorValue() if wanted == SHAPE:
            return Extents(base.shape)
        case TensorValue() if wanted == STRIDES:
            return None if base.strides == row_major(base.shape) else Extents(base.strides)
        case tuple() if wanted == VALUE and index < len(base):
            return base[index]
        case Record() if wanted == ADDRESS:
            return Entry(base, index)
    return _UNKNOWN


def _place(build: Builder, call: Intrinsic) -> Key:
    index, wanted = (build_index(build, each).constant for each in call.args[1:3])
    if index is None or wanted is None:
        raise unspecified("ld/unknown-handle", "an element of a record that is not known before the run", call.span)
    return index, wanted


def _on_the_stack(build: Builder, call: Intrinsic) -> Record | Bound:
    kind, count = call.args
    if isinstance(kind, StringImm) and kind.value == "shape":
        return _memory(build, "int64", 8 * (build_index(build, count).constant or 0))
    return Record()


@rule("ev/workspace")
def _workspace(build: Builder, call: Intrinsic) -> Bound:
    """``(device type, device, bytes, code, bits)``: fresh memory of one kind of element."""
    count, code, width = (build_index(build, each).constant for each in call.args[2:5])
    if count is None or code is None or width is None:
        raise unspecified("ld/allocation-extent", "a workspace whose size is not known at the call", call.span)
    dtype = dtype_of(code, width)
    if not dtypes.is_dtype(dtype):
        raise unspecified("ld/allocation-extent", f"a workspace of elements of {width} bits", call.span)
    return _memory(build, dtype, count)


def _memory(build: Builder, dtype: str, nbytes: int) -> Bound:
    count = 8 * nbytes // dtypes.memory_bits(dtype)
    build.context.meter.make(count)
    storage = Storage(nbytes)
    cells = storage.planes[dtype] = Workspace([NEVER_WRITTEN] * count)
    return Bound("workspace", dtype, storage, cells, (fixed(count),), (fixed(1),), fixed(0), depth=build.depth)


@rule("ev/struct-get")
def known_field(build: Builder, call: Intrinsic) -> Index | None:
    """An integer field of the caller's arguments, or a test for null: a constant; ``None`` of the function's own
    records."""
    if call.op == "isnullptr":
        return fixed(int(pointee(build, call.args[0]) is None))
    base, (index, wanted) = pointee(build, call.args[0]), _place(build, call)
    match base:
        case TensorValue():
            found = _of_tensor(base, wanted)
        case Extents(values=values) if wanted == INT64_ELEMENT and index < len(values):
            found = values[index]
        case tuple() if wanted in (TYPE_INDEX, VALUE) and index < len(base):
            found = type_index(base[index]) if wanted == TYPE_INDEX else _union(base[index], call.dtype)
        case None:
            return _of_null(call)
        case _:
            return None
    if found is None:
        raise unspecified("ld/unknown-handle", f"field {wanted} of element {index} is none of this record", call.span)
    return fixed(found)


def _of_null(call: Intrinsic) -> Index:
    """A field that must not be read: an error only where it is."""

    def stop(_frame: Frame) -> int:
        raise unspecified("ld/null-pointer", "a field of null is read", call.span)

    return Index(stop)


def _of_tensor(tensor: TensorValue, wanted: int) -> int | None:
    return {
        NDIM: len(tensor.shape),
        CODE: code_of(tensor.dtype),
        BITS: dtypes.memory_bits(dtypes.element(tensor.dtype)),
        LANES: dtypes.lanes(tensor.dtype),
        BYTE_OFFSET: 0,
        DEVICE_ID: 0,
        DEVICE_TYPE: 1,
    }.get(wanted)


def type_index(value: Any) -> int:
    """The FFI's number for the kind of a value."""
    match value:
        case TensorValue():
            return TENSOR
        case None:
            return NONE
        case str():
            return TEXT
        case Prim(dtype="bool"):
            return BOOL
        case Prim(dtype=dtype):
            return FLOAT if dtypes.is_float(dtype) else INT
        case _:
            return POINTER


def _union(value: Any, dtype: str) -> int | None:
    """The 64 bits of a number, read as an integer."""
    if not isinstance(value, Prim):
        return None
    word = bits.encode("float64", value.value) if dtypes.is_float(value.dtype) else int(value.value)
    low, high = dtypes.integer_range(dtype)
    word &= (1 << dtypes.bits(dtype)) - 1
    return word if word <= high else word + 2 * low


# --- what happens while it runs --------------------------------------------------------------------------------------


def build_host(build: Builder, call: Intrinsic) -> Element:
    """A call of one of ``HOST``, for its value or effect."""
    match call.op:
        case "tvm_struct_get":
            return _get(build, call)
        case "isnullptr":
            truth = build.context.numerics.truth(bool((known_field(build, call) or fixed(0)).constant))
            return lambda _frame: truth
        case "tvm_struct_set":
            return _set(build, call)
        case "tvm_throw_last_error":
            return _throw(call)
        case _:  # TVMBackendFreeWorkspace
            return _free(build, call)


def _free(build: Builder, call: Intrinsic) -> Element:
    """``(device type, device, pointer)``: ends the life of a workspace; 0."""
    zero, base = build.context.numerics.at("int32").lit(0), pointee(build, call.args[2])
    storage = base.storage if isinstance(base, Bound) else None

    def run(_frame: Any) -> Any:
        if storage is not None:
            free(storage)
        return zero

    return run


def _get(build: Builder, call: Intrinsic) -> Element:
    numerics = build.context.numerics
    if dtypes.is_float(call.dtype):
        base, (index, _) = pointee(build, call.args[0]), _place(build, call)
        if isinstance(base, tuple):
            whole = dtypes.bits(call.dtype) == 64 and index < len(base)
            word = _union(base[index], "int64") if whole else None
            number = (
                poison("ev/struct-get") if word is None else numerics.at(call.dtype).from_bits(word & (1 << 64) - 1)
            )
            return lambda _frame: number
    else:
        known = known_field(build, call)
        if known is not None:
            lit, run = numerics.at(call.dtype).lit, known.run
            return lambda frame: lit(run(frame))
    (record, key), wanted = _own(build, call), call.dtype
    unlike = poison("ev/struct-get")

    def read(_frame: Frame) -> Any:
        match record.cells.get(key, NEVER_WRITTEN):
            case (str() as dtype, payload):
                if dtype == wanted:
                    return payload
                alike = dtypes.memory_bits(dtype) == dtypes.memory_bits(wanted)
                return numerics.at(wanted).assemble((payload,), dtype, 0) if alike else unlike
            case Poison() as nothing:
                return nothing
            case _:
                return unlike

    return read


def _own(build: Builder, call: Intrinsic) -> tuple[Record, Key]:
    base, (index, wanted) = pointee(build, call.args[0]), _place(build, call)
    match base:
        case Record():
            return base, (index, wanted)
        case Entry(record=record, index=first):
            return record, (first + index, wanted)
        case tuple():
            return Record(), (index, wanted)  # the result of a function, which its caller does not look at
    raise unspecified("ld/null-pointer" if base is None else "ld/unknown-handle", "no record to fill", call.span)


@rule("ev/struct-set")
def _set(build: Builder, call: Intrinsic) -> Element:
    """A handle is kept as what it points to, anything else as its payload; 0."""
    (record, key), given = _own(build, call), call.args[3]
    value, zero = kept(build, given), build.context.numerics.at("int32").lit(0)

    def store(frame: Frame) -> Any:
        record.cells[key] = value(frame)
        return zero

    return store


def kept(build: Builder, given: PrimExpr) -> Run:
    """What a record keeps of an expression."""
    if not given.dtype.startswith("handle") and not isinstance(given, StringImm):
        element, dtype = build_element(build, given), given.dtype
        return lambda frame: (dtype, element(frame))
    found = pointee(build, given)
    if not isinstance(found, Bound):
        return lambda _frame: found
    origin, bound = found.pointer.run, found
    return lambda frame: (bound, origin(frame))


@rule("ld/throw-last-error")
def _throw(call: Intrinsic) -> Element:
    def leave(_frame: Frame) -> None:
        raise trap("ld/throw-last-error", "a call of the library failed", call.span)

    return leave
