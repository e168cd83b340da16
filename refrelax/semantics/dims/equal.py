"""``sh/equal``: the one judgement that says whether two dimensions are equal; and bounds of a dimension.

Spec: ``spec/06-shapes.md``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.facts import Bound, Facts
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly, const, leading, scale, sub
from refrelax.semantics.dims.ranges import interval, nonneg
from refrelax.semantics.dims.required import required
from refrelax.semantics.dims.terms import never_zero
from refrelax.syntax.dtypes import is_float
from refrelax.syntax.scalars import Literal, PrimExpr, literal_int


@rule("sh/equal")
def equal(a: PrimExpr, b: PrimExpr, facts: Facts) -> bool | None:
    """Whether ``a`` and ``b`` have the same value wherever the facts hold and both are defined.

    ``True``: provably equal. ``False``: provably different everywhere. ``None``: open.
    """
    if isinstance(a, Literal) and isinstance(b, Literal) and not (is_float(a.dtype) or is_float(b.dtype)):
        return literal_int(a) == literal_int(b)
    if a == b:
        return True
    if is_float(a.dtype) or is_float(b.dtype):
        return None  # no dimension: a prim value, say
    if facts.required:
        return required(a, b)
    atoms = Atoms(facts)
    difference = _difference(a, b, atoms)
    if not difference:
        return True
    if difference[leading(difference)] < 0:  # the same question, with the same fuel, for (b, a)
        difference = scale(difference, -1)
    return False if never_zero(difference, atoms) else required(a, b)  # the fuel may be spent before that is seen


@rule("sh/interval")
def bounds(e: PrimExpr, facts: Facts) -> Bound:
    """The least and the greatest value that ``e`` is known to have, inclusive; ``None`` where none is known."""
    atoms = Atoms(facts)
    p = normal(e, atoms)
    atoms.refuel()
    low, high = interval(p, atoms)
    if low is None or low < 0:
        low = 0 if nonneg(p, atoms) else low
    if high is None:
        high = next((limit for limit in (0,) if nonneg(sub(const(limit), p), atoms)), None)
    return low, high


def at_least(a: PrimExpr, b: PrimExpr, facts: Facts) -> bool:
    """Whether ``a >= b`` follows from the facts by ``sh/never-negative``; ``False`` means *not shown*."""
    atoms = Atoms(facts)
    return nonneg(_difference(a, b, atoms), atoms)


@rule("sh/fuel")
def _difference(a: PrimExpr, b: PrimExpr, atoms: Atoms) -> Poly:
    """``a - b`` in normal form; either side, and what is asked of it afterwards, has fuel of its own."""
    left = normal(a, atoms)
    atoms.refuel()
    right = normal(b, atoms)
    atoms.refuel()
    return sub(left, right)
