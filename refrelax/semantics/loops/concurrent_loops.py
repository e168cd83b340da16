"""Concurrent loops: parallel loops, and the loops that GPU threads are bound to.

A concurrent loop is built in one of two ways.

* *One after the other*: an ordinary loop whose iterations are strands of their own to the race detector. This is how
  parallel loops, blocks of a grid, and threads that neither wait nor exchange anything run.
* *In lockstep*: every value of the loop variable is a *thread*, a coroutine (``lockstep.py``) over a frame and
  thread-private memory of its own; ``launch.py`` answers what the threads wait for. Nested thread-bound loops form one
  group.

Spec: ``spec/07-evaluation.md``, *Threads*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace

from refrelax.rules import rule
from refrelax.semantics.loops.blocks import reduces_across
from refrelax.semantics.loops.frame import Builder, Frame, Run
from refrelax.semantics.loops.grids import of_each_block
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.launch import Launch
from refrelax.semantics.loops.leaving import ThreadEnds
from refrelax.semantics.loops.lockstep import build_group
from refrelax.semantics.loops.serial_loops import build_serial
from refrelax.semantics.loops.threads import handed_over, has_barrier, is_block_index, known_names, name_thread, waits
from refrelax.semantics.loops.turns import announced, turns_of
from refrelax.semantics.loops.visit import statements_of
from refrelax.syntax.loops import Evaluate, For, LaunchThread, SBlock, Stmt
from refrelax.syntax.scalars import Intrinsic


@rule("ev/parallel")
def build_concurrent(build: Builder, loop: For) -> Run:
    """A parallel or thread-bound loop as a plain statement."""
    if loop.kind == "thread_binding" and not is_block_index(loop):
        explicit = any(waits(each) for each in loop.body)
        if explicit or (build.implicit and communicates(build, loop)):
            return _block_of_threads(build, loop, explicit)
    return _one_after_the_other(build, of_each_block(loop) if is_block_index(loop) else loop)


# --- one after the other ---------------------------------------------------------------------------------------------


def _one_after_the_other(build: Builder, loop: For) -> Run:
    """The iterations in increasing order, each a strand of its own."""
    races, low, extent = build.context.races, build_index(build, loop.min), build_index(build, loop.extent)
    inner = replace(build.child(), depth=build.depth + 1)
    name_thread(inner, loop)
    begin, guard = _strand(inner), until_thread_ends if ends_threads(loop.body) else None
    if (turns := turns_of(build, loop)) is not None:
        begin = announced(turns, begin)
    plain = build_serial(inner, replace(loop, kind="serial", thread=None), low, extent, begin, guard)

    def run(frame: Frame) -> None:
        outer = races.label
        races.label = (*outer, (races.instance(), None))
        try:
            plain(frame)
        finally:
            races.label = outer

    return run if turns is None else turns.around(run)


@rule("ev/thread-return")
def until_thread_ends(body: Run) -> Run:
    """``body``, until the thread that runs it ends (``T.thread_return()``)."""

    def run(frame: Frame) -> None:
        with suppress(ThreadEnds):
            body(frame)

    return run


def ends_threads(body: Iterable[Stmt]) -> bool:
    """Whether a thread may end in ``body`` before the body does."""
    return any(
        isinstance(each, Evaluate) and isinstance(each.value, Intrinsic) and each.value.op == "thread_return"
        for each in statements_of(body)
    )


def _strand(build: Builder) -> Callable[[int], None]:
    """Gives the strand of an iteration its label, at its start."""
    races = build.context.races

    def begin(value: int) -> None:
        outer = races.label
        races.label = (*outer[:-1], (outer[-1][0], value))

    return begin


# --- in lockstep -----------------------------------------------------------------------------------------------------


@rule("ev/implicit-synchronisation")
def communicates(build: Builder, loop: For) -> bool:
    """Whether threads hand something over in shared memory that they read again before the loop ends.

    Before threads are unified (one tag bound in a nest twice) every thread still does all of the work by itself, and
    a reduction across threads is still a reduction block: both run one after the other.
    """
    if _rebinds(loop, {*build.threads.values()}) or _reduces_across(loop, {*build.threads}):
        return False
    return bool(handed_over(build, loop.body))


def _rebinds(loop: For, tags: set[str]) -> bool:
    if loop.thread in tags:
        return True
    inside = {*tags, loop.thread or ""}
    for stmt in statements_of(loop.body):
        tag = stmt.thread if isinstance(stmt, For | LaunchThread) else None
        if tag is not None and tag in inside:
            return True
    return False


def _reduces_across(loop: For, threads: set[str]) -> bool:
    inside = {*threads, loop.var.name}
    for stmt in statements_of(loop.body):
        if isinstance(stmt, For | LaunchThread) and stmt.thread is not None:
            inside.add(stmt.var.name)
        if isinstance(stmt, SBlock) and reduces_across(stmt, inside):
            return True
    return False


@rule("ev/barrier")
def _block_of_threads(build: Builder, loop: For, explicit: bool) -> Run:
    """All threads of a block, from one point where they wait to the next."""
    written = has_barrier(loop.body)
    launch = Launch(build.context.races, build.depth, written or not build.implicit)
    launch.listener, launch.path = build.context.listener, build.path
    known = {} if build.function is None else known_names(build.function)
    inner = replace(
        build.child(), launch=launch, known=known, implicit=build.implicit and not written, uniform=True, tags=()
    )
    group = build_group(inner, loop)

    def run(frame: Frame) -> None:
        launch.start()
        threads = group(frame)
        try:
            pending = next(threads)
            while True:
                pending = threads.send(launch.answer(pending))
        except StopIteration:
            launch.settle()
        finally:
            launch.finish()

    return run
