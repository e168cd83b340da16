"""Sums of products that keep their shape: what ``simplify`` works on between an expression and its spelling.

Unlike a polynomial, a product of sums stays a product here (``(n + 1) * m``); only constants are multiplied out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import gcd

from refrelax.semantics.dims.spell import imm, product
from refrelax.syntax.scalars import Binary, Literal, PrimExpr, as_int

Factors = tuple[PrimExpr, ...]
Key = frozenset[tuple[PrimExpr, int]]


@dataclass(slots=True)
class Linear:
    """``sum(coefficient * product(factors)) + fixed``, terms in order of appearance; no coefficient is zero."""

    fixed: int = 0
    terms: dict[Key, tuple[int, Factors]] = field(default_factory=dict)

    def sole(self) -> tuple[int, Factors] | None:
        """The coefficient and factors if this is one term and nothing else."""
        return next(iter(self.terms.values())) if len(self.terms) == 1 and not self.fixed else None


def leaf(e: PrimExpr) -> Linear:
    """One factor, taken as it is."""
    value = as_int(e)
    return term(1, (e,)) if value is None else Linear(value)


def term(coefficient: int, factors: Factors) -> Linear:
    """One product."""
    return Linear(0, {frozenset(Counter(factors).items()): (coefficient, factors)})


def plus(a: Linear, b: Linear, factor: int = 1) -> Linear:
    """``a + factor * b``."""
    terms = dict(a.terms)
    for key, (coefficient, factors) in b.terms.items():
        value = terms.get(key, (0, ()))[0] + factor * coefficient
        if value:
            terms[key] = (value, terms[key][1] if key in terms else factors)
        else:
            terms.pop(key, None)
    return Linear(a.fixed + factor * b.fixed, terms)


def times(a: Linear, b: Linear, dtype: str) -> Linear:
    """``a * b``; sums that are no constants become factors as they stand."""
    for x, y in ((a, b), (b, a)):
        if not x.terms:
            return plus(Linear(), y, x.fixed) if x.fixed else Linear()
    c, left = _factors(a, dtype)
    d, right = _factors(b, dtype)
    return term(c * d, (*left, *right))


def _factors(a: Linear, dtype: str) -> tuple[int, Factors]:
    return a.sole() or (1, (spelled(a, dtype),))


def content(a: Linear) -> int:
    """The greatest common divisor of the coefficients of the terms; 0 if there is none."""
    return gcd(*(coefficient for coefficient, _ in a.terms.values()))


# --- spelling --------------------------------------------------------------------------------------------------------


def spelled(a: Linear, dtype: str) -> PrimExpr:
    """``a`` as an expression: added terms, a positive constant, subtracted terms, a negative constant."""
    result: PrimExpr | None = None
    for coefficient, factors in a.terms.values():
        if coefficient > 0:
            result = _join(result, _scaled(coefficient, factors, dtype), 1, dtype)
    if a.fixed > 0:
        result = _join(result, imm(a.fixed, dtype), 1, dtype)
    for coefficient, factors in a.terms.values():
        if coefficient < 0 and result is None:
            negated = _scaled(coefficient, factors, dtype) if coefficient < -1 else None
            result = negated or Binary("Sub", imm(0, dtype), _scaled(1, factors, dtype))
        elif coefficient < 0:
            result = _join(result, _scaled(-coefficient, factors, dtype), -1, dtype)
    if result is None:
        return imm(a.fixed, dtype)
    return result if a.fixed >= 0 else Binary("Sub", result, imm(-a.fixed, dtype))


def _scaled(coefficient: int, factors: Factors, dtype: str) -> PrimExpr:
    whole = product(factors)
    return whole if coefficient == 1 else Binary("Mul", whole, imm(coefficient, dtype))


def _join(total: PrimExpr | None, e: PrimExpr, sign: int, dtype: str) -> PrimExpr:
    """``total`` plus or minus ``e``; a factor that both share is taken out, to the right: ``(n + 1) * m``."""
    if total is None:
        return e
    shared = _shared(total, e)
    if shared is None:
        return Binary("Add" if sign > 0 else "Sub", total, e)
    kept, other, common = shared
    left, right = as_int(kept), as_int(other)
    if left is not None and right is not None:
        return Binary("Mul", common, imm(left + sign * right, dtype))
    if left is not None and sign > 0:
        kept, other, left, right = other, kept, right, left
    if right is not None:
        return Binary("Mul", _offset(kept, sign * right, dtype), common)
    return Binary("Mul", Binary("Add" if sign > 0 else "Sub", kept, other), common)


def _offset(e: PrimExpr, amount: int, dtype: str) -> PrimExpr:
    """``e + amount``, joined with a constant at the end of ``e``."""
    if isinstance(e, Binary) and e.op in ("Add", "Sub") and (last := as_int(e.b)) is not None:
        amount += last if e.op == "Add" else -last
        e = e.a
    if amount == 0:
        return e
    return Binary("Add" if amount > 0 else "Sub", e, imm(abs(amount), dtype))


def _shared(a: PrimExpr, b: PrimExpr) -> tuple[PrimExpr, PrimExpr, PrimExpr] | None:
    """``x, y, z`` with ``a == x * z`` and ``b == y * z`` where ``z`` is an operand of both and no constant."""
    if isinstance(a, Literal) or isinstance(b, Literal):
        return None
    for x, z in _operands(a):
        for y, w in _operands(b):
            if z == w and not (as_int(x) is not None and as_int(y) is not None):
                return x, y, z
    return None


def _operands(e: PrimExpr) -> list[tuple[PrimExpr, PrimExpr]]:
    """The ways to see ``e`` as (the rest, one factor), plain ``e`` as ``1 * e``; a factor is never a constant."""
    one = (imm(1, e.dtype), e)
    if not (isinstance(e, Binary) and e.op == "Mul"):
        return [one]
    sides = [(e.a, e.b), (e.b, e.a), one]
    return [(rest, factor) for rest, factor in sides if as_int(factor) is None]
