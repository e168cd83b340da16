"""Vector expressions: every lane by itself, as a tuple of payloads.

All lanes of a loaded vector are read before any lane of the statement's result is stored.
"""

from __future__ import annotations

from typing import Any

from refrelax.errors import InternalError
from refrelax.rules import rule
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Builder, Element, Frame, Index, Run
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.memory import build_load, build_store
from refrelax.syntax import dtypes
from refrelax.syntax.loops import BufferStore
from refrelax.syntax.scalars import (
    Binary,
    Broadcast,
    BufferLoad,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    Ramp,
    Select,
    Shuffle,
    SymVar,
    int_imm,
    literal_int,
)


def lane(expr: PrimExpr, k: int) -> PrimExpr:
    """Lane ``k`` of a vector expression as a scalar expression; a scalar is every lane of itself."""
    if dtypes.lanes(expr.dtype) == 1:
        return expr
    match expr:
        case Ramp():
            step = Binary("Mul", expr.stride, int_imm(k, expr.stride.dtype))
            return Binary("Add", expr.base, step)
        case Broadcast():
            return expr.value
        case Shuffle():
            return Shuffle(expr.vectors, (expr.indices[k],))
        case Binary():
            return Binary(expr.op, lane(expr.a, k), lane(expr.b, k), span=expr.span)
        case Not():
            return Not(lane(expr.a, k))
        case Cast():
            return Cast(dtypes.element(expr.dtype), lane(expr.value, k), span=expr.span)
        case Select():
            return Select(lane(expr.condition, k), lane(expr.true_value, k), lane(expr.false_value, k))
        case BufferLoad():
            indices = tuple(lane(i, k) for i in expr.indices)
            return BufferLoad(expr.buffer, indices, dtypes.element(expr.dtype), span=expr.span)
        case Intrinsic():
            args = tuple(lane(a, k) for a in expr.args)
            return Intrinsic(expr.op, args, dtypes.element(expr.dtype), expr.attrs, span=expr.span)
        case SymVar():
            return Shuffle((expr,), (int_imm(k, "int32"),))  # a variable holds the tuple of its lanes
        case Literal():
            return Literal(dtypes.element(expr.dtype), expr.bits)
        case _:
            raise InternalError(f"{type(expr).__name__} has no lanes")


def build_shuffle(build: Builder, expr: Shuffle) -> Element:
    """A single lane picked from the concatenation of vectors."""
    (index,) = expr.indices
    assert isinstance(index, Literal)
    wanted = literal_int(index)
    for vector in expr.vectors:
        width = dtypes.lanes(vector.dtype)
        if wanted < width:
            whole = build_element(build, vector)
            return _lane_of(whole, wanted) if width > 1 else whole
        wanted -= width
    raise InternalError("a shuffle index beyond its vectors")


def _lane_of(whole: Element, k: int) -> Element:
    return lambda frame: whole(frame)[k]


@rule("ev/vector-lanes")
def build_vector(build: Builder, expr: PrimExpr) -> Element:
    """A vector expression as a tuple of payloads, lane by lane; a vector variable holds its tuple already."""
    if isinstance(expr, SymVar):
        slot = build.elements[expr.name]
        return lambda frame: frame[slot]
    if isinstance(expr, BufferLoad) and _whole_vector(build, expr):
        return build_load(build, build.buffers[expr.buffer], [build_index(build, i) for i in expr.indices])
    if isinstance(expr, Shuffle) and len(expr.indices) == 1:
        return build_shuffle(build, expr)
    lanes = [build_element(build, lane(expr, k)) for k in range(dtypes.lanes(expr.dtype))]
    return lambda frame: tuple(each(frame) for each in lanes)


def _whole_vector(build: Builder, load: BufferLoad) -> bool:
    """Whether the buffer's own elements are vectors, so that one cell holds all lanes."""
    return dtypes.lanes(build.buffers[load.buffer].dtype) > 1 and all(dtypes.lanes(i.dtype) == 1 for i in load.indices)


@rule("ev/vector-store")
def build_vector_store(build: Builder, store: BufferStore) -> Run:
    """``buffer[ramp] = vector``: all lanes are computed, then stored in lane order."""
    bound = build.buffers[store.buffer]
    value = build_element(build, store.value)
    if dtypes.lanes(bound.dtype) > 1:
        return build_store(build, bound, [build_index(build, i) for i in store.indices], value, store.span)
    count = max(dtypes.lanes(i.dtype) for i in store.indices)
    slot = build.new_slot()
    predicate = (
        None if store.predicate is None else [build_index(build, lane(store.predicate, k)).run for k in range(count)]
    )
    stores = [_lane_store(build, store, slot, k) for k in range(count)]

    def run(frame: Frame) -> None:
        payloads = value(frame)
        for k, each in enumerate(stores):
            if predicate is None or predicate[k](frame):
                frame[slot] = payloads[k]
                each(frame)

    return run


def _lane_store(build: Builder, store: BufferStore, slot: int, k: int) -> Run:
    indices: list[Index] = [build_index(build, lane(i, k)) for i in store.indices]
    held: Any = lambda frame: frame[slot]  # noqa: E731
    return build_store(build, build.buffers[store.buffer], indices, held, store.span)
