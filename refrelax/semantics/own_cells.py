"""Cells of memory that belongs to one thread, wherever it is allocated.

What the threads of a loop wrote to one cell lies in a ``Mark`` in its place: each of them finds there what it wrote
itself, any other thread what was there before, and what is no thread of such a loop finds nothing that has a meaning.

Spec: ``spec/07-evaluation.md``, ``ev/thread-private-memory``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from refrelax.rules import rule
from refrelax.semantics.numbers.poison import Poison, poison

Thread = Mapping[str, int]
"""A thread: its place for each tag of the loops around."""


class Log(Protocol):
    """What is told of each cell before it is written, and what it held."""

    def setdefault(self, k: int, old: Any, /) -> Any: ...


OTHERS = poison("ev/thread-private-memory")


@dataclass(frozen=True, slots=True, eq=False)
class Mark(Poison):
    """What the threads of a loop over ``tag`` left in a cell, by their place, and what was there ``before`` them."""

    tag: str
    left: Mapping[int, Any]
    before: Any

    @rule("ev/thread-private-memory")
    def seen(self, by: Thread) -> Any:
        """What a thread finds here."""
        found: Any = self
        while isinstance(found, Mark):
            if found.tag not in by:
                return OTHERS
            found = found.left.get(by[found.tag], found.before)
        return found

    def of(self, thread: Thread) -> Any:
        """What is here for the threads that a thread may be part of: other tags may be bound inside."""
        found: Any = self
        while isinstance(found, Mark) and found.tag in thread:
            found = found.left.get(thread[found.tag], found.before)
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return poison, (self.rule,)


def marked(old: Any, tag: str, left: Mapping[int, Any]) -> Mark:
    """A cell that held ``old`` (as it is kept) after threads left something in it."""
    if isinstance(old, Mark) and old.tag == tag:
        return Mark(OTHERS.rule, tag, {**old.left, **left}, old.before)
    return Mark(OTHERS.rule, tag, left, old)


def is_private(scope: str) -> bool:
    """Whether memory of this scope belongs to one thread; fragments of matrices are kept by the first of a warp."""
    return scope == "local" or scope.startswith("wmma.")


class Local(list[Any]):
    """Such cells, before any loop over threads around which they lie."""

    __slots__ = ("log", "thread")
    log: Log | None
    thread: Callable[[], Thread]

    def __init__(self, cells: list[Any]) -> None:
        super().__init__(cells)
        self.log, self.thread = None, dict


class Own(list[Any]):
    """Such cells as ``thread`` sees them. ``log``: while a thread runs, what it wrote as it was before."""

    __slots__ = ("log", "thread")
    log: Log | None
    thread: Callable[[], Thread]

    def __init__(self, cells: list[Any], thread: Callable[[], Thread]) -> None:
        super().__init__(cells)
        self.log, self.thread = None, thread

    def __getitem__(self, k: Any) -> Any:
        found = list.__getitem__(self, k)
        if type(found) is Mark:
            return found.seen(self.thread())
        return seen(found, self.thread()) if type(found) is list else found

    def __setitem__(self, k: Any, value: Any) -> None:
        if self.log is not None:
            for each in range(*k.indices(len(self))) if isinstance(k, slice) else (k,):
                self.log.setdefault(each, list.__getitem__(self, each))
        list.__setitem__(self, k, value)


def is_owned(planes: Iterable[list[Any]]) -> bool:
    """Whether memory, by its planes, belongs to one thread: that of a parameter is the caller's, whatever its scope."""
    return all(isinstance(cells, Local | Own) for cells in planes)


def seen(cells: list[Any], by: Thread) -> list[Any]:
    """What a thread finds in cells."""
    return [each.seen(by) if type(each) is Mark else each for each in list.__iter__(cells)]


def begun(cells: list[Any], thread: Thread) -> list[Any]:
    """The cells that a thread, or what its tags have in common with others, begins with."""
    return [each.of(thread) if type(each) is Mark else each for each in list.__iter__(cells)]


def kept(cells: list[Any], k: int) -> Any:
    """What lies in a cell, a mark as it is."""
    return list.__getitem__(cells, k)
