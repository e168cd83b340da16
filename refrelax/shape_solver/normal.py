"""Proof by the normal form of ``semantics/dims``: split the claim, take conditions in, compare polynomials.

Spec: ``spec/06b-solver.md``, ``sh/prove-normal-form``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import ONE, Mono, Poly, add, join, scale, sub, without
from refrelax.semantics.dims.ranges import atom_interval, nonneg
from refrelax.shape_solver.context import Context, negation, order
from refrelax.shape_solver.core import names_in
from refrelax.shape_solver.defined import conditions
from refrelax.syntax.scalars import Binary, Not, PrimExpr

MAX_SPLITS = 48
"""How many parts of one claim are looked at."""

MAX_GIVEN = 32
"""Hypotheses that are combined with one goal."""

MAX_COMBINED = 24
"""How many times a hypothesis is taken away from one goal."""


class _Budget:
    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


@dataclass(slots=True)
class Spent:
    """What one claim may take: parts that are looked at, and operations on terms, which are counted."""

    most: float = inf
    left: int = MAX_SPLITS
    work: int = 0


@rule("sh/prove-normal-form")
def proves(claim: PrimExpr, context: Context, spent: Spent | None = None) -> bool:
    """Whether the normal form shows ``claim`` wherever it is defined and the context holds."""
    return _proves(claim, context, spent or Spent())


def _proves(claim: PrimExpr, context: Context, spent: Spent) -> bool:
    """The parts of ``claim``, each under what its evaluation already passed. Never wrong: at a point where the claim
    is defined, a part that is evaluated is defined too."""
    if context.absurd:
        return True
    spent.left -= 1
    if spent.left < 0:
        return False
    match claim:
        case Not(a) if not isinstance(pushed := negation(a), Not):
            return _proves(pushed, context, spent)
        case Binary("And", a, b):
            return _proves(a, context, spent) and _proves(b, context.assuming(a), spent)
        case Binary("Or", a, b):
            return _proves(a, context, spent) or _proves(b, context.assuming(negation(a)), spent)
        case Binary("EQ", a, b) if a.dtype == "bool":
            return _leaf(claim, context, spent) or (
                _proves(Binary("Or", negation(a), b), context, spent)
                and _proves(Binary("Or", negation(b), a), context, spent)
            )
        case _:
            return _leaf(claim, context, spent)


def _leaf(claim: PrimExpr, context: Context, spent: Spent) -> bool:
    """One comparison: its truth value is the constant 1, where its divisors are not zero."""
    needed = conditions(claim)
    if needed:
        context = context.where(needed)
        if context.absurd:
            return True
    if _compared(claim, context, spent):
        return True
    measured = context.measuring()
    return measured.absurd or (measured is not context and _compared(claim, measured, spent))


def _compared(claim: PrimExpr, context: Context, spent: Spent) -> bool:
    if spent.work > spent.most:
        return False
    atoms = Atoms(context.facts)
    found = _shown(context.image(claim), context, atoms)
    spent.work += atoms.cost
    return found


def _shown(image: PrimExpr, context: Context, atoms: Atoms) -> bool:
    if normal(image, atoms) == ONE:
        return True
    if not context.hypotheses:
        return False
    given = [p for each in _near(image, context.hypotheses) if (p := order(each, atoms)) is not None]
    match image:
        case Binary("EQ", a, b) if a.dtype != "bool":
            goal = sub(normal(a, atoms), normal(b, atoms))
            return combined(goal, given, atoms) and combined(scale(goal, -1), given, atoms)
        case _:
            wanted = order(image, atoms)
            return wanted is not None and combined(wanted, given, atoms)


def _near(claim: PrimExpr, hypotheses: tuple[PrimExpr, ...]) -> list[PrimExpr]:
    """The hypotheses that are combined: if there are many, the first that share a symbol with the claim."""
    if len(hypotheses) <= MAX_GIVEN:
        return list(hypotheses)
    names = names_in(claim)
    return [each for each in hypotheses if names & names_in(each)][:MAX_GIVEN]


@rule("sh/combination")
def combined(goal: Poly, given: list[Poly], atoms: Atoms) -> bool:
    """``goal >= 0``, by taking nonnegative multiples of the hypotheses ``given`` (each ``>= 0``) away from it."""
    return _combined(goal, given, atoms, _Budget(MAX_COMBINED), 3)


def _combined(goal: Poly, given: list[Poly], atoms: Atoms, budget: _Budget, depth: int) -> bool:
    if nonneg(goal, atoms):
        return True
    if depth == 0:
        return False
    for p in given:
        for factor, times in _multiples(goal, p, atoms):
            budget.left -= 1
            if budget.left < 0:
                return False
            lifted = {join(factor, mono): c for mono, c in p.items()}
            if _combined(add(goal, lifted, -times), given, atoms, budget, depth - 1):
                return True
    return False


def _multiples(goal: Poly, p: Poly, atoms: Atoms) -> list[tuple[Mono, int]]:
    """Monomials that are never negative, and factors, by which ``p`` meets a negative term of ``goal``."""
    found: dict[Mono, int] = {}
    for mono, c in goal.items():
        if c >= 0:
            continue
        for other, d in p.items():
            if d < 0 and other:
                factor = without(mono, other)
                if factor is not None and all(_never_negative(key, atoms) for key in factor):
                    found.setdefault(factor, max(1, c // d))
    return list(found.items())


def _never_negative(key: str, atoms: Atoms) -> bool:
    low, _ = atom_interval(atoms.table[key], atoms)
    return low is not None and low >= 0
