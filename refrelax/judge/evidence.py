"""What ``validate`` answers with, and the evidence behind it, strongest first.

``Proved`` (all shapes, all values) > ``ProvedAt`` (all values at those shapes) > ``Tested``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from refrelax.judge.verdicts import NoVerdict
from refrelax.shape_solver import claim

Shapes = Mapping[str, int]
"""Values of the symbols of an entry's signature."""


@dataclass(frozen=True, slots=True)
class Proved(claim.Proved):
    """Equal for all shapes and all values. ``claims``: the statements over symbolic integers that the proof rests
    on.
    """

    claims: tuple[Any, ...] = field(default=(), repr=False)
    relaxations: tuple[str, ...] = ()
    """Named relaxations that the proof needed."""
    trusts: tuple[str, ...] = ()
    """What the proof rests on besides the definition: hypotheses, procedures, relaxations, and ``legalization`` where a
    side was legalized."""

    def __str__(self) -> str:
        return f"PROVED ({len(self.claims)} claims)" if self.claims else "PROVED"


@dataclass(frozen=True, slots=True)
class ProvedAt:
    """Equal terms, so equal for all values, at each of ``shapes``."""

    shapes: tuple[Shapes, ...]

    def __str__(self) -> str:
        at = "; ".join(", ".join(f"{k}={v}" for k, v in shape.items()) or "its only shape" for shape in self.shapes)
        return f"PROVED-AT {at}"


@dataclass(frozen=True, slots=True)
class Tested:
    """No difference that the definition does not permit, in ``cases`` runs. ``undecided``: runs whose permitted results
    were too wide to tell; ``excluded``: runs that the first program leaves open."""

    cases: int
    undecided: int = 0
    excluded: int = 0

    def __str__(self) -> str:
        notes = [f"{n} {what}" for n, what in ((self.undecided, "undecided"), (self.excluded, "excluded")) if n]
        return f"TESTED {self.cases}" + (f" ({', '.join(notes)})" if notes else "")


Evidence = Proved | ProvedAt | Tested


@dataclass(frozen=True, slots=True)
class Equivalent:
    """The second program does what the first one permits. ``relaxations``: named relaxations that were needed."""

    evidence: Evidence
    relaxations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Arguments on which the second program does what the first does not permit, and how the two ended."""

    args: tuple[Any, ...]
    dims: Shapes
    message: str
    before: Any = field(default=None, repr=False)
    after: Any = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Refuted(claim.Refuted):
    """The programs differ at ``counterexample``; ``model`` holds its dims."""

    counterexample: Counterexample | None = None


Validation = Equivalent | Refuted | NoVerdict
