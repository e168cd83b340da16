"""Threads of a GPU block and their barriers.

A thread-bound loop without a barrier is an ordinary loop. With one, every value of the loop variable is a *thread*: a
coroutine over a frame and thread-private memory of its own, which yields at each ``T.tvm_storage_sync``. All threads
advance to the barrier before any of them goes on; nested thread-bound loops form one group. Only statements that
contain a barrier are built as coroutines; what lies below them is built as plain closures.

Spec: ``spec/07-evaluation.md``, *Threads*.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.frame import Builder, Frame, Run
from refrelax.semantics.loops.indices import build_index
from refrelax.syntax.loops import (
    AttrStmt,
    Evaluate,
    For,
    IfThenElse,
    LaunchThread,
    SBlock,
    Stmt,
    While,
)
from refrelax.syntax.scalars import Intrinsic, int_imm

Coroutine = Callable[[Frame], Generator[None, None, None]]
"""A built statement that yields at every barrier."""

BARRIERS = frozenset({"tvm_storage_sync"})


def synchronises(body: tuple[Stmt, ...]) -> bool:
    """Whether a barrier occurs anywhere in ``body``."""
    return any(_has_barrier(stmt) for stmt in body)


def _has_barrier(stmt: Stmt) -> bool:
    match stmt:
        case Evaluate(value=Intrinsic(op=op)):
            return op in BARRIERS
        case For() | While() | AttrStmt() | LaunchThread() | SBlock():
            return synchronises(stmt.body)
        case IfThenElse():
            return synchronises(stmt.then_body) or synchronises(stmt.else_body)
        case _:
            return False


def build_block_of_threads(build: Builder, loop: For) -> Run:
    """A thread-bound loop with barriers in its body, as a plain statement: runs the threads to their end."""
    if loop.thread is not None and loop.thread.startswith("blockIdx"):
        return _blocks_one_after_the_other(build, loop)
    group = _group(build, loop)

    def run(frame: Frame) -> None:
        for _barrier in group(frame):
            pass

    return run


def _blocks_one_after_the_other(build: Builder, loop: For) -> Run:
    """Blocks share no barrier: their order is free, increasing here."""
    from refrelax.semantics.loops.statements import build_for

    return build_for(build, replace(loop, kind="serial", thread=None))


@rule("ev/barrier", "ev/barrier-divergence")
def _group(build: Builder, loop: For) -> Coroutine:
    """All values of a thread-bound loop in lockstep from barrier to barrier."""
    count = build_index(build, loop.extent)
    if count.constant is None:
        raise unspecified("ld/thread-extent", f"the extent of {loop.thread} is not known at launch", loop.span)
    threads = [_thread(build, loop, k) for k in range(count.constant)]

    def run(frame: Frame) -> Generator[None, None, None]:
        running = [thread(frame) for thread in threads]
        while True:
            arrived = [_advance(each) for each in running]
            if not any(arrived):
                return
            if not all(arrived):
                raise diverged(loop, arrived)
            yield

    return run


def diverged(loop: For, arrived: list[bool]) -> Exception:
    """The end of a run in which some threads wait at a barrier that others never reach."""
    at, gone = arrived.index(True), arrived.index(False)
    where: Span | None = loop.span
    return unspecified(
        "ev/barrier-divergence",
        f"thread {loop.thread} = {at} waits at a barrier that thread {gone} never reaches",
        where,
    )


def _advance(thread: Generator[None, None, None]) -> bool:
    """Run a thread to its next barrier: whether it reached one (``False``: it ended)."""
    try:
        next(thread)
    except StopIteration:
        return False
    return True


def _thread(build: Builder, loop: For, value: int) -> Coroutine:
    """One thread: its own closures (so that thread-private buffers are its own) over a copy of the frame."""
    own = replace(build.child(), slots=[build.slots[0]])
    slot = own.variable(loop.var.name, value, value)
    body = build_coroutine_body(own, loop.body)

    def run(frame: Frame) -> Generator[None, None, None]:
        private = [*frame, *[None] * (own.slots[0] - len(frame))]
        private[slot] = value
        yield from body(private)

    return run


def build_coroutine_body(build: Builder, body: tuple[Stmt, ...]) -> Coroutine:
    """Statements in order; those with a barrier as coroutines, the others as plain closures."""
    from refrelax.semantics.loops.statements import build_stmt

    inner = build.child()
    steps: list[tuple[bool, Any]] = []
    for stmt in body:
        waits = _has_barrier(stmt)
        steps.append((waits, _coroutine(inner, stmt) if waits else build_stmt(inner, stmt)))

    def run(frame: Frame) -> Generator[None, None, None]:
        for waits, step in steps:
            if waits:
                yield from step(frame)
            else:
                step(frame)

    return run


def _coroutine(build: Builder, stmt: Stmt) -> Coroutine:
    match stmt:
        case Evaluate():
            return _barrier
        case For(kind="thread_binding"):
            return _group(build, stmt)
        case LaunchThread():
            return _group(build, as_thread_loop(stmt))
        case For():
            return _serial(build, stmt)
        case While():
            return _while(build, stmt)
        case IfThenElse():
            return _if(build, stmt)
        case AttrStmt():
            return build_coroutine_body(build, stmt.body)
        case SBlock():
            return _block(build, stmt)
        case _:
            raise AssertionError(f"{type(stmt).__name__} cannot hold a barrier")


def as_thread_loop(stmt: LaunchThread) -> For:
    """``T.launch_thread`` as the thread-bound loop that it is."""
    zero = int_imm(0, stmt.var.dtype)
    return For(stmt.var, zero, stmt.extent, stmt.body, kind="thread_binding", thread=stmt.thread, span=stmt.span)


def _barrier(_frame: Frame) -> Generator[None, None, None]:
    yield


def _serial(build: Builder, loop: For) -> Coroutine:
    low, extent = build_index(build, loop.min), build_index(build, loop.extent)
    inner = build.child()
    slot = inner.variable(
        loop.var.name, low.lo, None if low.hi is None or extent.hi is None else low.hi + extent.hi - 1
    )
    body = build_coroutine_body(inner, loop.body)

    def run(frame: Frame) -> Generator[None, None, None]:
        first = low.run(frame)
        for value in range(first, first + extent.run(frame)):
            frame[slot] = value
            yield from body(frame)

    return run


def _while(build: Builder, loop: While) -> Coroutine:
    condition, body, charge = (
        build_index(build, loop.condition).run,
        build_coroutine_body(build, loop.body),
        build.context.meter.step,
    )

    def run(frame: Frame) -> Generator[None, None, None]:
        while condition(frame):
            charge(1)
            yield from body(frame)

    return run


def _if(build: Builder, stmt: IfThenElse) -> Coroutine:
    condition = build_index(build, stmt.condition).run
    then, other = build_coroutine_body(build, stmt.then_body), build_coroutine_body(build, stmt.else_body)

    def run(frame: Frame) -> Generator[None, None, None]:
        yield from then(frame) if condition(frame) else other(frame)

    return run


def _block(build: Builder, block: SBlock) -> Coroutine:
    """A block around a barrier (the root block, a block of opaque statements): axes and predicate, then the body."""
    from refrelax.semantics.loops.blocks import block_prologue

    inner = build.child()
    prologue = block_prologue(inner, block)
    body = build_coroutine_body(inner, block.body)

    def run(frame: Frame) -> Generator[None, None, None]:
        if prologue(frame):
            yield from body(frame)

    return run
