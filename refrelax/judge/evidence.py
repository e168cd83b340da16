"""What ``validate`` answers with, and the evidence behind it, strongest first.

``Equivalent`` (with ``Proved``: all shapes, all values) > ``ProvedAt`` (all values at those shapes) > ``Tested``.
Every answer has ``word`` and ``report``; those with evidence also ``tally`` (what its runs showed).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from refrelax.judge.report import Report
from refrelax.judge.tally import NOTHING, Tally
from refrelax.judge.verdicts import NoVerdict, Reason
from refrelax.notebook import Told
from refrelax.shape_solver import claim

Shapes = Mapping[str, int]
"""Values of the symbols of an entry's signature."""

LEGALIZATION = "legalization"
"""What a proof trusts where operators were legalized on either side: that each legalizer keeps the meaning."""


def under(relaxations: tuple[str, ...]) -> str:
    """The relaxations that an answer leans on, in words."""
    return f" under {', '.join(relaxations)}" if relaxations else ""


@dataclass(frozen=True, slots=True)
class Proved(Told):
    """Evidence that two programs are equal for all shapes and all values; the shape solver's answer of that name is
    about one claim. ``claims``: the statements over symbolic integers that the proof rests on.
    """

    claims: tuple[Any, ...] = field(default=(), repr=False)
    relaxations: tuple[str, ...] = ()
    """Named relaxations that the proof needed."""
    trusts: tuple[str, ...] = ()
    """What the proof rests on besides the definition: hypotheses, procedures, relaxations, and ``legalization`` where a
    side was legalized."""
    record: Any = field(default=None, repr=False, compare=False)
    """Where it was asked for: the descent as ``refrelax certify`` reads it, or why it is not written down."""

    def __str__(self) -> str:
        said = f"PROVED ({len(self.claims)} claims)" if self.claims else "PROVED"
        return said + (f" modulo {LEGALIZATION}" if LEGALIZATION in self.trusts else "")


@dataclass(frozen=True, slots=True)
class ProvedAt(Told):
    """Equal terms, so equal for all values, at each of ``shapes``. ``unproved``: why there is no proof
    for all shapes."""

    shapes: tuple[Shapes, ...]
    relaxations: tuple[str, ...] = ()
    trusts: tuple[str, ...] = ()
    unproved: str = field(default="", repr=False)
    tally: Tally = field(default=NOTHING, repr=False)

    word = "PROVED-AT"

    @property
    def report(self) -> Report:
        return self.tally.report(self.relaxations, self.trusts)

    @property
    def evidence(self) -> ProvedAt:
        return self

    def __str__(self) -> str:
        at = "; ".join(", ".join(f"{k}={v}" for k, v in shape.items()) or "its only shape" for shape in self.shapes)
        return f"PROVED-AT {at}{under(self.relaxations)}{_left_open(self.tally)}"


@dataclass(frozen=True, slots=True)
class Tested(Told):
    """No difference that the definition does not permit, in ``cases`` runs. ``excluded``: further runs that the first
    program leaves open, or that a budget ended; ``unproved``: why there is no proof."""

    cases: int
    excluded: int = 0
    relaxations: tuple[str, ...] = ()
    trusts: tuple[str, ...] = ()
    unproved: str = field(default="", repr=False)
    tally: Tally = field(default=NOTHING, repr=False)

    word = "TESTED"
    __test__ = False  # no test class, whatever its name says to pytest

    @property
    def report(self) -> Report:
        return self.tally.report(self.relaxations, self.trusts)

    @property
    def evidence(self) -> Tested:
        return self

    def __str__(self) -> str:
        notes = f" ({self.excluded} excluded)" if self.excluded else ""
        return f"TESTED {self.cases}{notes}{under(self.relaxations)}{_left_open(self.tally)}"


Evidence = Proved | ProvedAt | Tested


@dataclass(frozen=True, slots=True)
class Equivalent(Told):
    """The second program does what the first one permits, for all shapes and values. ``relaxations``: named relaxations
    that the proof needed."""

    evidence: Proved
    relaxations: tuple[str, ...] = ()
    tally: Tally = field(default=NOTHING, repr=False)

    word = "PROVED"

    @property
    def report(self) -> Report:
        return self.tally.report(self.relaxations, self.trusts)

    @property
    def trusts(self) -> tuple[str, ...]:
        return self.evidence.trusts

    def __str__(self) -> str:
        return f"{self.evidence}{under(self.relaxations)}"


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Arguments on which the second program does what the first does not permit, and how the two ended."""

    args: tuple[Any, ...]
    dims: Shapes
    message: str
    before: Any = field(default=None, repr=False)
    after: Any = field(default=None, repr=False)
    field: str = ""
    """Of a result that is a tuple, the field that differs: ``1.0``."""
    binding: str = ""
    """The first binding that both programs have and that got another value, if one is found: ``main/lv1``."""


@dataclass(frozen=True, slots=True)
class Refuted(claim.Refuted):
    """The programs differ at ``counterexample``; ``model`` holds its dims."""

    counterexample: Counterexample | None = None
    relaxations: tuple[str, ...] = ()
    tally: Tally = field(default=NOTHING, repr=False)
    otherwise: tuple[str, ...] = ()
    """Symbols, one at least 0 at the counterexample, such that the programs are proved equal where none of them is."""

    word = "REFUTED"
    trusts = ()

    @property
    def report(self) -> Report:
        return self.tally.report(self.relaxations, self.trusts, self.arguments)

    @property
    def field(self) -> str:
        """Of a result that is a tuple, the field that differs: ``1.0``."""
        return self.counterexample.field if self.counterexample is not None else ""

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arguments at which they differ."""
        return self.counterexample.args if self.counterexample is not None else ()

    def __str__(self) -> str:
        at = " ".join(f"{k}={v}" for k, v in sorted(self.model.items()))
        if (example := self.counterexample) is None:
            return f"REFUTED {at}".rstrip()
        if self.otherwise:
            proved = ", ".join(f"{name} >= 1" for name in self.otherwise)
            zeros = ", ".join(f"{name} = 0" for name in self.otherwise if self.model.get(name) == 0)
            return f"PROVED for {proved}, REFUTED at {zeros}: {example.message}"
        first = f"; the first binding that differs: {example.binding}" if example.binding else ""
        return f"REFUTED {at}".rstrip() + f": {example.message}{first}"


def undetermined(
    why: str,
    reason: Reason,
    tally: Tally = NOTHING,
    unproved: str = "",
    relaxations: tuple[str, ...] = (),
    trusts: tuple[str, ...] = (),
) -> NoVerdict:
    """No verdict of ``validate``: for one of the reasons of ``NoVerdict``, and why there is no proof."""
    return NoVerdict(why, reason == "open", reason, report=tally.report(relaxations, trusts), unproved=unproved)


Validation = Equivalent | ProvedAt | Tested | Refuted | NoVerdict


def _left_open(tally: Tally) -> str:
    """What was compared and what was not, where something was not."""
    if not tally.excluded:
        return ""
    rules = ", ".join(dict.fromkeys(each.rule for each in tally.open))
    return f"; {tally.compared} elements compared, {tally.excluded} open [{rules}]"
