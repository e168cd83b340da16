"""Memory of scope ``local`` from around a loop over threads that run one after the other: each thread has its own.

While such a loop runs, the cells note what they held before the running thread changed them. As it ends they hold that
again, so that the next thread finds nothing of its neighbour's; as the loop ends, what each of them left is marked as
its own. What this costs grows with what is written, not with the memory.

Spec: ``spec/07-evaluation.md``, ``ev/thread-private-memory``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from refrelax.rules import rule
from refrelax.semantics.loops.blocks import folded_over
from refrelax.semantics.loops.frame import Builder, Frame, Run
from refrelax.semantics.loops.threads import is_thread, reached
from refrelax.semantics.loops.visit import touched
from refrelax.semantics.own_cells import Local, Own, is_owned, kept, marked
from refrelax.semantics.storage import Storage
from refrelax.syntax.loops import For


@dataclass(slots=True)
class Turns:
    """The threads of a loop bound to ``tag``, and the memory that each of them has for itself.

    ``running``: the thread that runs, of the loops around and of this one; ``left``: by cells and cell, what each of
    the threads that have ended left.
    """

    tag: str
    storages: tuple[Storage, ...]
    running: dict[str, int]
    outer: list[tuple[Any, type, Any]] = field(default_factory=list)
    left: list[dict[int, dict[int, Any]]] = field(default_factory=list)
    count: int = 0
    """The threads that have begun."""

    def around(self, loop: Run) -> Run:
        """The loop, whose threads ``begin`` one after the other."""

        def run(frame: Frame) -> None:
            before = self.running.get(self.tag)
            self.start()
            try:
                loop(frame)
                if self.count:
                    self.end()
            finally:
                if before is None:
                    self.running.pop(self.tag, None)
                else:  # a tag that is bound again: the thread around goes on
                    self.running[self.tag] = before
            self.stop()

        return run

    def start(self) -> None:
        """The loop starts: what its threads change is noted."""
        planes = [cells for storage in self.storages for cells in storage.planes.values()]
        self.outer = [(cells, type(cells), cells.log) for cells in planes]  # type: ignore[attr-defined]
        self.left = [{} for _ in planes]
        self.count = 0
        for cells, kind, _ in self.outer:
            if kind is Local:  # else those who see it are known: threads in lockstep, maybe
                cells.__class__, cells.thread = Own, self.thread
            cells.log = {}

    def thread(self) -> dict[str, int]:
        """The thread that runs."""
        return self.running

    def begin(self) -> None:
        """The next thread starts."""
        if self.count:
            self.end()
        self.running[self.tag] = self.count
        self.count += 1

    def end(self) -> None:
        """A thread has ended: what it wrote is kept, and the cells hold what was there."""
        place = self.running[self.tag]
        for (cells, _, _), left in zip(self.outer, self.left, strict=True):
            for k, old in cells.log.items():
                left.setdefault(k, {})[place] = kept(cells, k)
                list.__setitem__(cells, k, old)
            cells.log = {}

    def stop(self) -> None:
        """All threads have ended: what they left is marked as theirs."""
        for (cells, kind, log), left in zip(self.outer, self.left, strict=True):
            cells.log = log
            for k, each in left.items():
                cells[k] = marked(kept(cells, k), self.tag, each)
            cells.__class__ = Own if left else kind


@rule("ev/thread-private-memory")
def turns_of(build: Builder, loop: For) -> Turns | None:
    """The turns of the threads of a loop, asked for when its body is built; ``None`` where there is no memory around it
    that belongs to one of them."""
    if loop.thread is None or not is_thread(loop.thread):
        return None
    found: dict[int, Storage] = {}
    for name in sorted(touched(loop.body) - folded_over(loop.body, loop.var.name)):
        bound = reached(build, name)
        if bound is not None and is_owned(bound.storage.planes.values()):
            found[id(bound.storage)] = bound.storage
    return Turns(loop.thread, tuple(found.values()), build.context.running) if found else None


def announced(turns: Turns, begin: Callable[[int], None]) -> Callable[[int], None]:
    """``begin``, after a thread of ``turns`` has begun."""

    def run(value: int) -> None:
        turns.begin()
        begin(value)

    return run
