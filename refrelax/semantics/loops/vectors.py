"""Vector expressions: every lane by itself, as a tuple of payloads.

All lanes of a loaded vector are read before any lane of the statement's result is stored.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from refrelax.errors import InternalError, unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.elements import build_element, build_if_then_else, build_let
from refrelax.semantics.loops.frame import Builder, Element, Frame, Index, Run
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.memory import build_load, build_store
from refrelax.semantics.loops.visit import with_operands
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.types.purity import may_act
from refrelax.syntax import dtypes
from refrelax.syntax.loops import BufferStore
from refrelax.syntax.scalars import (
    Binary,
    Broadcast,
    BufferLoad,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Ramp,
    Select,
    Shuffle,
    SymVar,
    int_imm,
    literal_int,
    walk,
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
        case BufferLoad() if all(dtypes.lanes(i.dtype) == 1 for i in expr.indices):
            return _picked(expr, k)  # the buffer's own elements are vectors
        case BufferLoad():
            indices = tuple(lane(i, k) for i in expr.indices)
            mask = None if expr.predicate is None else lane(expr.predicate, k)
            return BufferLoad(expr.buffer, indices, dtypes.element(expr.dtype), mask, span=expr.span)
        case Intrinsic(op="vectorlow" | "vectorhigh" | "vectorcombine"):
            return _part(expr, k)
        case Intrinsic(op="get_active_lane_mask"):
            base, limit = expr.args
            return Binary("LT", Binary("Add", base, int_imm(k, base.dtype)), limit)
        case Intrinsic(op="reinterpret") if dtypes.lanes(expr.args[0].dtype) != dtypes.lanes(expr.dtype):
            return _picked(expr, k)
        case Intrinsic():
            args = tuple(lane(a, k) for a in expr.args)
            return Intrinsic(expr.op, args, dtypes.element(expr.dtype), expr.attrs, span=expr.span)
        case SymVar():
            return _picked(expr, k)  # a variable holds the tuple of its lanes
        case Let():
            return Let(expr.var, expr.value, lane(expr.body, k), span=expr.span)
        case Literal():
            return Literal(dtypes.element(expr.dtype), expr.bits)
        case _:
            raise InternalError(f"{type(expr).__name__} has no lanes")


def _picked(expr: PrimExpr, k: int) -> PrimExpr:
    return Shuffle((expr,), (int_imm(k, "int32"),))


def _part(expr: Intrinsic, k: int) -> PrimExpr:
    """``vectorlow``, ``vectorhigh``: the first and the second half; ``vectorcombine``: one vector after the other."""
    half = dtypes.lanes(expr.dtype)
    match expr.op:
        case "vectorlow":
            return lane(expr.args[0], k)
        case "vectorhigh":
            return lane(expr.args[0], k + half)
        case _:
            first = dtypes.lanes(expr.args[0].dtype)
            return lane(expr.args[0], k) if k < first else lane(expr.args[1], k - first)


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
    def pick(frame: Frame) -> Any:
        vector = whole(frame)
        return vector[k] if isinstance(vector, tuple) else vector  # a cell that means nothing: no lane of it does

    return pick


@rule("ev/vector-lanes")
def build_vector(build: Builder, expr: PrimExpr) -> Element:
    """A vector expression as a tuple of payloads, lane by lane; a vector variable holds its tuple already."""
    if dtypes.lanes(expr.dtype) < 1:
        return _scalable(expr)
    if isinstance(expr, SymVar):
        slot = build.elements[expr.name]
        return lambda frame: frame[slot]
    if isinstance(expr, BufferLoad) and _whole_vector(build, expr):
        return build_load(build, build.buffers[expr.buffer], [build_index(build, i) for i in expr.indices])
    if isinstance(expr, Shuffle) and len(expr.indices) == 1:
        return build_shuffle(build, expr)
    if isinstance(expr, Intrinsic) and expr.op == "reinterpret":
        source, target = (dtypes.lanes(each.dtype) for each in (expr.args[0], expr))
        if source != target:
            return build_reinterpreted(build, expr)
    return _after_calls(build, expr) if has_call(expr) else _lanes(build, expr)


def _lanes(build: Builder, expr: PrimExpr) -> Element:
    build.context.meter.step(dtypes.lanes(expr.dtype))  # before an expression is built for each
    lanes = [build_element(build, lane(expr, k)) for k in range(dtypes.lanes(expr.dtype))]
    return lambda frame: tuple(each(frame) for each in lanes)


def has_call(expr: PrimExpr) -> bool:
    """Whether a scalar in it calls a function, or changes memory: that happens once, not once a lane."""
    return any(isinstance(e, Intrinsic) and _is_number(e.dtype) and may_act(e) for e in walk(expr))


def _is_number(dtype: str) -> bool:
    return dtypes.lanes(dtype) == 1 and dtypes.kind(dtype) != "handle"


def _after_calls(build: Builder, expr: PrimExpr) -> Element:
    """A vector expression in which something is called: its scalars that call come first, left to right."""
    first: list[tuple[int, Element]] = []
    inner = build.child()
    rest = _called_first(inner, expr, first)
    whole = build_element(inner, rest) if isinstance(rest, SymVar) else _lanes(inner, rest)

    def run(frame: Frame) -> Any:
        for slot, each in first:
            frame[slot] = each(frame)
        return whole(frame)

    return run


def _called_first(inner: Builder, expr: PrimExpr, first: list[tuple[int, Element]]) -> PrimExpr:
    """``expr`` with variables for its scalars that call, whose elements ``first`` takes. What decides whether or under
    which names a part is evaluated is evaluated whole."""
    if not has_call(expr):
        return expr
    match expr:
        case Let():
            value = build_let(inner, expr)
        case Intrinsic(op="if_then_else"):
            value = build_if_then_else(inner, expr)
        case _ if dtypes.lanes(expr.dtype) == 1:
            value = build_element(inner, expr)
        case _:
            return with_operands(expr, lambda each: _called_first(inner, each, first))
    slot = inner.new_slot()
    name = f"{slot} called"
    inner.elements[name] = slot
    first.append((slot, value))
    return SymVar(name, expr.dtype)


def _scalable(node: PrimExpr | BufferStore) -> Element:
    """A vector of ``T.vscale() * k`` lanes: ``T.vscale()`` is a matter of the hardware."""

    def stop(_frame: Frame) -> None:
        message = "a scalable vector has no meaning in this edition of the spec"
        raise unspecified("ld/intrinsic-without-meaning", message, node.span)

    return stop


@rule("ld/intrinsic-without-meaning")
def of_other_width(expr: Intrinsic) -> Element | None:
    """What a ``reinterpret`` to another number of bits does; ``None`` of one to as many."""
    (arg,) = expr.args
    if dtypes.memory_bits(arg.dtype) == dtypes.memory_bits(expr.dtype):
        return None

    def stop(_frame: Frame) -> None:
        message = f"the bits of {arg.dtype} have no meaning as {expr.dtype}: the widths differ"
        raise unspecified("ld/intrinsic-without-meaning", message, expr.span)

    return stop


@rule("ev/reinterpret-lanes")
def build_reinterpreted(build: Builder, expr: Intrinsic) -> Element:
    """The bits of a vector (lane 0 lowest) cut into lanes of another width. Poison in any lane is poison in all."""
    if (stop := of_other_width(expr)) is not None:
        return stop
    numerics, (arg,) = build.context.numerics, expr.args
    source, target = dtypes.element(arg.dtype), dtypes.element(expr.dtype)
    given, assemble = build_element(build, arg), numerics.at(target).assemble
    size, width, count = dtypes.memory_bits(source), dtypes.memory_bits(target), dtypes.lanes(expr.dtype)

    def reinterpret(frame: Frame) -> Any:
        value = given(frame)
        lanes = value if isinstance(value, tuple) else (value,)
        for each in lanes:
            if isinstance(each, Poison):
                return each if count == 1 else (each,) * count
        parts = []
        for start in range(0, count * width, width):
            first, last = start // size, -(-(start + width) // size)
            parts.append(assemble(lanes[first:last], source, start - first * size))
        return parts[0] if count == 1 else tuple(parts)

    return reinterpret


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
    if any(dtypes.lanes(each.dtype) < 1 for each in (*store.indices, store.value)):
        return _scalable(store)
    count = max(dtypes.lanes(i.dtype) for i in store.indices)
    slot = build.new_slot()
    build.context.meter.step(count)
    first: list[tuple[int, Element]] = []
    if any(map(has_call, store.indices)):
        build = build.child()
        store = replace(store, indices=tuple(_called_first(build, each, first) for each in store.indices))
    predicate = (
        None if store.predicate is None else [build_index(build, lane(store.predicate, k)).run for k in range(count)]
    )
    stores = [_lane_store(build, store, slot, k) for k in range(count)]

    def run(frame: Frame) -> None:
        vector = value(frame)
        for place, each_first in first:
            frame[place] = each_first(frame)
        payloads = vector if isinstance(vector, tuple) else (vector,) * count
        for k, each in enumerate(stores):
            if predicate is None or predicate[k](frame):
                frame[slot] = payloads[k]
                each(frame)

    return run


def _lane_store(build: Builder, store: BufferStore, slot: int, k: int) -> Run:
    indices: list[Index] = [build_index(build, lane(i, k)) for i in store.indices]
    held: Any = lambda frame: frame[slot]  # noqa: E731
    return build_store(build, build.buffers[store.buffer], indices, held, store.span)
