"""Loops whose iterations run in increasing order.

Spec: ``spec/07-evaluation.md``, *Statements*.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from refrelax.errors import Ended, unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.frame import Builder, Frame, Index, Run
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.leaving import BreakLoop, ContinueLoop
from refrelax.syntax import dtypes
from refrelax.syntax.loops import AttrStmt, Break, Continue, Evaluate, For, IfThenElse, LaunchThread, SBlock, Stmt

Begin = Callable[[int], None]
"""What is told the value of a loop variable when an iteration starts."""


def build_serial(
    build: Builder,
    stmt: For,
    low: Index,
    extent: Index,
    begin: Begin | None = None,
    guard: Callable[[Run], Run] | None = None,
) -> Run:
    """A loop whose iterations run in increasing order. ``begin`` is told the value at the start of each iteration;
    ``guard`` is put around its body."""
    inner = build.child()
    slot = inner.variable(stmt.var.name, low.lo, _greatest(low, extent))
    inner.loops = (*build.loops, (stmt.var.name, slot))
    body = inner.body(stmt.body)
    step = step_of(build, stmt)
    if leaves_loop(stmt.body):
        body = _with_continue(body)
    if guard is not None:
        body = guard(body)
    watch = getattr(build.context.listener, "on_step", None)
    left = getattr(build.context.listener, "on_loop_end", None)
    if begin is not None or watch is not None:
        body = _announced(build, stmt.var.name, slot, body, begin, watch)
    run = _iterate(
        (stmt.var.name, slot),
        low.run,
        extent.run,
        step,
        body,
        build.context.meter.step,
        last_fits(stmt, low, extent, step),
    )
    return run if left is None else _followed(run, partial(left, build.path, stmt.var.name))


def _followed(run: Run, left: Callable[[], None]) -> Run:
    """A loop, and what is told when it has come to its end."""

    def both(frame: Frame) -> None:
        run(frame)
        left()

    return both


@rule("ld/loop-step")
def step_of(build: Builder, stmt: For) -> int:
    """The step of a loop: a positive constant."""
    step = 1 if stmt.step is None else build_index(build, stmt.step).constant
    if step is None:
        raise unspecified("ld/loop-step", "the step of a loop is not a constant", stmt.span)
    if step <= 0:
        raise unspecified("ld/loop-step", f"the step of a loop is {step}: it is positive", stmt.span)
    return step


Fits = Callable[[int, int], None]
"""What is told the first value of a loop variable and the extent; it ends the run where the last value does not fit."""


@rule("ld/index-overflow")
def last_fits(stmt: For, low: Index, extent: Index, step: int) -> Fits | None:
    """A check that the last value of the variable fits its dtype; ``None`` where the bounds show that."""
    least, greatest = dtypes.integer_range(stmt.var.dtype)
    if low.lo is not None and low.lo >= least and (top := _greatest(low, extent)) is not None and top <= greatest:
        return None

    def check(first: int, n: int) -> None:
        last = first + (n - 1) // step * step
        if n > 0 and last > greatest:
            message = f"the loop variable {stmt.var.name} would be {last}, which does not fit {stmt.var.dtype}"
            raise unspecified("ld/index-overflow", message, stmt.span)

    return check


def _greatest(low: Index, extent: Index) -> int | None:
    """The greatest value that a loop variable can have."""
    return None if low.hi is None or extent.hi is None else low.hi + extent.hi - 1


def _iterate(
    var: tuple[str, int], start: Run, count: Run, step: int, body: Run, charge: Callable[[int], None], fits: Fits | None
) -> Run:
    """The loop itself. A run that ends inside it names the value of its variable (this costs nothing otherwise)."""
    name, slot = var

    def run(frame: Frame) -> None:
        first, n = start(frame), count(frame)
        if fits is not None:
            fits(first, n)
        charge(n if n > 0 else 0)
        value = first
        try:
            for value in range(first, first + n, step):
                frame[slot] = value
                body(frame)
        except BreakLoop:
            pass
        except Ended as end:
            end.loops.append((name, value))
            raise

    return run


def _with_continue(body: Run) -> Run:
    def run(frame: Frame) -> None:
        with suppress(ContinueLoop):
            body(frame)

    return run


def _announced(build: Builder, name: str, slot: int, body: Run, begin: Begin | None, watch: Any) -> Run:
    path = build.path

    def run(frame: Frame) -> None:
        if begin is not None:
            begin(frame[slot])
        if watch is not None:
            watch(path, name, frame[slot])
        body(frame)

    return run


def leaves_loop(body: tuple[Stmt, ...]) -> bool:
    """Whether a ``break`` or ``continue`` of the enclosing loop occurs in ``body``."""
    for stmt in body:
        match stmt:
            case Break() | Continue():
                return True
            case Evaluate(value=value) if getattr(value, "op", "") in ("break_loop", "continue_loop"):
                return True
            case IfThenElse():
                if leaves_loop(stmt.then_body) or leaves_loop(stmt.else_body):
                    return True
            case SBlock() | AttrStmt() | LaunchThread():
                if leaves_loop(stmt.body):
                    return True
            case _:
                pass
    return False
