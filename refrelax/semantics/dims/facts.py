"""What is known about symbols: a lower and an upper bound each, both inclusive, either open.

Spec: ``spec/06-shapes.md``, ``sh/facts``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from refrelax.rules import rule

Bound = tuple[int | None, int | None]
"""Least and greatest value, inclusive; ``None`` is unbounded."""

UNBOUNDED: Bound = (None, None)


def _nothing() -> Mapping[str, Bound]:
    return MappingProxyType({})


Asked = tuple[frozenset[tuple[tuple[str, ...], int]], int]
"""A polynomial, and the fuel that was left."""


class Shown(NamedTuple):
    """Whether a polynomial was shown not to be negative, and what that cost: asked again it costs as much."""

    holds: bool
    work: int
    spent: int
    fuel: int


@dataclass(frozen=True, slots=True)
class Facts:
    """Bounds by symbol. A symbol that is not listed is any integer. Immutable: every ``with_…`` gives a new value."""

    known: Mapping[str, Bound] = field(default_factory=_nothing)
    required: bool = False
    """Whether ``sh/equal`` shows no more than every implementation must (``sh/required``)."""
    shown: dict[Asked, Shown] = field(default_factory=dict, init=False, compare=False, repr=False)
    """Answers of ``ranges.nonneg`` and of its steps: keys of atoms say all of them, so that questions share these."""

    @rule("sh/facts")
    def with_bounds(self, name: str, lower: int | None = None, upper: int | None = None) -> Facts:
        """These facts and ``lower <= name <= upper``; a bound that is already tighter stays."""
        old_lower, old_upper = self.known.get(name, UNBOUNDED)
        bound = (_tighter(old_lower, lower, max), _tighter(old_upper, upper, min))
        if bound == (old_lower, old_upper):
            return self
        return replace(self, known=MappingProxyType({**self.known, name: bound}))

    @rule("sh/facts")
    def with_shape_symbols(self, names: Iterable[str]) -> Facts:
        """These facts and ``name >= 0`` for each name: an extent is never negative."""
        fresh = [name for name in names if (lower := self.known.get(name, UNBOUNDED)[0]) is None or lower < 0]
        if not fresh:
            return self
        known = dict(self.known)
        for name in fresh:
            known[name] = (0, known.get(name, UNBOUNDED)[1])
        return replace(self, known=MappingProxyType(known))

    def of(self, name: str) -> Bound:
        """The bounds of ``name``."""
        return self.known.get(name, UNBOUNDED)

    def without(self, names: Iterable[str]) -> Facts:
        """These facts with nothing said about ``names``."""
        dropped = frozenset(names)
        if dropped.isdisjoint(self.known):
            return self
        left = {name: bound for name, bound in self.known.items() if name not in dropped}
        return replace(self, known=MappingProxyType(left))


def _tighter(old: int | None, new: int | None, pick: object) -> int | None:
    if old is None or new is None:
        return new if old is None else old
    return max(old, new) if pick is max else min(old, new)


NO_FACTS = Facts()
"""Nothing is known."""


def shape_facts(names: Iterable[str]) -> Facts:
    """Each of ``names`` is an extent: ``>= 0``."""
    return NO_FACTS.with_shape_symbols(names)
