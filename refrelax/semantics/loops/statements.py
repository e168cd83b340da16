"""Loop-level statements: one function per construct, each gives a closure over the frame.

Spec: ``spec/07-evaluation.md``, *Statements*.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from refrelax.errors import Ended, Exhausted, Trapped, Unspecified, trap
from refrelax.rules import rule
from refrelax.semantics.loops.blocks import build_block
from refrelax.semantics.loops.buffers import build_alloc, build_decl
from refrelax.semantics.loops.concurrent_loops import build_concurrent
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Bound, Builder, Frame, Run, fixed
from refrelax.semantics.loops.indices import build_index, is_index
from refrelax.semantics.loops.leaving import BreakLoop, ContinueLoop, ReturnValue
from refrelax.semantics.loops.memory import build_store
from refrelax.semantics.loops.pointers import bind_handle
from refrelax.semantics.loops.serial_loops import build_serial
from refrelax.semantics.loops.threads import as_thread_loop, is_concurrent
from refrelax.semantics.loops.vectors import build_vector_store
from refrelax.semantics.storage import fresh
from refrelax.syntax import dtypes
from refrelax.syntax.loops import (
    AllocBuffer,
    AssertStmt,
    AttrStmt,
    Bind,
    Break,
    BufferStore,
    Continue,
    DeclBuffer,
    Evaluate,
    For,
    IfThenElse,
    LaunchThread,
    Return,
    SBlock,
    Stmt,
    While,
)


def build_body(build: Builder, body: Iterable[Stmt]) -> Run:
    """Statements one after the other, in a scope of their own."""
    inner = build.child()
    steps = [build_stmt(inner, each) for each in body]
    match steps:
        case []:
            return lambda _frame: None
        case [only]:
            return only
        case [first, second]:

            def two(frame: Frame) -> None:
                first(frame)
                second(frame)

            return two
        case _:

            def all_steps(frame: Frame) -> None:
                for step in steps:
                    step(frame)

            return all_steps


def build_stmt(build: Builder, stmt: Stmt) -> Run:
    """Build one statement; declarations extend ``build`` for the statements after it.

    What is wrong with a statement before it runs ends the run where the statement is reached, if it is.
    """
    try:
        return _statement(build, stmt)
    except Ended as end:
        _declare_nothing(build, stmt)
        return _ending(end.outcome)


def _ending(outcome: Trapped | Exhausted | Unspecified) -> Run:
    def stop(_frame: Frame) -> None:
        raise Ended(outcome)

    return stop


def _declare_nothing(build: Builder, stmt: Stmt) -> None:
    """Names for what an impossible statement would have declared; no statement that uses them is reached."""
    match stmt:
        case AllocBuffer(buffer=buffer) | DeclBuffer(buffer=buffer):
            zeros = (fixed(0),) * len(buffer.shape)
            nowhere = Bound(buffer.name, buffer.dtype, fresh(buffer.dtype, 0), [], zeros, zeros, fixed(0))
            build.buffers[buffer.name] = build.handles[buffer.name] = nowhere
        case Bind(var=var):
            build.element_variable(var.name)
        case _:
            pass


def _statement(build: Builder, stmt: Stmt) -> Run:
    match stmt:
        case BufferStore():
            return _store(build, stmt)
        case SBlock():
            return build_block(build, stmt)
        case For():
            return build_for(build, stmt)
        case While():
            return _while(build, stmt)
        case IfThenElse():
            return _if(build, stmt)
        case Bind():
            return _bind(build, stmt)
        case AllocBuffer():
            return _alloc(build, stmt)
        case DeclBuffer():
            return build_decl(build, stmt.buffer)
        case LaunchThread():
            return _launch(build, stmt)
        case AttrStmt():
            return build_body(build, stmt.body)
        case AssertStmt():
            return _assert(build, stmt)
        case Evaluate():
            return _evaluate(build, stmt)
        case Break():
            return _raise(BreakLoop)
        case Continue():
            return _raise(ContinueLoop)
        case Return():
            return _return(build, stmt)
        case _:
            assert_never(stmt)


@rule("ev/store")
def _store(build: Builder, stmt: BufferStore) -> Run:
    if any(dtypes.lanes(i.dtype) != 1 for i in stmt.indices) or dtypes.lanes(stmt.value.dtype) != 1:
        return build_vector_store(build, stmt)
    bound = build.buffers[stmt.buffer]
    store = build_store(
        build, bound, [build_index(build, i) for i in stmt.indices], build_element(build, stmt.value), stmt.span
    )
    if stmt.predicate is None:
        return store
    guard = build_index(build, stmt.predicate).run
    return lambda frame: store(frame) if guard(frame) else None


# --- loops -----------------------------------------------------------------------------------------------------------


@rule("ev/for")
def build_for(build: Builder, stmt: For) -> Run:
    """``for``: the body once per value, in increasing order; vectorised and unrolled loops too.

    Parallel and thread-bound loops are built by ``concurrent_loops.py``: their iterations have no order.
    """
    if is_concurrent(stmt):
        return build_concurrent(build, stmt)
    return build_serial(build, stmt, build_index(build, stmt.min), build_index(build, stmt.extent))


@rule("ev/while")
def _while(build: Builder, stmt: While) -> Run:
    condition, body, charge = (
        build_index(build, stmt.condition).run,
        build_body(build, stmt.body),
        build.context.meter.step,
    )

    def run(frame: Frame) -> None:
        while condition(frame):
            charge(1)
            try:
                body(frame)
            except ContinueLoop:
                continue
            except BreakLoop:
                break

    return run


@rule("ev/launch-thread")
def _launch(build: Builder, stmt: LaunchThread) -> Run:
    return build_for(build, as_thread_loop(stmt))


@rule("ev/if-statement")
def _if(build: Builder, stmt: IfThenElse) -> Run:
    condition = build_index(build, stmt.condition).run
    then = build_body(build, stmt.then_body)
    if not stmt.else_body:
        return lambda frame: then(frame) if condition(frame) else None
    other = build_body(build, stmt.else_body)
    return lambda frame: then(frame) if condition(frame) else other(frame)


# --- scalars, calls, checks ------------------------------------------------------------------------------------------


@rule("ev/bind")
def _bind(build: Builder, stmt: Bind) -> Run:
    if stmt.var.dtype.startswith("handle"):
        return bind_handle(build, stmt.var.name, stmt.value)
    if is_index(build, stmt.value):
        value = build_index(build, stmt.value)
        slot = build.variable(stmt.var.name, value.lo, value.hi)
        run: Run = value.run
    else:
        run = build_element(build, stmt.value)
        slot = build.element_variable(stmt.var.name)

    def bind(frame: Frame) -> None:
        frame[slot] = run(frame)

    return bind


def _alloc(build: Builder, stmt: AllocBuffer) -> Run:
    allocate = build_alloc(build, stmt.buffer)
    if stmt.init is None:
        return allocate
    bound = build.buffers[stmt.buffer.name]
    store = build_store(build, bound, [fixed(0)], build_element(build, stmt.init), stmt.span)

    def run(frame: Frame) -> None:
        allocate(frame)
        store(frame)

    return run


@rule("ld/assert-fails")
def _assert(build: Builder, stmt: AssertStmt) -> Run:
    condition, message, span = build_index(build, stmt.condition).run, "".join(stmt.message), stmt.span

    def check(frame: Frame) -> None:
        if not condition(frame):
            raise trap("ld/assert-fails", f"{stmt.kind}: {message}", span)

    return check


def _evaluate(build: Builder, stmt: Evaluate) -> Run:
    return build.effect(stmt.value)


def _return(build: Builder, stmt: Return) -> Run:
    value = build_element(build, stmt.value)

    def leave(frame: Frame) -> None:
        raise ReturnValue(value(frame))

    return leave


def _raise(kind: type[Exception]) -> Run:
    def leave(_frame: Frame) -> None:
        raise kind

    return leave
