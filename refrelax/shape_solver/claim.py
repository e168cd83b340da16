"""What is asked and what is answered.

Spec: ``spec/06b-solver.md``, second half.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from refrelax.notebook import Told
from refrelax.shape_solver.core import each_once, spread
from refrelax.spelled import spelled_values
from refrelax.syntax.scalars import PrimExpr, SymVar, bool_imm

Effort: TypeAlias = Literal["quick", "normal", "thorough"]
Division: TypeAlias = Literal["assume", "require"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What an effort may spend: points of each random stage, and Z3's resource units of each of its stages: on the
    normal form, in digits, on the plain expression, on words."""

    points: tuple[int, int, int]
    resources: tuple[int, int, int, int]
    domain: int
    """Greatest number of points that are all looked at."""
    work: int
    """What all stages of one question may spend together (``allowance.py``)."""


LIMITS: dict[Effort, Limits] = {
    "quick": Limits((40, 280, 512), (0, 0, 0, 0), 2_000, 2_000_000),
    "normal": Limits((40, 274, 12_000), (400_000, 1_000_000, 2_000_000, 1_500_000), 20_000, 4_200_000),
    "thorough": Limits((40, 4_000, 60_000), (2_000_000, 15_000_000, 30_000_000, 15_000_000), 400_000, 80_000_000),
}


@dataclass(frozen=True, slots=True)
class Query:
    """A claim under assumptions, all of dtype ``bool``.

    ``fits``: the range that every arithmetic step of the claim must stay in. ``division``: ``assume`` (the claim is
    asked where it is defined) or ``require`` (a point where it is undefined is a counterexample).
    """

    claim: PrimExpr
    assumptions: tuple[PrimExpr, ...] = ()
    fits: tuple[int, int] | None = None
    division: Division = "assume"
    _symbols: dict[str, str] = field(init=False, compare=False, repr=False, default_factory=dict)

    def symbols(self) -> Mapping[str, str]:
        """Names of all symbols and their dtypes, in order of appearance."""
        found = self._symbols
        if not found:  # looked for once: every stage asks
            for e in (self.claim, *self.assumptions):
                for node in each_once(e):
                    if isinstance(node, SymVar):
                        found.setdefault(node.name, node.dtype)
        return found


@dataclass(frozen=True, slots=True)
class Stage:
    """One line of the log: which stage ran, what came of it, in words."""

    name: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Proved(Told):
    """The claim holds wherever the assumptions do and it is defined. ``vacuous``: that is nowhere."""

    certificate: Any = field(compare=False, repr=False)
    vacuous: bool = False
    stages: tuple[Stage, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Refuted(Told):
    """At ``model`` the assumptions hold and the claim does not, on exact integers."""

    model: dict[str, int]
    stages: tuple[Stage, ...] = field(default=(), compare=False, repr=False)

    def __repr__(self) -> str:
        return f"Refuted(model={spelled_values(self.model)})"


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a question lies that has no answer (``sh/classes``): inside a named class, outside all of them for the
    named reasons, or past a named budget."""

    kind: Literal["inside", "outside", "budget"]
    names: tuple[str, ...]

    def __str__(self) -> str:
        named = ", ".join(self.names)
        match self.kind:
            case "inside":
                return f"inside the class {named}: a fault of the solver"
            case "outside":
                return f"outside the named classes: {named}"
            case "budget":
                return f"past the budget: {named}"


TOO_LARGE = Scope("budget", ("size",))
OPAQUE = Scope("outside", ("opaque",))
FLOATS = Scope("outside", ("floats",))


@dataclass(frozen=True, slots=True)
class Unknown(Told):
    """Neither was shown. ``stage`` is the last one that ran, ``scope`` where the question lies."""

    reason: str
    stage: str
    stages: tuple[Stage, ...] = field(default=(), compare=False, repr=False)
    scope: Scope = TOO_LARGE

    def __str__(self) -> str:
        return f"{self.reason} ({self.scope})"


Answer: TypeAlias = Proved | Refuted | Unknown


def conjunction(parts: tuple[PrimExpr, ...] | list[PrimExpr]) -> PrimExpr:
    """All of ``parts``, evaluated from the left."""
    return spread("And", list(parts)) if parts else bool_imm(True)
