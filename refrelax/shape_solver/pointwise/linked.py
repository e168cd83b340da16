"""Facts by the symbols that link them: which of very many have to do with a claim.

Spec: ``spec/06c-pointwise.md``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from refrelax.syntax.scalars import PrimExpr


@dataclass(slots=True)
class Group:
    """Facts that share symbols, directly or through each other."""

    symbols: set[str] = field(default_factory=set)
    places: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Linked:
    """Facts in order, which are only added to."""

    facts: list[PrimExpr] = field(default_factory=list)
    groups: dict[str, Group] = field(default_factory=dict)
    """By symbol."""

    def add(self, fact: PrimExpr, symbols: frozenset[str]) -> None:
        """One more fact, and what stands in it; one of no symbols has to do with no claim."""
        found = {id(group): group for name in symbols if (group := self.groups.get(name)) is not None}
        whole, *others = sorted(found.values(), key=lambda group: -len(group.symbols)) or [Group()]
        for other in others:
            whole.places += other.places
            whole.symbols |= other.symbols
        whole.places.append(len(self.facts))
        whole.symbols |= symbols
        moved = symbols.union(*(other.symbols for other in others))
        self.groups.update(dict.fromkeys(moved, whole))
        self.facts.append(fact)

    def with_symbols(self, names: frozenset[str], more: Iterable[tuple[PrimExpr, frozenset[str]]]) -> list[PrimExpr]:
        """The facts, and those of ``more``, that share a symbol of ``names``, directly or through each other, in
        order."""
        reached, pending, groups = set(names), set(names), dict[int, Group]()
        left = list(more)
        chosen = [False] * len(left)
        while pending:
            new = {id(group): group for name in pending if (group := self.groups.get(name)) is not None}
            groups |= new
            pending = set().union(*(group.symbols for group in new.values()), pending)
            for k, (_, symbols) in enumerate(left):
                if not chosen[k] and not pending.isdisjoint(symbols):
                    chosen[k] = True
                    pending |= symbols
            pending -= reached
            reached |= pending
        places = sorted(place for group in groups.values() for place in group.places)
        return [*(self.facts[k] for k in places), *(each for (each, _), own in zip(left, chosen) if own)]
