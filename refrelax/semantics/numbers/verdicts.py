"""What comparing one observed result with its enclosure can say."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Inside:
    """Every observed element is permitted. ``margin``: 1 in the middle of the enclosure, 0 at its edge (the least
    one).
    """

    margin: float


@dataclass(frozen=True, slots=True)
class Outside:
    """The element at ``index`` is not permitted; ``by``: units in the last place beyond the nearer end (``inf``: of
    another kind).
    """

    index: tuple[int, ...]
    by: float


@dataclass(frozen=True, slots=True)
class Undecided:
    """Nothing is known to be wrong, but the enclosure is too wide to call that agreement; ``width`` in the dtype's
    units.
    """

    width: float


Verdict = Inside | Outside | Undecided
