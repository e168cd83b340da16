"""Counts of what runs showed, as plain data: elements compared, elements that the first program leaves open, and why.

A tensor without elements counts as one that is compared (by shape and dtype), as does a value that is no tensor.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from refrelax.errors import Span


@dataclass(frozen=True, slots=True)
class OpenElements:
    """What the first program leaves open. ``binding``: what is open (a result, an argument; empty: the run);
    ``count``: how many elements, ``None`` for the whole run."""

    rule: str
    binding: str = ""
    span: Span | None = None
    count: int | None = None

    def __str__(self) -> str:
        what = self.binding or "the run"
        place = f" at {self.span}" if self.span is not None else ""
        return f"{what} is open{place} [{self.rule}]"


@dataclass(frozen=True, slots=True)
class Tally:
    """Element counts of one run or of many. ``results``: how many elements of each result were compared; ``runs``: how
    many runs were."""

    inside: int = 0
    outside: int = 0
    undecided: int = 0
    excluded: int = 0
    runs: int = 0
    open: tuple[OpenElements, ...] = ()
    results: Mapping[str, int] = field(default_factory=dict)

    @property
    def compared(self) -> int:
        """Elements of which something was asked."""
        return self.inside + self.outside + self.undecided

    @property
    def blank(self) -> str | None:
        """A result of which no element was compared."""
        return next((name for name, count in self.results.items() if count == 0), None)

    def __add__(self, other: Tally) -> Tally:
        results = {
            name: self.results.get(name, 0) + other.results.get(name, 0) for name in {**self.results, **other.results}
        }
        return Tally(
            self.inside + other.inside,
            self.outside + other.outside,
            self.undecided + other.undecided,
            self.excluded + other.excluded,
            self.runs + other.runs,
            _merged((*self.open, *other.open)),
            results,
        )


NOTHING = Tally()


def _merged(found: tuple[OpenElements, ...]) -> tuple[OpenElements, ...]:
    counts: dict[tuple[str, str, Span | None], int | None] = {}
    for each in found:
        key = (each.rule, each.binding, each.span)
        before = counts.get(key, 0)
        counts[key] = None if before is None or each.count is None else before + each.count
    return tuple(OpenElements(*key, count) for key, count in counts.items())
