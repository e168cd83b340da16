"""Index expressions made shorter: what a chain of reshapes does to an index.

One rule: where ``a == q*b + r`` term by term and ``0 <= r < b`` is proved, ``a // b`` is ``q`` and ``a % b`` is ``r``;
where only ``b > 0`` is proved, ``a // b`` is ``q + r // b`` and ``a % b`` is ``r % b``.

Spec: ``spec/06c-pointwise.md``, ``sh/index-digits``.
"""

from __future__ import annotations

from math import gcd

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Mono, Poly, add, join, leading, sub, without
from refrelax.semantics.dims.spell import spell
from refrelax.shape_solver.context import negation, order
from refrelax.shape_solver.pointwise.logic import Given, Logic, compare, within
from refrelax.syntax.scalars import Binary, Cast, Literal, Not, PrimExpr, as_int, int_imm, walk

DIVISIONS = frozenset({"FloorDiv", "FloorMod"})
MOST_TERMS = 64
"""Of a quotient that is looked for."""


def divides(e: PrimExpr) -> bool:
    """Whether ``e`` has a division in it."""
    return any(isinstance(n, Binary) and n.op in DIVISIONS for n in walk(e))


def simplified(e: PrimExpr, given: Given, logic: Logic) -> PrimExpr:
    """An expression that is equal to ``e`` wherever ``given`` holds; ``e`` itself if it has no division."""
    if e.dtype == "bool":
        return canonical(_condition(unmasked(e), given, logic))
    if not divides(e):
        return e
    return _settled(_simplified(e, given, logic))


@rule("sh/term-head")
def unmasked(e: PrimExpr) -> PrimExpr:
    """A condition with truths in place of what they are as numbers: ``0 < int(b)`` is ``b``."""
    match e:
        case Binary("And" | "Or" as op, a, b):
            return Binary(op, unmasked(a), unmasked(b))
        case Not(a):
            return Not(unmasked(a))
        case (
            Binary("LT", Literal() as zero, Cast(dtype, truth))
            | Binary("GT", Cast(dtype, truth), Literal() as zero)
            | Binary("NE", Cast(dtype, truth), Literal() as zero)
        ) if truth.dtype == "bool" and as_int(zero) == 0 and dtype in ("int8", "int32", "int64"):
            return unmasked(truth)
        case _:
            return e


def canonical(e: PrimExpr) -> PrimExpr:
    """A condition with each comparison in one spelling: ``p >= 0``, ``p == 0`` or ``p != 0``."""
    match e:
        case Binary("And" | "Or" as op, a, b):
            return Binary(op, canonical(a), canonical(b))
        case Not(a) if not isinstance(pushed := negation(a), Not):
            return canonical(pushed)
        case Binary("EQ" | "NE" as op, a, b) if a.dtype != "bool":
            atoms = Atoms(NO_FACTS)
            p = sub(normal(a, atoms), normal(b, atoms))
            found = spell(p, atoms, a.dtype)
            return e if found is None else Binary(op, found, int_imm(0, a.dtype))
        case Binary("LT" | "LE" | "GT" | "GE", a, _) if a.dtype != "bool":
            atoms = Atoms(NO_FACTS)
            p = order(e, atoms) or {}
            found = spell(p, atoms, a.dtype)
            return e if found is None else Binary("GE", found, int_imm(0, a.dtype))
        case _:
            return e


def first_atom(e: PrimExpr) -> PrimExpr:
    """The first comparison of a condition: what to split cases on."""
    return first_atom(e.a) if isinstance(e, Binary) and e.op in ("And", "Or") else e


def _condition(e: PrimExpr, given: Given, logic: Logic) -> PrimExpr:
    match e:
        case Binary(op, a, b) if divides(e):
            return Binary(op, simplified(a, given, logic), simplified(b, given, logic))
        case Not(a):
            return negation(simplified(a, given, logic))
        case _:
            return e


def _simplified(e: PrimExpr, given: Given, logic: Logic) -> PrimExpr:
    if not isinstance(e, Binary):
        return e
    key = (e, id(logic.interned(given)))
    if key not in logic.shorter:
        logic.shorter[key] = _shorter(e, given, logic)
    return logic.shorter[key]


def _shorter(e: Binary, given: Given, logic: Logic) -> PrimExpr:
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
    if not q or q[leading(q)] <= 0:
        return None
    quotient, rest = quotient_and_rest(p, q)
    low, whole = spell(rest, atoms, a.dtype), spell(quotient, atoms, a.dtype)
    if low is None or whole is None:
        return None
    if all(logic.holds(each, given, "digit") for each in within(low, b)):
        return low if op == "FloorMod" else whole
    if quotient and rest and logic.holds(compare("GT", b, int_imm(0, b.dtype)), given, "digit"):
        new = Binary(op, low, b)  # type: ignore[arg-type]
        return new if op == "FloorMod" else Binary("Add", whole, new)
    return _by_factors(op, p, next(iter(q.items())), atoms, given, logic, a.dtype) if len(q) == 1 else None


def quotient_and_rest(p: Poly, q: Poly) -> tuple[Poly, Poly]:
    """Polynomials with ``p == quotient * q + rest``: no term of the rest is a multiple of the greatest one of ``q``."""
    first, *others = sorted(q, key=lambda mono: (len(mono), mono), reverse=True)
    quotient: Poly = {}
    rest: Poly = {}
    pending = dict(p)
    while pending and len(quotient) < MOST_TERMS:
        mono = leading(pending)
        c = pending.pop(mono)
        left = without(mono, first)
        if left is None or c % q[first]:
            rest = add(rest, {mono: c})
            continue
        times = c // q[first]
        quotient = add(quotient, {left: times})
        pending = add(pending, {join(left, each): q[each] for each in others}, -times)
    return quotient, add(rest, pending)


def _by_factors(
    op: str, p: Poly, divisor: tuple[Mono, int], atoms: Atoms, given: Given, logic: Logic, dtype: str
) -> PrimExpr | None:
    """A divisor ``g * h``: ``a // (g*h)`` is ``(a // g) // h``, ``a % (g*h)`` is ``a // g % h * g + a % g``."""
    mono, c = divisor
    for left, d in _parts(p, divisor):
        rest = {each: k for each, k in p.items() if without(each, left) is None or k % d}
        quotient = {without(each, left) or (): k // d for each, k in p.items() if each not in rest}
        if len(quotient) + len(rest) != len(p) or not quotient:
            continue
        parts = [spell(each, atoms, dtype) for each in (quotient, rest, {left: d}, {without(mono, left) or (): c // d})]
        if any(each is None for each in parts):
            continue
        whole, low, g, h = (each for each in parts if each is not None)
        if not logic.holds(compare("GT", g, int_imm(0, dtype)), given, "digit"):
            continue
        carry = _simplified(Binary("FloorDiv", low, g), given, logic)
        found = _digit(op, Binary("Add", whole, carry), h, given, logic)
        if found is not None:
            if op == "FloorDiv":
                return found
            return Binary("Add", Binary("Mul", found, g), _simplified(Binary("FloorMod", low, g), given, logic))
    return None


def _parts(p: Poly, divisor: tuple[Mono, int]) -> list[tuple[Mono, int]]:
    """Proper factors of the divisor that some terms of ``p`` have."""
    mono, c = divisor
    found: list[tuple[Mono, int]] = []
    if mono and c > 1:
        found.append((mono, 1))
    if len(mono) > 1:
        found += [((key,), 1) for key in dict.fromkeys(mono)]
    common = {gcd(k, c) for k in p.values()}
    found += [((), d) for d in sorted(common, reverse=True) if 1 < d < c or (d == c > 1 and mono)]
    return found


def _settled(e: PrimExpr) -> PrimExpr:
    """The expression in the one spelling of its normal form."""
    atoms = Atoms(NO_FACTS)
    found = spell(normal(e, atoms), atoms, e.dtype)
    return e if found is None else found
