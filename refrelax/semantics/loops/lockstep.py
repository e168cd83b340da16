"""Statements as coroutines: what lies above a point where threads wait for each other.

A coroutine yields the requests of the threads that wait in it, by thread, and is sent the answers of those that go on.
Only statements in which a thread may wait are built this way; what lies below them stays plain closures.

Spec: ``spec/07-evaluation.md``, *Threads*.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.errors import Ended, unspecified
from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.loops.blocks import block_prologue
from refrelax.semantics.loops.copies import Copy, private_copy
from refrelax.semantics.loops.exchanges import build_request, hoisted
from refrelax.semantics.loops.frame import Builder, Frame, Index
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.launch import Answers, Coords, Launch, Level, Pending, Request
from refrelax.semantics.loops.leaving import BreakLoop, ContinueLoop, ThreadEnds
from refrelax.semantics.loops.serial_loops import last_fits, step_of
from refrelax.semantics.loops.threads import (
    as_thread_loop,
    binds_threads,
    handed_over,
    is_block_index,
    is_known,
    is_shared,
    name_thread,
    reached,
    waits,
)
from refrelax.semantics.loops.visit import accessed, expressions, touched
from refrelax.semantics.own_cells import is_owned, is_private
from refrelax.syntax.loops import (
    AttrStmt,
    Bind,
    Evaluate,
    For,
    IfThenElse,
    LaunchThread,
    SBlock,
    Stmt,
    While,
)
from refrelax.syntax.scalars import BufferLoad, CommReducer, PrimExpr, SymVar, walk

Threads = Generator[Pending, Answers, None]
Coroutine = Callable[[Frame], Threads]
"""A built statement that yields wherever its threads wait."""

Thread = Callable[[Frame, Coords, int], Threads]
"""What a thread does, by its place among them and the value of the variable in it."""

SYNCHRONISED = Request("barrier", "the synchronisation of shared memory")


@rule("ev/thread-group")
def build_group(build: Builder, loop: For) -> Coroutine:
    """All values of a thread-bound loop; each goes on as soon as it is answered."""
    launch, tag = build.launch, loop.thread or ""
    assert launch is not None
    if tag in build.tags:
        return _same_thread(build, loop, tag)
    count, values = _values(build, loop, tag)
    launch.extents[tag] = count
    build.context.meter.step(count)
    thread, copies = _thread(build, loop, values)

    def run(frame: Frame) -> Threads:
        around = launch.running
        coords = [(*around, (tag, k)) for k in range(count)]
        children = [_Child(thread(frame, who, value), who) for who, value in zip(coords, values, strict=True)]
        answers: Answers = {}
        while True:
            for child in children:
                child.advance(answers, launch)
            pending = {who: request for child in children for who, request in child.waiting.items()}
            if not pending:
                break
            answers = yield pending
        launch.ended.difference_update(coords)
        for who in coords if copies else ():
            launch.have(who)
            for each in copies:
                each.leave()
        for each in copies:
            each.close()
        launch.running = around
        if around:
            launch.enter(around)

    return run


@rule("ld/thread-extent")
def _values(build: Builder, loop: For, tag: str) -> tuple[int, range]:
    """How many threads a loop has, and the values of its variable in them."""
    if not all(is_known(each, build.known.keys()) for each in (loop.min, loop.extent)):
        raise unspecified("ld/thread-extent", f"the extent of {tag} is not known at launch", loop.span)
    first, extent = (build_index(build, substitute(each, build.known)) for each in (loop.min, loop.extent))
    low, count, step = _now(build, first), _now(build, extent), step_of(build, loop)
    if (fits := last_fits(loop, first, extent, step)) is not None:
        fits(low, count)
    values = range(low, low + max(count, 0), step)
    return len(values), values


def _now(build: Builder, e: Index) -> int:
    """The value of an integer over scalars and symbols, each of which has its value."""
    frame: Frame = [None] * build.slots[0]
    for each in build.variables.values():
        if each.slot is not None and each.constant is not None:
            frame[each.slot] = each.constant
    return e.constant if e.constant is not None else int(e.run(frame))


@dataclass(slots=True, eq=False)
class _Child:
    """One thread of a group (or the threads of a group inside it): where it is, and what it waits for."""

    threads: Threads
    coords: Coords
    waiting: Pending = field(default_factory=dict)
    started: bool = False
    done: bool = False

    def advance(self, answers: Answers, launch: Launch) -> None:
        """Go on if it starts now, or if one of its threads is answered."""
        if self.done or (self.started and not any(who in answers for who in self.waiting)):
            return
        try:
            self.waiting = self.threads.send(answers) if self.started else next(self.threads)
            self.started = True
        except StopIteration:
            self.done, self.waiting = True, {}
            launch.end(self.coords)


@rule("ev/thread-tag-repeated")
def _same_thread(build: Builder, loop: For, tag: str) -> Coroutine:
    """A loop bound to a tag that an enclosing loop is bound to: the same thread, so only its own value."""
    inner = build.child()
    first, extent, step = build_index(build, loop.min), build_index(build, loop.extent), step_of(build, loop)
    slot = inner.variable(loop.var.name, None, None)
    name_thread(inner, loop)
    fits, body = last_fits(loop, first, extent, step), build_coroutine_body(inner, loop.body)
    launch = build.launch
    assert launch is not None

    def run(frame: Frame) -> Threads:
        low, count, value = first.run(frame), extent.run(frame), dict(launch.running)[tag]
        if fits is not None:
            fits(low, count)
        if value * step < count:
            frame[slot] = low + value * step
            yield from body(frame)

    return run


@rule("ev/thread-private-memory")
def _thread(build: Builder, loop: For, values: range) -> tuple[Thread, list[Copy]]:
    """What every thread does, over a copy of the frame and memory of its own (``Launch.have``), and what it leaves
    behind when all have ended."""
    launch = build.launch
    assert launch is not None
    own = replace(build.child(), slots=[build.slots[0]], depth=build.depth + 1, tags=(*build.tags, loop.thread or ""))
    if len(launch.levels) < len(own.tags):
        launch.levels.append(Level())
    level = launch.levels[len(own.tags) - 1]
    before = len(level.storages)
    slot = own.variable(loop.var.name, *((values[0], values[-1]) if values else (None, None)))
    own.loops = (*build.loops, (loop.var.name, slot))
    name_thread(own, loop)
    copies = _private_memory(own, loop)
    body = build_coroutine_body(own, loop.body)
    for copy in copies:
        copy.ready(own.context.numerics)
    for each in level.storages[before:]:
        own.context.meter.make(len(values) * max(map(len, each.planes.values()), default=0))
    name = loop.var.name

    def run(frame: Frame, coords: Coords, value: int) -> Threads:
        private = [*frame, *[None] * (own.slots[0] - len(frame))]
        private[slot] = value
        launch.enter(coords)
        for each in copies:
            each.fill()
        try:
            yield from body(private)
        except ThreadEnds:
            return
        except Ended as end:
            end.loops.append((name, value))
            raise

    return run, copies


def _private_memory(build: Builder, loop: For) -> list[Copy]:
    copies = []
    for name in sorted(touched(loop.body)):
        bound = reached(build, name)
        if bound is None or not is_private(bound.scope) or not is_owned(bound.storage.planes.values()):
            continue
        if bound.depth < build.depth:
            copies.append(private_copy(build, bound))
    return copies


# --- statements ------------------------------------------------------------------------------------------------------


def build_coroutine_body(build: Builder, body: tuple[Stmt, ...]) -> Coroutine:
    """Statements in order; those that wait as coroutines, the others as plain closures.

    Where the compiler owes the synchronisation, a barrier follows each statement that touches shared memory.
    """
    inner = build.child()
    steps: list[tuple[bool, Any]] = []
    for stmt in body:
        note_varying(inner, stmt)
        slow = waits(stmt) or binds_threads(stmt) or _synchronises_inside(inner, stmt)
        steps.append((slow, _coroutine(inner, stmt) if slow else inner.statement(stmt)))
        if not slow and inner.implicit and inner.uniform and _touches_shared(inner, stmt):
            steps.append((True, _wait(inner, SYNCHRONISED)))

    def run(frame: Frame) -> Threads:
        for slow, step in steps:
            if slow:
                yield from step(frame)
            else:
                step(frame)

    return run


def _synchronises_inside(build: Builder, stmt: Stmt) -> bool:
    """Whether the compiler owes a synchronisation between two parts of ``stmt`` that all threads reach."""
    if not build.implicit or not build.uniform:
        return False
    match stmt:
        case For() | SBlock() | AttrStmt() | LaunchThread():
            pass
        case IfThenElse() if not varies(build, stmt.condition):
            pass
        case _:
            return False
    if isinstance(stmt, For) and (varies(build, stmt.min) or varies(build, stmt.extent)):
        return False
    if isinstance(stmt, SBlock) and stmt.predicate is not None and varies(build, stmt.predicate):
        return False
    return bool(handed_over(build, (stmt,)))


def _touches_shared(build: Builder, stmt: Stmt) -> bool:
    read, written = accessed([stmt])
    return any(name in build.buffers and is_shared(build.buffers[name].scope) for name in read | written)


def varies(build: Builder, expr: PrimExpr) -> bool:
    """Whether the threads of a block may disagree on ``expr``."""
    return any(
        isinstance(node, BufferLoad) or (isinstance(node, SymVar) and node.name in build.varying) for node in walk(expr)
    )


def note_varying(build: Builder, stmt: Stmt) -> None:
    """Variables that a statement defines by something that varies."""
    match stmt:
        case Bind() if varies(build, stmt.value):
            build.varying |= {stmt.var.name}
        case SBlock():
            build.varying |= {axis.var.name for axis in stmt.iters if varies(build, axis.binding)}
        case For() if varies(build, stmt.min) or varies(build, stmt.extent):
            build.varying |= {stmt.var.name}
        case _:
            pass


def _coroutine(build: Builder, stmt: Stmt) -> Coroutine:
    match stmt:
        case For(kind="thread_binding") if not is_block_index(stmt):
            return build_group(build, stmt)
        case LaunchThread():
            return _coroutine(build, as_thread_loop(stmt))
        case For():
            bounds = (stmt.min, stmt.extent)
            return _named_first(build, stmt, bounds, lambda low, n: replace(stmt, min=low, extent=n)) or _serial(
                build, stmt
            )
        case While():
            return _while(build, stmt)
        case IfThenElse():
            return _if(build, stmt)
        case AttrStmt():
            reducer = stmt.node if isinstance(stmt.node, CommReducer) else build.reducer
            return build_coroutine_body(replace(build.child(), reducer=reducer), stmt.body)
        case SBlock():
            return _block(build, stmt)
        case _:
            return _leaf(build, stmt)


def _leaf(build: Builder, stmt: Stmt) -> Coroutine:
    """A statement with exchanges among its expressions: they happen first, then the statement with their values."""
    steps, rest = hoisted(build, stmt)
    asks = [(build_request(build, each.call), each.slot) for each in steps]
    launch = build.launch
    assert launch is not None
    plain = None if rest is None else build.statement(rest)

    def run(frame: Frame) -> Threads:
        coords = launch.running
        for ask, receive in asks:
            answers = yield {coords: ask.request(frame)}
            launch.enter(coords)
            received = ask.receive(frame, answers[coords])
            if receive is not None:
                frame[receive] = received
        if plain is not None:
            plain(frame)

    return run


def _wait(build: Builder, request: Request) -> Coroutine:
    launch = build.launch
    assert launch is not None

    def run(_frame: Frame) -> Threads:
        coords = launch.running
        yield {coords: request}
        launch.enter(coords)

    return run


def _serial(build: Builder, loop: For) -> Coroutine:
    """A loop around something that waits; blocks of a grid inside a thread run one after the other too."""
    low, extent = build_index(build, loop.min), build_index(build, loop.extent)
    inner = build.child()
    high = None if low.hi is None or extent.hi is None else low.hi + extent.hi - 1
    slot = inner.variable(loop.var.name, low.lo, high)
    inner.loops = (*build.loops, (loop.var.name, slot))
    name_thread(inner, loop) if loop.thread else None
    body, charge, name = build_coroutine_body(inner, loop.body), build.context.meter.step, loop.var.name
    step = step_of(build, loop)
    fits = last_fits(loop, low, extent, step)
    told = getattr(build.context.listener, "on_step", None)
    left = getattr(build.context.listener, "on_loop_end", None)

    def run(frame: Frame) -> Threads:
        first, count = low.run(frame), extent.run(frame)
        if fits is not None:
            fits(first, count)
        charge(max(count, 0))
        for value in range(first, first + count, step):
            frame[slot] = value
            if told is not None:
                told(build.path, name, value)
            try:
                yield from body(frame)
            except ContinueLoop:
                continue
            except BreakLoop:
                break
            except Ended as end:
                end.loops.append((name, value))
                raise
        if left is not None:
            left(build.path, name)

    return run


def _while(build: Builder, loop: While) -> Coroutine:
    if any(waits(Evaluate(each)) for each in expressions(loop)):
        raise unspecified("ld/exchange-place", "an exchange between threads in the condition of a while", loop.span)
    condition = build_index(build, loop.condition).run
    body, charge = build_coroutine_body(build, loop.body), build.context.meter.step

    def run(frame: Frame) -> Threads:
        while condition(frame):
            charge(1)
            try:
                yield from body(frame)
            except ContinueLoop:
                continue
            except BreakLoop:
                break

    return run


def _if(build: Builder, stmt: IfThenElse) -> Coroutine:
    first = _named_first(build, stmt, (stmt.condition,), lambda condition: replace(stmt, condition=condition))
    if first is not None:
        return first
    condition = build_index(build, stmt.condition).run
    inner = replace(build.child(), uniform=build.uniform and not varies(build, stmt.condition))
    then, other = build_coroutine_body(inner, stmt.then_body), build_coroutine_body(inner, stmt.else_body)

    def run(frame: Frame) -> Threads:
        yield from then(frame) if condition(frame) else other(frame)

    return run


def _named_first(
    build: Builder, stmt: Stmt, given: tuple[PrimExpr, ...], with_names: Callable[..., Stmt]
) -> Coroutine | None:
    """Expressions of a statement in which threads wait are named first, by statements of their own."""
    binds, parts = list[Stmt](), list(given)
    for k, each in enumerate(given):
        if waits(Evaluate(each)):
            parts[k] = var = SymVar(f"operand {k} at {id(stmt)}", each.dtype)
            binds.append(Bind(var, each, span=stmt.span))
    return build_coroutine_body(build, (*binds, with_names(*parts))) if binds else None


def _block(build: Builder, block: SBlock) -> Coroutine:
    """A block around something that waits: axes and predicate, then the body."""
    guard, bindings = () if block.predicate is None else (block.predicate,), [axis.binding for axis in block.iters]

    def renamed(*parts: PrimExpr) -> SBlock:
        iters = tuple(replace(axis, binding=each) for axis, each in zip(block.iters, parts, strict=False))
        return replace(block, iters=iters, predicate=parts[-1] if guard else None)

    first = _named_first(build, block, (*bindings, *guard), renamed)
    if first is not None:
        return first
    guarded = block.predicate is not None and varies(build, block.predicate)
    inner = replace(build.child(), uniform=build.uniform and not guarded)
    prologue = block_prologue(inner, block)
    body = build_coroutine_body(inner, block.body)

    def run(frame: Frame) -> Threads:
        if prologue(frame):
            yield from body(frame)

    return run
