"""Index expressions made shorter: what a chain of reshapes does to an index.

One rule: where ``a == q*b + r`` term by term and ``0 <= r < b`` is proved, ``a // b`` is ``q`` and ``a % b`` is ``r``;
where only ``b > 0`` is proved, ``a // b`` is ``q + r // b`` and ``a % b`` is ``r % b``.

Spec: ``spec/06-shapes.md``, ``sh/index-digits``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly, without
from refrelax.semantics.dims.spell import spell
from refrelax.shape_solver.pointwise.logic import Given, Logic, compare, within
from refrelax.syntax.scalars import Binary, PrimExpr, int_imm, walk

DIVISIONS = frozenset({"FloorDiv", "FloorMod"})


def divides(e: PrimExpr) -> bool:
    """Whether ``e`` has a division in it."""
    return any(isinstance(n, Binary) and n.op in DIVISIONS for n in walk(e))


def simplified(e: PrimExpr, given: Given, logic: Logic) -> PrimExpr:
    """An expression that is equal to ``e`` wherever ``given`` holds; ``e`` itself if it has no division."""
    if not divides(e):
        return e
    new = _simplified(e, given, logic)
    return _settled(new)


def _simplified(e: PrimExpr, given: Given, logic: Logic) -> PrimExpr:
    if not isinstance(e, Binary) or e.dtype == "bool":
        return e
    a, b = _simplified(e.a, given, logic), _simplified(e.b, given, logic)
    if e.op in DIVISIONS:
        found = _digit(e.op, a, b, given, logic)
        if found is not None:
            return found
    return e if a is e.a and b is e.b else Binary(e.op, a, b)


@rule("sh/index-digits")
def _digit(op: str, a: PrimExpr, b: PrimExpr, given: Given, logic: Logic) -> PrimExpr | None:
    atoms = Atoms(NO_FACTS)
    p, q = normal(a, atoms), normal(b, atoms)
    if len(q) != 1:
        return None
    ((mono, c),) = q.items()
    if c <= 0:
        return None
    quotient: Poly = {}
    rest: Poly = {}
    for each, coefficient in p.items():
        left = without(each, mono)
        if left is not None and coefficient % c == 0:
            quotient[left] = coefficient // c
        else:
            rest[each] = coefficient
    low, whole = spell(rest, atoms, a.dtype), spell(quotient, atoms, a.dtype)
    if low is None or whole is None:
        return None
    if all(logic.holds(each, given, "digit") for each in within(low, b)):
        return low if op == "FloorMod" else whole
    if quotient and rest and logic.holds(compare("GT", b, int_imm(0, b.dtype)), given, "digit"):
        new = Binary(op, low, b)  # type: ignore[arg-type]
        return new if op == "FloorMod" else Binary("Add", whole, new)
    return None


def _settled(e: PrimExpr) -> PrimExpr:
    """The expression in the one spelling of its normal form."""
    atoms = Atoms(NO_FACTS)
    found = spell(normal(e, atoms), atoms, e.dtype)
    return e if found is None else found
