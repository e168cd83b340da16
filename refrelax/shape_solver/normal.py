"""Proof by the normal form of ``semantics/dims``: split the claim, take conditions in, compare polynomials.

Spec: ``spec/06-shapes.md``, ``sh/prove-normal-form``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import ONE
from refrelax.shape_solver.context import Context, negation
from refrelax.shape_solver.defined import conditions
from refrelax.syntax.scalars import Binary, Not, PrimExpr

MAX_SPLITS = 48
"""How many parts of one claim are looked at."""


class _Budget:
    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_SPLITS


@rule("sh/prove-normal-form")
def proves(claim: PrimExpr, context: Context) -> bool:
    """Whether the normal form shows ``claim`` wherever it is defined and the context holds."""
    return _proves(claim, context, _Budget())


def _proves(claim: PrimExpr, context: Context, budget: _Budget) -> bool:
    """The parts of ``claim``, each under what its evaluation already passed. Never wrong: at a point where the claim
    is defined, a part that is evaluated is defined too."""
    if context.absurd:
        return True
    budget.left -= 1
    if budget.left < 0:
        return False
    match claim:
        case Not(a) if not isinstance(pushed := negation(a), Not):
            return _proves(pushed, context, budget)
        case Binary("And", a, b):
            return _proves(a, context, budget) and _proves(b, context.assuming(a), budget)
        case Binary("Or", a, b):
            return _proves(a, context, budget) or _proves(b, context.assuming(negation(a)), budget)
        case Binary("EQ", a, b) if a.dtype == "bool":
            return _leaf(claim, context) or (
                _proves(Binary("Or", negation(a), b), context, budget)
                and _proves(Binary("Or", negation(b), a), context, budget)
            )
        case _:
            return _leaf(claim, context)


def _leaf(claim: PrimExpr, context: Context) -> bool:
    """One comparison: its truth value is the constant 1, where its divisors are not zero."""
    needed = conditions(claim)
    if needed:
        context = context.assuming(*needed)
        if context.absurd:
            return True
    return normal(context.image(claim), Atoms(context.facts)) == ONE
