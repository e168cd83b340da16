"""Exchanges between threads: what a call of one asks for, and what the thread does with the answer.

Spec: ``spec/07-evaluation.md``, *Threads*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.blocks import REDUCERS
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Builder, Frame, Run
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.launch import WARP, Ask, Request
from refrelax.semantics.loops.memory import build_store
from refrelax.semantics.loops.threads import BARRIER, EXCHANGES, MATRICES, WAITING
from refrelax.semantics.loops.visit import rebuild
from refrelax.syntax import dtypes
from refrelax.syntax.loops import AllocBuffer, AssertStmt, Bind, BufferStore, Evaluate, Return, Stmt
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    BufferRef,
    CommReducer,
    Intrinsic,
    Let,
    Literal,
    PrimExpr,
    StringImm,
    SymVar,
    int_imm,
    literal_int,
    walk,
)


@dataclass(frozen=True, slots=True)
class Hoisted:
    """An exchange taken out of its statement, and the slot that its value goes to."""

    call: Intrinsic
    slot: int | None


@rule("ld/exchange-place")
def hoisted(build: Builder, stmt: Stmt) -> tuple[list[Hoisted], Stmt | None]:
    """The exchanges of a statement, in the order of evaluation, and the statement with their values in their place."""
    if isinstance(stmt, Evaluate) and isinstance(stmt.value, Intrinsic) and stmt.value.op in WAITING:
        return [Hoisted(stmt.value, None)], None
    found: list[Hoisted] = []

    def out(expr: PrimExpr) -> PrimExpr:
        def visit(node: PrimExpr) -> PrimExpr:
            if isinstance(node, Let):
                found[:] = (replace(each, call=_without(each.call, node)) for each in found)
            if not (isinstance(node, Intrinsic) and node.op in EXCHANGES):
                return node
            name = f"exchange {len(found)} at {id(stmt)}"
            found.append(Hoisted(node, build.element_variable(name)))
            return SymVar(name, node.dtype)

        return rebuild(expr, visit)

    match stmt:
        case BufferStore():
            guard = None if stmt.predicate is None else out(stmt.predicate)
            value, indices = out(stmt.value), tuple(out(each) for each in stmt.indices)
            return found, replace(stmt, predicate=guard, value=value, indices=indices)
        case Bind() | Evaluate() | Return():
            return found, replace(stmt, value=out(stmt.value))
        case AllocBuffer() if stmt.init is not None:
            return found, replace(stmt, init=out(stmt.init))
        case AssertStmt():
            return found, replace(stmt, condition=out(stmt.condition))
        case _:
            raise unspecified("ld/exchange-place", "an exchange between threads where none can be", stmt.span)


def _without(call: Intrinsic, let: Let) -> Intrinsic:
    """An exchange inside a ``T.Let``, outside of it: the value stands for the variable."""

    def visit(node: PrimExpr) -> PrimExpr:
        return let.value if isinstance(node, SymVar) and node.name == let.var.name else node

    return replace(call, args=tuple(rebuild(each, visit) for each in call.args))


def build_request(build: Builder, call: Intrinsic) -> Ask:
    """What a call of a waiting intrinsic asks the other threads for."""
    match call.op:
        case op if op == BARRIER:
            return _barrier(call)
        case "tvm_warp_activemask":
            return _active_mask(build, call)
        case "tvm_thread_allreduce":
            return _all_reduce(build, call)
        case op if op in MATRICES:
            return build.matrices(call)
        case _:
            return _shuffle(build, call)


def _barrier(call: Intrinsic) -> Ask:
    scope = call.args[0].value if call.args and isinstance(call.args[0], StringImm) else "shared"
    kind = "warp-barrier" if scope == "warp" else "barrier"
    request = Request(kind, f"a {scope} barrier", call.span)
    return Ask(lambda _frame: request, lambda _frame, _answer: None)


def _active_mask(build: Builder, call: Intrinsic) -> Ask:
    request, lit = Request("active", "T.tvm_warp_activemask", call.span), build.context.numerics.at(call.dtype).lit
    return Ask(lambda _frame: request, lambda _frame, mask: lit(mask))


def _shuffle(build: Builder, call: Intrinsic) -> Ask:
    """``(mask, value, lane or delta, width, warp size)``: lanes are counted inside segments of ``width``."""
    mask, given, amount, width, _ = call.args
    value = build_element(build, given)
    by, segment, lanes = (build_index(build, each).run for each in (amount, width, mask))
    launch, op = build.launch, call.op
    assert launch is not None

    def request(frame: Frame) -> Request:
        lane, n, size = launch.linear(launch.running) % WARP, by(frame), segment(frame)
        start = lane // size * size if size > 0 else 0
        source = {
            "tvm_warp_shuffle": start + n % max(size, 1),
            "tvm_warp_shuffle_up": lane - n if lane - n >= start else lane,
            "tvm_warp_shuffle_down": lane + n if lane + n < start + size else lane,
            "tvm_warp_shuffle_xor": lane ^ n,
        }[op]
        return Request("shuffle", f"T.{op}", call.span, (value(frame),), source, lanes(frame) & 0xFFFFFFFF)

    return Ask(request, lambda _frame, received: received)


# --- reductions across threads ---------------------------------------------------------------------------------------


def _all_reduce(build: Builder, call: Intrinsic) -> Ask:
    """``(count, values…, condition, destinations…, threads…)`` under the reducer of the ``reduce_scope``."""
    size = call.args[0]
    count = literal_int(size) if isinstance(size, Literal) else 1
    values = [build_element(build, each) for each in call.args[1 : 1 + count]]
    active = build_index(build, call.args[1 + count]).run
    stores = [_destination(build, each, call) for each in call.args[2 + count : 2 + 2 * count]]
    tags = frozenset(
        build.threads[node.name]
        for arg in call.args[2 + 2 * count :]
        for node in walk(arg)
        if isinstance(node, SymVar) and node.name in build.threads
    )
    combine = reducer_of(build, [arg.dtype for arg in call.args[1 : 1 + count]], call)

    def request(frame: Frame) -> Request:
        brought = tuple(each(frame) for each in values)
        return Request(
            "reduce", "T.tvm_thread_allreduce", call.span, brought, 0, -1, bool(active(frame)), tags, combine
        )

    def receive(frame: Frame, result: tuple[Any, ...]) -> None:
        for (slot, store), payload in zip(stores, result, strict=True):
            frame[slot] = payload
            store(frame)

    return Ask(request, receive)


def _destination(build: Builder, target: PrimExpr, call: Intrinsic) -> tuple[int, Run]:
    slot = build.new_slot()
    match target:
        case BufferLoad(buffer=name, indices=given):
            indices = given
        case BufferRef(buffer=name):
            indices = tuple(int_imm(0) for _ in build.buffers[name].shape)
        case _:
            raise unspecified("ld/unknown-handle", "the result of a reduction across threads has no place", call.span)
    built = [build_index(build, each) for each in indices]
    return slot, build_store(build, build.buffers[name], built, lambda frame: frame[slot], call.span)


Combine = Callable[[Iterable[tuple[Any, ...]]], tuple[Any, ...]]


def reducer_of(build: Builder, kinds: list[str], call: Intrinsic) -> Combine:
    """How the values of all threads become one: a reduction of the reading where the reducer is one of its own."""
    reducer = build.reducer
    if reducer is None:
        raise unspecified("ld/exchange-place", "a reduction across threads outside a reduce_scope", call.span)
    match reducer:
        case CommReducer(lhs=(a,), rhs=(b,), result=(Binary(op=op, a=x, b=y),)) if (
            op in REDUCERS and {x, y} == {a, b} and dtypes.lanes(kinds[0]) == 1
        ):
            f, name = build.context.numerics.at(kinds[0]), REDUCERS[op]
            nothing = build_element(build, reducer.identity[0])

            def combine(items: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
                brought = [item for (item,) in items]
                return (f.reduce(name, brought) if brought else nothing([]),)

            return combine
        case _:
            return _folded(build, reducer)


def _folded(build: Builder, reducer: CommReducer) -> Combine:
    """Any other reducer: a fold from the identity, in increasing order of threads."""
    inner = replace(build.child(), slots=[0])
    slots = [inner.element_variable(var.name) for var in (*reducer.lhs, *reducer.rhs)]
    for var in (*reducer.lhs, *reducer.rhs):
        inner.variables.pop(var.name, None)
    identity = [build_element(inner, each) for each in reducer.identity]
    result = [build_element(inner, each) for each in reducer.result]

    def fold(items: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
        frame: Frame = [None] * inner.slots[0]
        so_far = tuple(each(frame) for each in identity)
        for item in items:
            for slot, payload in zip(slots, (*so_far, *item), strict=True):
                frame[slot] = payload
            so_far = tuple(each(frame) for each in result)
        return so_far

    return fold
