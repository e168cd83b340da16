"""Equations taken apart in digits: where ``|r| < c``, ``c * q + r == 0`` says ``q == 0`` and ``r == 0``.

An index map with rows of ``c`` places is such an equation about two of its points. It is taken apart as it came, before
bit operators are opened: the range of ``x ^ y`` is seen as it stands only.

Spec: ``spec/06b-solver.md``, ``sh/equation-digits``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.shape_solver.bit_forms import BITWISE
from refrelax.shape_solver.claim import conjunction
from refrelax.shape_solver.context import conjuncts
from refrelax.shape_solver.core import integer, mapped, operators_in, replaced
from refrelax.shape_solver.vectors import Bounds, Ranges
from refrelax.syntax.scalars import COMPARISONS, Binary, Intrinsic, Not, PrimExpr, SymVar, as_int, bool_imm

MAX_TERMS = 24
"""Terms of an equation that is taken apart."""

Sum = dict[PrimExpr, int]
"""Terms and their factors; the constant is the factor of ``ONE``."""

ONE = integer(1)


def has_bits(e: PrimExpr) -> bool:
    """Whether a bit operator stands in ``e``."""
    return not BITWISE.isdisjoint(operators_in(e))


@rule("sh/equation-digits")
def apart(e: PrimExpr, bounds: Bounds, decide: bool = True) -> PrimExpr:
    """``e`` with its comparisons of bit operators decided, or its equations taken apart, as far as ``bounds`` (of
    symbols) allow that. ``decide``: not of an assumption, which may be what the bounds come from."""
    if not has_bits(e):
        return e
    ranges = Ranges.within(bounds)

    def change(node: PrimExpr) -> PrimExpr:
        match node:
            case Binary(op, a, b) if op in COMPARISONS and a.dtype != "bool" and has_bits(node):
                left, right = added(a, 1, {}), added(b, -1, {})
                whole = added(a, 1, dict(right))
                known = _decided(op, whole, ranges) if decide else None
                if known is not None:
                    return bool_imm(known)
                parts = _parts(whole, ranges) if op in ("EQ", "NE") else []
                if len(parts) > 1 or (parts and len(whole) < len(left) + len(right)):
                    found = conjunction([_equation(each) for each in parts])
                    return found if op == "EQ" else Not(found)
        return node

    return mapped(e, change)


def all_apart(given: tuple[PrimExpr, ...], bounds: Bounds) -> tuple[PrimExpr, ...]:
    """Assumptions taken apart, and what they say of one symbol being another put into the others."""
    taken = [apart(each, bounds, decide=False) for each in given]
    if all(a is b for a, b in zip(taken, given)):
        return given
    parts = [part for each in taken for part in conjuncts(each)]
    for part in list(parts):
        match part:
            case Binary("EQ", SymVar(x) as symbol, SymVar(y)) if x != y:
                parts = [each if each == part else replaced(each, {y: symbol}) for each in parts]
                parts = [part, *(each for each in parts if each != part)]
            case _:
                pass
    return (*parts, *(part for each in taken for part in conjuncts(each) if part not in parts))


def _parts(whole: Sum, ranges: Ranges) -> list[Sum]:
    """Sums that are all 0 exactly where ``whole`` is."""
    if len(whole) > MAX_TERMS:
        return [whole]
    for c in sorted({abs(factor) for term, factor in whole.items() if term != ONE} - {0, 1}, reverse=True):
        high = {term: factor // c for term, factor in whole.items() if term != ONE and factor % c == 0}
        low = {term: factor for term, factor in whole.items() if term != ONE and factor % c}
        over = whole.get(ONE, 0)
        for rest in (over % c, over % c - c):
            least, greatest = _reach(low, rest, ranges)
            if low and least is not None and greatest is not None and -c < least and greatest < c:
                first = {**high, ONE: (over - rest) // c}
                return [*_parts(first, ranges), *_parts({**low, ONE: rest}, ranges)]
    return [whole]


def _decided(op: str, whole: Sum, ranges: Ranges) -> bool | None:
    """Whether ``whole`` compares with 0 as ``op`` says, if its range shows that."""
    low, high = _reach({term: by for term, by in whole.items() if term != ONE}, whole.get(ONE, 0), ranges)
    if low is None or high is None:
        return None
    holds = {"LT": high < 0, "LE": high <= 0, "GT": low > 0, "GE": low >= 0, "EQ": low == high == 0}
    fails = {"LT": low >= 0, "LE": low > 0, "GT": high <= 0, "GE": high < 0, "EQ": low > 0 or high < 0}
    if op == "NE":
        holds["NE"], fails["NE"] = fails["EQ"], holds["EQ"]
    return True if holds[op] else False if fails[op] else None


def _reach(terms: Sum, fixed: int, ranges: Ranges) -> tuple[int, int] | tuple[None, None]:
    low = high = fixed
    for term, factor in terms.items():
        found = ranges.of(term)
        if found is None:
            return None, None
        ends = (found[0] * factor, found[1] * factor)
        low, high = low + min(ends), high + max(ends)
    return low, high


def added(e: PrimExpr, factor: int, total: Sum) -> Sum:
    """``total + factor * e``, sums, complements and products by numbers opened."""
    match e:
        case Binary("Add" | "Sub" as op, a, b):
            return added(b, factor if op == "Add" else -factor, added(a, factor, total))
        case Binary("Mul", a, b) if (c := as_int(b)) is not None:
            return added(a, factor * c, total)
        case Binary("Mul", a, b) if (c := as_int(a)) is not None:
            return added(b, factor * c, total)
        case Intrinsic("bitwise_not", (a,)):
            return added(ONE, -factor, added(a, -factor, total))
        case Intrinsic("shift_left", (a, b)) if (c := as_int(b)) is not None and 0 <= c <= 64:
            return added(a, factor << c, total)
        case _:
            number = as_int(e)
            term, by = (e, factor) if number is None else (ONE, factor * number)
            total[term] = total.get(term, 0) + by
            if not total[term]:
                del total[term]
            return total


def _equation(terms: Sum) -> PrimExpr:
    """``terms == 0``, what is added on the left and what is taken away on the right."""
    plus = {term: by for term, by in terms.items() if by > 0}
    minus = {term: -by for term, by in terms.items() if by < 0}
    return Binary("EQ", _sum(plus), _sum(minus))


def _sum(terms: Sum) -> PrimExpr:
    parts: list[PrimExpr] = []
    for term, factor in terms.items():
        parts.append(integer(factor) if term == ONE else term if factor == 1 else Binary("Mul", term, integer(factor)))
    total = parts[0] if parts else integer(0)
    for part in parts[1:]:
        total = Binary("Add", total, part)
    return total
