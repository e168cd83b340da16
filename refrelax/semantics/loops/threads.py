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
from dataclasses import replace

from refrelax.rules import rule
from refrelax.semantics.loops.blocks import reduces_across
from refrelax.semantics.loops.frame import Builder, Frame, Run
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.launch import Launch
from refrelax.semantics.loops.visit import accessed, expressions, statements_of
from refrelax.syntax.loops import Evaluate, For, LaunchThread, SBlock, Stmt
from refrelax.syntax.scalars import Intrinsic, int_imm, walk

BARRIER = "tvm_storage_sync"
SHUFFLES = frozenset({"tvm_warp_shuffle", "tvm_warp_shuffle_up", "tvm_warp_shuffle_down", "tvm_warp_shuffle_xor"})
EXCHANGES = SHUFFLES | {"tvm_warp_activemask"}
"""Exchanges that have a value."""

MATRICES = frozenset({"ptx_legacy.ldmatrix", "ptx_legacy.mma"})
"""What all lanes of a warp do together, each with its part."""

WAITING = EXCHANGES | MATRICES | {BARRIER, "tvm_thread_allreduce"}


def is_concurrent(loop: For) -> bool:
    """Whether the iterations of a loop run in no order."""
    return loop.kind in ("parallel", "thread_binding")


def as_thread_loop(stmt: LaunchThread) -> For:
    """``T.launch_thread`` as the thread-bound loop that it is."""
    zero = int_imm(0, stmt.var.dtype)
    return For(stmt.var, zero, stmt.extent, stmt.body, kind="thread_binding", thread=stmt.thread, span=stmt.span)


def waits(stmt: Stmt) -> bool:
    """Whether a thread may have to wait for others in ``stmt``."""
    return any(
        isinstance(node, Intrinsic) and node.op in WAITING
        for each in statements_of([stmt])
        for expr in expressions(each)
        for node in walk(expr)
    )


def has_barrier(stmts: Iterable[Stmt]) -> bool:
    """Whether a storage synchronisation is written anywhere in ``stmts``."""
    return any(
        isinstance(each, Evaluate) and isinstance(each.value, Intrinsic) and each.value.op == BARRIER
        for each in statements_of(stmts)
    )


def is_block_index(loop: For) -> bool:
    return loop.thread is not None and loop.thread.startswith("blockIdx")


@rule("ev/parallel")
def build_concurrent(build: Builder, loop: For) -> Run:
    """A parallel or thread-bound loop as a plain statement."""
    if loop.kind == "thread_binding" and not is_block_index(loop):
        explicit = any(waits(each) for each in loop.body)
        if explicit or (build.implicit and communicates(build, loop)):
            return _block_of_threads(build, loop, explicit)
    return _one_after_the_other(build, loop)


# --- one after the other ---------------------------------------------------------------------------------------------


def _one_after_the_other(build: Builder, loop: For) -> Run:
    """The iterations in increasing order, each a strand of its own."""
    from refrelax.semantics.loops.statements import build_serial, until_thread_ends

    races, low, extent = build.context.races, build_index(build, loop.min), build_index(build, loop.extent)
    inner = replace(build.child(), depth=build.depth + 1)
    name_thread(inner, loop)
    begin, guard = _strand(inner), until_thread_ends if ends_threads(loop.body) else None
    plain = build_serial(inner, replace(loop, kind="serial", thread=None), low, extent, begin, guard)

    def run(frame: Frame) -> None:
        outer = races.label
        races.label = (*outer, (races.instance(), None))
        try:
            plain(frame)
        finally:
            races.label = outer

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


def name_thread(build: Builder, loop: For) -> None:
    """Note which thread tag a loop variable stands for."""
    if loop.thread is not None:
        build.threads[loop.var.name] = loop.thread
    if not is_block_index(loop):
        build.varying |= {loop.var.name}


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


def handed_over(build: Builder, body: tuple[Stmt, ...]) -> set[str]:
    """The shared buffers that are both read and written in ``body``."""
    read, written = accessed(body)
    scopes = {name: bound.scope for name, bound in build.buffers.items()}
    for stmt in statements_of(body):
        for buffer in getattr(stmt, "allocs", ()) or ():
            scopes[buffer.name] = buffer.scope
        own = getattr(stmt, "buffer", None)
        if own is not None and not isinstance(own, str):
            scopes[own.name] = own.scope
    return {name for name in read & written if is_shared(scopes.get(name, "global"))}


def is_shared(scope: str) -> bool:
    """Whether memory of this scope belongs to a block of threads."""
    return scope.startswith("shared")


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
    from refrelax.semantics.loops.lockstep import build_group

    written = has_barrier(loop.body)
    launch = Launch(build.context.races, build.depth, written or not build.implicit)
    inner = replace(build.child(), launch=launch, implicit=build.implicit and not written, uniform=True, coords=())
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
