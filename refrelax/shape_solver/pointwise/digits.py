"""Digits of one index put together: of ``o == f // 48`` and ``p == f % 48`` the iteration ``f == o * 48 + p``.

A digit is ``x // d % m``, or ``x // d`` where it is the highest. Two that follow each other, ``x // d % m == b`` and
``x // (d * m) % k == a``, say the same as the one ``x // d % (m * k) == a * m + b`` with ``0 <= b < m``.

Spec: ``spec/06c-pointwise.md``, ``sh/fused-index``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS, equal
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import leading
from refrelax.semantics.dims.spell import spell
from refrelax.shape_solver.core import mapped_down
from refrelax.shape_solver.pointwise.simplify import quotient_and_rest
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, free_symbols, int_imm

ONE = int_imm(1)

Holds = Callable[[PrimExpr], bool]


@dataclass(frozen=True, slots=True)
class Digit:
    """``value == whole // below % modulus``; ``modulus is None``: nothing is above."""

    value: PrimExpr
    whole: PrimExpr
    below: PrimExpr
    modulus: PrimExpr | None


@rule("sh/fused-index")
def together(
    conditions: Sequence[PrimExpr], v: SymVar, holds: Holds, in_domain: Holds | None = None
) -> tuple[PrimExpr, ...]:
    """The conditions with the digits of what ``v`` stands in put together, as far as that goes. ``in_domain``: what
    holds for every value that ``v`` takes; a digit above which nothing is there is the highest."""
    digits = [d for c in conditions if (d := _digit(c, v, holds)) is not None]
    rest = [c for c in conditions if _digit(c, v, holds) is None]
    if all(equal(d.below, ONE, NO_FACTS) and d.modulus is None for d in digits):
        return tuple(conditions)
    while (pair := _following(digits, holds)) is not None:
        low, high = pair
        assert low.modulus is not None
        digits = [d for d in digits if d is not low and d is not high]
        value = Binary("Add", Binary("Mul", high.value, low.modulus), low.value)
        modulus = None if high.modulus is None else _times(low.modulus, high.modulus)
        digits.append(Digit(value, low.whole, low.below, modulus))
        rest += [Binary("GE", low.value, int_imm(0, low.value.dtype)), Binary("LT", low.value, low.modulus)]
    if in_domain is not None:
        digits = [_highest(d, in_domain) for d in digits]
    return (*map(_condition, digits), *rest)


def _highest(d: Digit, holds: Holds) -> Digit:
    """A digit without its modulus, where ``0 <= whole < below * modulus``."""
    if d.modulus is None or not _positive(d.below, holds) or not _positive(d.modulus, holds):
        return d
    zero, end = int_imm(0, d.whole.dtype), _times(d.below, d.modulus)
    inside = holds(Binary("GE", d.whole, zero)) and holds(Binary("LT", d.whole, end))
    return replace(d, modulus=None) if inside else d


@rule("sh/store-inverse")
def told(conditions: Sequence[PrimExpr], v: SymVar) -> tuple[PrimExpr, ...]:
    """The conditions with a quotient or remainder of ``v`` that one of them tells (``o == v // q``) told so in the
    others."""
    known: dict[PrimExpr, PrimExpr] = {}
    telling: list[PrimExpr] = []
    for c in conditions:
        match c:
            case Binary("EQ", a, b) if a.dtype != "bool" and v.name in free_symbols(b) - free_symbols(a):
                digit, value = _alone(a, b, v)
                if isinstance(digit, Binary) and digit.op in ("FloorDiv", "FloorMod") and digit not in known:
                    known[digit] = value
                    telling.append(c)
    if not known:
        return tuple(conditions)
    return tuple(c if c in telling else mapped_down(c, known.get) for c in conditions)


def _following(digits: list[Digit], holds: Holds) -> tuple[Digit, Digit] | None:
    """A digit and the next one above it."""
    for low in digits:
        if low.modulus is None or not _positive(low.below, holds) or not _positive(low.modulus, holds):
            continue
        for high in digits:
            if high is low or equal(high.whole, low.whole, NO_FACTS) is not True:
                continue
            fits = equal(high.below, _times(low.below, low.modulus), NO_FACTS) is True
            if fits and (high.modulus is None or _positive(high.modulus, holds)):
                return low, high
    return None


def _digit(condition: PrimExpr, v: SymVar, holds: Holds) -> Digit | None:
    match condition:
        case Binary("EQ", a, b) if a.dtype != "bool" and v.name in free_symbols(b) - free_symbols(a):
            digit, value = _alone(a, b, v)
            whole, below, modulus = _parts(digit, holds)
            return Digit(value, whole, below, modulus)
        case _:
            return None


def _alone(value: PrimExpr, e: PrimExpr, v: SymVar) -> tuple[PrimExpr, PrimExpr]:
    """``value == e`` with the summand of ``e`` that mentions ``v`` on its own, where there is one, and it divides."""
    match e:
        case Binary("Add", a, b) if v.name not in free_symbols(a):
            return _alone(Binary("Sub", value, a), b, v)
        case Binary("Add", a, b) if v.name not in free_symbols(b):
            return _alone(Binary("Sub", value, b), a, v)
        case _:
            return e, value


def _parts(e: PrimExpr, holds: Holds) -> tuple[PrimExpr, PrimExpr, PrimExpr | None]:
    """``e`` as ``whole // below % modulus``. Where a digit of a digit is meant, both are above 0."""
    match e:
        case Binary("FloorMod", a, m):
            whole, below, modulus = _parts(a, holds)
            return (whole, below, m) if modulus is None else (e, ONE, None)
        case Binary("FloorDiv", a, d):
            whole, below, modulus = _parts(a, holds)
            if modulus is None:
                simple = equal(below, ONE, NO_FACTS) or ((as_int(below) or 0) > 0 and (as_int(d) or 0) > 0)
                return (whole, _times(below, d), None) if simple else (e, ONE, None)
            if (rest := _over(modulus, d)) is not None and _positive(d, holds) and _positive(rest, holds):
                return (whole, _times(below, d), rest) if _positive(below, holds) else (e, ONE, None)
            step, top = as_int(d) or 0, as_int(modulus) or 0
            if step > 0 and top > 0 and top % step == 0 and (as_int(below) or 0) > 0:
                return whole, _times(below, d), int_imm(top // step)
            return e, ONE, None
        case _:
            return e, ONE, None


def _over(product: PrimExpr, factor: PrimExpr) -> PrimExpr | None:
    """The other factor of a product, or of a sum that is one."""
    match product:
        case Binary("Mul", a, b) if equal(a, factor, NO_FACTS) is True:
            return b
        case Binary("Mul", a, b) if equal(b, factor, NO_FACTS) is True:
            return a
        case Binary("Mul" | "Add" | "Sub"):
            atoms = Atoms(NO_FACTS)
            whole, part = normal(product, atoms), normal(factor, atoms)
            if not part or part[leading(part)] <= 0:
                return None
            quotient, rest = quotient_and_rest(whole, part)
            return None if rest or not quotient else spell(quotient, atoms, product.dtype)
        case _:
            return None


def _condition(d: Digit) -> PrimExpr:
    whole = d.whole if equal(d.below, ONE, NO_FACTS) else Binary("FloorDiv", d.whole, d.below)
    return Binary("EQ", d.value, whole if d.modulus is None else Binary("FloorMod", whole, d.modulus))


def _times(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    x, y = as_int(a), as_int(b)
    return int_imm(x * y) if x is not None and y is not None else b if x == 1 else a if y == 1 else Binary("Mul", a, b)


def _positive(e: PrimExpr, holds: Holds) -> bool:
    k = as_int(e)
    return k > 0 if k is not None else holds(Binary("GT", e, int_imm(0, e.dtype)))
