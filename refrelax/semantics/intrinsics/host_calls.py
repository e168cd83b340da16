"""Calls of the library from lowered host code: the arguments are elements of a record.

Spec: ``spec/07-evaluation.md``, *Host code*.
"""

from __future__ import annotations

from typing import Any

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.intrinsics.calls import as_number, call_library
from refrelax.semantics.intrinsics.records import (
    BITS,
    BOOL,
    BYTE_OFFSET,
    CODE,
    DATA,
    LANES,
    NDIM,
    SHAPE,
    STRIDES,
    TYPE_INDEX,
    VALUE,
    Entry,
    Extents,
    Key,
    Record,
    dtype_of,
    type_index,
)
from refrelax.semantics.loops.frame import Bound, Builder, Element, Frame
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.pointers import pointee
from refrelax.semantics.values import Prim, TensorValue
from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import Intrinsic


@rule("ev/call-packed-lowered")
def build_packed_call(build: Builder, call: Intrinsic, needed: bool = True) -> Element:
    """``(name, record, begin, end)``: elements ``begin`` to ``end`` of the record; the result goes to ``end``, and is
    the value of the call; ``needed``: not only for its effect."""
    name, handle, begin, end = call.args[:4]
    record, context, symbol = pointee(build, handle), build.context, getattr(name, "value", str(name))
    first, last = (build_index(build, each).constant for each in (begin, end))
    if not isinstance(record, Record) or first is None or last is None:
        raise unspecified("ld/unknown-handle", "the arguments of this call are no record", call.span)
    count = last

    def run(_frame: Frame) -> Any:
        args = [_value(build, record, k, call.span) for k in range(first, count)]
        result = call_library(context, symbol, args, call.span)
        record.cells[count, TYPE_INDEX] = ("int32", context.numerics.at("int32").lit(type_index(result)))
        record.cells[count, VALUE] = _as_field(build, result)
        return as_number(context, symbol, result, call) if needed else None

    return run


def _as_field(build: Builder, result: Any) -> Any:
    if isinstance(result, Prim):
        dtype = "float64" if dtypes.is_float(result.dtype) else "int64"
        return (dtype, build.context.numerics.at(dtype).lit(result.value))
    return result


def _value(build: Builder, record: Record, k: int, span: Span | None) -> Any:
    """Element ``k`` of a record of FFI values."""
    kind = _number(build, record, (k, TYPE_INDEX), span)
    if (k, VALUE) not in record.cells:
        raise _not_set(k, VALUE, span)
    match value := record.cells[k, VALUE]:
        case Entry(record=of, index=index):
            return _described(build, of, index, span)
        case (str() as dtype, payload):
            return _prim(build, dtype, payload, kind == BOOL, span)
        case (Bound() as bound, int() as origin):
            return _tensor(build, bound, (len(bound.cells) - origin,), origin)
        case _:
            return value


def _prim(build: Builder, dtype: str, payload: Any, is_bool: bool, span: Span | None) -> Prim | None:
    numerics = build.context.numerics
    if dtypes.is_float(dtype):
        if not numerics.exact_bits or numerics.poison_rule(payload) is not None:
            raise unspecified("num/undetermined", "a library function needs this scalar as a number", span)
        return Prim(dtype, bits.decode(dtype, numerics.at(dtype).to_bits(payload)))
    whole = numerics.to_index(payload, dtype)
    return Prim("bool", bool(whole)) if is_bool else Prim(dtype, whole)


def _number(build: Builder, record: Record, key: Key, span: Span | None) -> int:
    match record.cells.get(key):
        case (str() as dtype, payload):
            return build.context.numerics.to_index(payload, dtype)
    raise _not_set(*key, span)


def _not_set(k: int, field: int, span: Span | None) -> Exception:
    return unspecified("st/never-written", f"field {field} of element {k} of a record was not set", span)


@rule("ev/tensor-descriptor")
def _described(build: Builder, record: Record, k: int, span: Span | None) -> TensorValue:
    """The tensor that a descriptor describes: data, shape, strides and byte offset. Its device says nothing."""
    for field in (SHAPE, STRIDES, DATA):
        if (k, field) not in record.cells:
            raise _not_set(k, field, span)
    code, width, lanes, ndim = (_number(build, record, (k, f), span) for f in (CODE, BITS, LANES, NDIM))
    dtype = dtype_of(code, width, lanes)
    shape, strides = (_integers(build, record.cells.get((k, f)), ndim, span) for f in (SHAPE, STRIDES))
    start = 8 * _number(build, record, (k, BYTE_OFFSET), span) // dtypes.memory_bits(dtype)
    match record.cells.get((k, DATA)):
        case (Bound() as bound, int() as origin):
            origin = origin * dtypes.memory_bits(bound.dtype) // dtypes.memory_bits(dtype)
            bound.storage.plane(dtype, build.context.numerics)
            numerics = build.context.numerics
            return TensorValue(dtype, shape or (), bound.storage, numerics, origin + start, strides or (), origin)
    raise unspecified("ld/null-pointer", "a tensor without data is given to a library function", span)


def _integers(build: Builder, pointer: Any, count: int, span: Span | None) -> tuple[int, ...] | None:
    match pointer:
        case Extents(values=values):
            return values[:count]
        case (Bound() as bound, int() as origin):
            return tuple(
                build.context.numerics.to_index(each, "int64") for each in bound.cells[origin : origin + count]
            )
        case None:
            return None
    raise unspecified("ld/unknown-handle", "the shape of a tensor is not known", span)


def _tensor(build: Builder, bound: Bound, shape: tuple[int, ...], origin: int) -> TensorValue:
    return TensorValue(bound.dtype, shape, bound.storage, build.context.numerics, origin, pointer=origin)
