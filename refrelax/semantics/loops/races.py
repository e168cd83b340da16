"""Data races between the threads of a launch and between the iterations of parallel loops.

Every point of a run lies on a *strand*, labelled by the concurrent loops around it: a run of a loop (its *instance*)
and the iteration. Two accesses are concurrent when the first level at which their labels differ is one instance and two
iterations; a barrier starts a new instance for the threads that it joins. Per cell the last two strands that changed
it, one that read it and one that wrote what was there already are enough, since strands run one after the other (the
argument of the SP-bags algorithm, Feng and Leiserson 1997).

Only accesses inside a concurrent loop, to memory from outside it, come here.

Spec: ``spec/07-evaluation.md``, *Threads*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import copysign
from typing import Any

from refrelax.errors import Ended
from refrelax.rules import rule
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.storage import Storage

Label = tuple[tuple[int, Any], ...]
"""(instance of a concurrent loop, iteration) per level, outermost first."""


@dataclass(slots=True)
class Accesses:
    """What is known of one cell: the strand that gave it its value, others that wrote the same value, one reader."""

    writer: Label | None = None
    also: frozenset[Label] = frozenset()
    reader: Label | None = None
    atomics: frozenset[Label] = frozenset()
    """Strands that changed it atomically since."""
    still: Label | None = None
    """A strand that wrote the value that was there: beside it, a change is another value."""
    before: Label | None = None
    """The strand that gave it another value before the writer did."""


class Record(dict[int, Accesses]):
    """The accesses to the cells of one memory. ``everywhere``: it is global, which an owed barrier does not order."""

    __slots__ = ("everywhere",)

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.everywhere = scope.partition(".")[0] == "global"


@dataclass(slots=True)
class Races:
    """The strand that is running, and the accesses to every watched storage."""

    label: Label = ()
    instances: int = 0
    records: dict[tuple[int, str], tuple[Storage, Record]] = field(default_factory=dict)
    lockstep: bool = False
    owed: tuple[int, int] | None = None
    """Where barriers are owed and not written: the level of the label that they renew, and the instance that stays for
    global memory."""
    ended: set[Label] = field(default_factory=set)
    """The last strands of the threads of this block that have ended: a barrier of their warp does not order them."""
    found: Ended | None = None
    """In lockstep, the first race since the last barrier: told when all threads wait, unless a barrier that some of
    them never reach explains it."""

    def report(self, race: Ended) -> None:
        """End the run, at once or when the threads in lockstep wait."""
        if not self.lockstep:
            race.loops.clear()  # the loops name themselves as they are left
            raise race
        if self.found is None:
            self.found = race

    def instance(self) -> int:
        """The number of a new run of a concurrent loop."""
        self.instances += 1
        return self.instances

    def record(self, storage: Storage, dtype: str) -> Record:
        """The accesses to the cells of a storage at a dtype, or to its ``"bytes"``."""
        return self.records.setdefault((id(storage), dtype), (storage, Record(storage.scope)))[1]

    def forget(self, storage: Storage, dtype: str) -> None:
        """A storage begins a new life."""
        for unit in (dtype, "bytes"):
            found = self.records.get((id(storage), unit))
            if found is not None:
                found[1].clear()

    def taken(self, storage: Storage) -> dict[str, dict[int, Accesses]]:
        """The accesses to a storage, by dtype, which are forgotten."""
        found = {}
        for (number, dtype), (_, record) in self.records.items():
            if number == id(storage):
                found[dtype] = dict(record)
                record.clear()
        return found

    def put(self, storage: Storage, accesses: Mapping[str, Mapping[int, Accesses]]) -> None:
        """Know what was taken of a storage."""
        for dtype, each in accesses.items():
            self.records[id(storage), dtype][1].update(each)

    def strand(self, record: Record) -> Label:
        """The strand that is running, as the memory of ``record`` sees it."""
        if self.owed is None or not record.everywhere:
            return self.label
        level, instance = self.owed
        return (*self.label[:level], (instance, self.label[level][1]), *self.label[level + 1 :])

    def read(self, record: Record, cell: int) -> Label | None:
        """Note a read; gives the concurrent strand that changed the cell, if there is one."""
        me, seen = self.label if self.owed is None else self.strand(record), record.get(cell)
        if seen is None:
            record[cell] = Accesses(reader=me)
            return None
        if seen.reader is me:  # and nobody else has run since
            return None
        writer = seen.writer
        if writer is not None and self.beside(writer, me) and not self._wrote_too(seen, me):
            return writer
        for other in seen.atomics:
            if self.beside(other, me):
                return other
        if seen.reader is None or not self.beside(seen.reader, me):
            seen.reader = me
        return None

    def write(self, record: Record, cell: int, old: Any, new: Any) -> Label | None:
        """Note a write; gives a concurrent strand that read the cell or wrote something else, if there is one."""
        me, seen = self.label if self.owed is None else self.strand(record), record.get(cell)
        if seen is None:
            record[cell] = Accesses(still=me) if same(old, new) else Accesses(writer=me)
            return None
        if seen.writer is me:  # nobody else has run since, and the writer is asked for before the others
            if not same(old, new):
                seen.before = me
            return None
        if same(old, new):
            if (other := self._one_beside(me, seen.before, *seen.atomics)) is not None:
                return other
            if seen.writer is not None and self.beside(seen.writer, me):
                seen.also |= {me}
            if seen.still is None or not self.beside(seen.still, me):
                seen.still = me
            return None
        if (other := self._one_beside(me, seen.writer, seen.reader, seen.still, *seen.also, *seen.atomics)) is not None:
            return other
        record[cell] = Accesses(writer=me, before=seen.writer)
        return None

    def atomic(self, record: Record, cell: int) -> Label | None:
        """Note an atomic change; gives a concurrent strand that read or wrote the cell otherwise, if there is one."""
        me, seen = self.strand(record), record.setdefault(cell, Accesses())
        if (other := self._one_beside(me, seen.writer, seen.reader, seen.still, *seen.also)) is not None:
            return other
        seen.atomics |= {me}
        return None

    @rule("ev/warp-barrier")
    def beside(self, other: Label, me: Label) -> bool:
        """Whether no order is promised between a strand of before and the one that is running."""
        if concurrent(other, me):
            return True
        if self.ended:
            for level, (there, here) in enumerate(zip(other, me, strict=False), 1):
                if there[0] != here[0]:
                    return other[:level] in self.ended
        return False

    def _one_beside(self, me: Label, *others: Label | None) -> Label | None:
        """The first of the strands that is concurrent with ``me``."""
        return next((other for other in others if other is not None and self.beside(other, me)), None)

    def _wrote_too(self, seen: Accesses, me: Label) -> bool:
        return me in seen.also or any(not self.beside(other, me) for other in seen.also)


def concurrent(a: Label, b: Label) -> bool:
    """Whether no order is promised between two strands."""
    if a is b:
        return False
    for (i, x), (j, y) in zip(a, b, strict=False):
        if i != j:
            return False
        if x != y:
            return True
    return False


def same(a: Any, b: Any) -> bool:
    """Whether two payloads are one value, as far as that can be told without a reading."""
    if a is b:
        return True
    if isinstance(a, Poison) and isinstance(b, Poison):
        return a.rule == b.rule  # a note is for readers
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return (a == b and copysign(1.0, a) == copysign(1.0, b)) or (a != a and b != b)
    try:
        return bool(a == b)
    except Exception:  # (a payload that cannot be compared is a different one)
        return False
