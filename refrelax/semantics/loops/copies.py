"""Memory of threads in lockstep that is allocated around them: a copy for each.

A thread begins with what it finds in the memory around (its own, of launches before), and what it wrote is marked as
its own when all threads of the group have ended.

Spec: ``spec/07-evaluation.md``, ``ev/thread-private-memory``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.rules import rule
from refrelax.semantics.loops.frame import Bound, Builder
from refrelax.semantics.loops.launch import Coords, Launch
from refrelax.semantics.numbers.interface import Numerics
from refrelax.semantics.own_cells import Local, Own, begun, kept, marked
from refrelax.semantics.storage import Storage


@dataclass(slots=True)
class Written:
    """The cells that each thread wrote of its copy."""

    launch: Launch
    depth: int
    by: dict[Coords, dict[int, Any]] = field(default_factory=dict)

    def setdefault(self, k: int, old: Any, /) -> Any:
        """The thread that runs, or one that is part of it, writes a cell."""
        return self.by.setdefault(self.launch.running[: self.depth], {}).setdefault(k, old)


@dataclass(slots=True)
class Copy:
    """The memory ``own`` of the thread that runs, of a group bound to ``tag``, and the memory around it that it stands
    for. ``depth``: of the group; ``thread``: the place of the thread that runs for each tag."""

    tag: str
    source: Storage
    own: Storage
    launch: Launch
    depth: int
    thread: Callable[[], Mapping[str, int]]
    logs: dict[str, Written] = field(default_factory=dict)
    left: dict[str, dict[int, dict[int, Any]]] = field(default_factory=dict)

    def ready(self, numerics: Numerics) -> None:
        """What the threads do is built: the memory is viewed at no further dtype."""
        for dtype, cells in self.own.planes.items():
            self.source.plane(dtype, numerics)
            log = self.logs[dtype] = Written(self.launch, self.depth)
            assert isinstance(cells, Local | Own)
            cells.__class__, cells.thread, cells.log = Own, self.thread, log

    def fill(self) -> None:
        """A thread starts."""
        for dtype, cells in self.own.planes.items():
            list.__setitem__(cells, slice(None), begun(self.source.planes[dtype], self.thread()))
            self.logs[dtype].by.pop(self.launch.running, None)

    def leave(self) -> None:
        """The group has ended: what one of its threads wrote."""
        place = dict(self.launch.running)[self.tag]
        for dtype, cells in self.own.planes.items():
            for k in self.logs[dtype].by.pop(self.launch.running, ()):
                self.left.setdefault(dtype, {}).setdefault(k, {})[place] = kept(cells, k)

    def close(self) -> None:
        """All threads have left: what they wrote is marked as theirs."""
        for dtype, left in self.left.items():
            cells = self.source.planes[dtype]
            for k, each in left.items():
                cells[k] = marked(kept(cells, k), self.tag, each)
            if isinstance(cells, Local):
                cells.__class__, cells.thread = Own, self.thread  # type: ignore[assignment]
        self.left = {}


@rule("ev/thread-private-memory")
def private_copy(build: Builder, bound: Bound) -> Copy:
    """Rebind a buffer, and every view of its storage, to memory of each thread of the group that is being built."""
    launch, source, numerics, around = build.launch, bound.storage, build.context.numerics, build.context.running
    assert launch is not None

    def thread() -> Mapping[str, int]:
        return {**around, **dict(launch.running)}

    own = Storage(source.nbytes, {dtype: Own(cells, thread) for dtype, cells in source.planes.items()}, bound.scope)
    own.name, own.numerics = bound.name, source.numerics
    for names in (build.buffers, build.handles):
        for name, other in list(names.items()):
            if isinstance(other, Bound) and other.storage is source:
                cells = own.plane(other.dtype, numerics)
                names[name] = replace(other, storage=own, cells=cells, depth=build.depth)
    launch.levels[len(build.tags) - 1].storages.append(own)
    return Copy(build.tags[-1], source, own, launch, len(build.tags), thread)
