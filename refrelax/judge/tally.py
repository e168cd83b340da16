"""What runs of a pair of programs showed, added up: a ``Report`` in the making, with a count for each result.

A tensor without elements counts as one that is compared (by shape and dtype), as does a value that is no tensor.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.judge.report import Open, Report
from refrelax.semantics.numbers.verdicts import Counts


@dataclass(frozen=True, slots=True)
class Tally:
    """Element counts of one run or of many. ``results``: how many elements of each result were compared; ``runs``: how
    many runs were."""

    inside: int = 0
    outside: int = 0
    undecided: int = 0
    excluded: int = 0
    runs: int = 0
    open: tuple[Open, ...] = ()
    results: Mapping[str, int] = field(default_factory=dict)
    relaxations: tuple[str, ...] = ()
    """Named relaxations without which a result would not have been permitted."""

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
            tuple(dict.fromkeys((*self.relaxations, *other.relaxations))),
        )

    def report(
        self, relaxations: tuple[str, ...] = (), trusts: tuple[str, ...] = (), arguments: tuple[Any, ...] = ()
    ) -> Report:
        """The report of an answer that rests on these runs."""
        counts = Counts(self.inside, self.outside, self.undecided, self.excluded)
        used = tuple(dict.fromkeys((*relaxations, *self.relaxations)))
        return Report(counts, 0, self.open, used, trusts, arguments)


NOTHING = Tally()


def _merged(found: tuple[Open, ...]) -> tuple[Open, ...]:
    """One for each rule and place, with the note of the first: every run may note another index."""
    first: dict[Open, Open] = {}
    for each in found:
        key = replace(each, count=each.count and 1, note="")
        known = first.get(key)
        if known is None or known.count is None or each.count is None:
            first.setdefault(key, each)
        else:
            first[key] = replace(known, count=known.count + each.count)
    return tuple(first.values())
