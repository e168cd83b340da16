"""Assumptions that wait to be looked at, and what looking at them costs (``context.py``).

Spec: ``spec/06b-solver.md``, ``sh/assumptions``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush

from refrelax.semantics.dims import Facts
from refrelax.semantics.dims.atoms import Atoms
from refrelax.shape_solver.core import names_in
from refrelax.shape_solver.core import replaced as substituted
from refrelax.shape_solver.size import measure
from refrelax.syntax.scalars import PrimExpr

REPLACED = 4
"""What each node of an assumption in which a symbol was replaced counts as, in these."""

WORN = 1_000
"""Operations on terms after which a table of atoms is not used for another assumption: what it may do is limited."""


@dataclass(slots=True)
class Tables:
    """The tables of atoms that were used, for what they cost together."""

    used: list[Atoms] = field(default_factory=list)
    before: int = 0

    def of(self, facts: Facts) -> Atoms:
        """A table over ``facts``; the last one, which has normal forms, while little was done with it."""
        if not self.used or self.used[-1].facts is not facts or max(self.used[-1].work, self.used[-1].spent) > WORN:
            self.used.append(Atoms(facts))
        return self.used[-1]

    @property
    def work(self) -> int:
        """Operations on terms."""
        while len(self.used) > 1:
            self.before += self.used.pop(0).work
        return self.before + sum(each.work for each in self.used)


class Queue:
    """Assumptions in order; each is looked at again when something about a symbol in it has changed."""

    def __init__(self) -> None:
        self.parts: dict[int, PrimExpr] = {}
        self.names: dict[int, frozenset[str]] = {}
        self.places: dict[str, set[int]] = {}
        self.open: list[int] = []
        self.marked: set[int] = set()
        self.last = 0
        self.work = 0

    def put(self, part: PrimExpr, place: int | None = None) -> None:
        if place is None:
            place = self.last = self.last + 1
        self.parts[place], self.names[place] = part, names_in(part)
        for name in self.names[place]:
            self.places.setdefault(name, set()).add(place)
        self.mark(place)

    def mark(self, place: int) -> None:
        if place not in self.marked:
            self.marked.add(place)
            heappush(self.open, place)

    def next(self) -> int | None:
        """The first that was not looked at since its symbols changed."""
        while self.open:
            place = heappop(self.open)
            self.marked.discard(place)
            if place in self.parts:
                return place
        return None

    def remove(self, place: int) -> None:
        del self.parts[place]
        for name in self.names.pop(place):
            self.places[name].discard(place)

    def changed(self, step: dict[str, PrimExpr], bounded: set[str]) -> None:
        """Symbols are replaced, or have other bounds."""
        for name, by in step.items():
            for place in sorted(self.places.get(name, ())):
                part = substituted(self.parts[place], {name: by})
                self.work += REPLACED * measure(part)[0]
                self.remove(place)
                self.put(part, place)
        for name in sorted(bounded):
            for place in self.places.get(name, ()):
                self.mark(place)
