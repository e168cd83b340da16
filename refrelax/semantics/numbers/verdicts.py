"""What comparing one observed result with its enclosure can say."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Inside:
    """Every observed element is permitted. ``margin``: 1 in the middle of the enclosure, 0 at its edge (the least
    one).
    """

    margin: float


@dataclass(frozen=True, slots=True)
class Outside:
    """The element at ``index`` is not permitted; ``by``: units in the last place beyond the nearer end (``inf``: of
    another kind); ``found`` and ``permitted``: the element and the set, in words.
    """

    index: tuple[int, ...]
    by: float
    found: str = field(default="", compare=False, repr=False)
    permitted: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Undecided:
    """Nothing is known to be wrong, but the enclosure is too wide to call that agreement; ``width`` in the dtype's
    units.
    """

    width: float


Containment = Inside | Outside | Undecided


@dataclass(frozen=True, slots=True)
class Counts:
    """How many elements came out how. A value that is no tensor counts as one element, as does a tensor without any.

    ``excluded``: the reference leaves them open; ``not_judged``: nothing is held against them (functions, foreign
    objects).
    """

    inside: int = 0
    outside: int = 0
    undecided: int = 0
    excluded: int = 0
    not_judged: int = 0

    @property
    def compared(self) -> int:
        """Elements of which something was asked."""
        return self.inside + self.outside + self.undecided

    @property
    def decided(self) -> bool:
        """Whether something was compared and all of it is inside."""
        return self.inside > 0 and self.outside == self.undecided == 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.inside + other.inside,
            self.outside + other.outside,
            self.undecided + other.undecided,
            self.excluded + other.excluded,
            self.not_judged + other.not_judged,
        )
