"""Quotients before anything else: ``x // a // b`` is ``x // (a * b)``, and division by a power of two whose exponent is
no number: ``(x << j) // (1 << k)`` is ``x << j - k`` where ``k <= j``.

Spec: ``spec/06b-solver.md``, ``sh/powers``.
"""

from __future__ import annotations

from collections.abc import Iterable

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.ranges import nonneg
from refrelax.shape_solver.bit_forms import is_power
from refrelax.shape_solver.context import Context, conjuncts
from refrelax.shape_solver.core import INT, SHIFTS, each_once, integer, mapped, names_in, operators_in, replaced
from refrelax.syntax.scalars import Binary, Intrinsic, PrimExpr, SymVar, as_int, int_imm


@rule("sh/quotient-of-quotient")
def joined(e: PrimExpr) -> PrimExpr:
    """``e`` with quotients of quotients by positive numbers as one quotient, as they stand: bit operators below them
    are not opened yet."""

    def change(node: PrimExpr) -> PrimExpr:
        match node:
            case Binary("FloorDiv", Binary("FloorDiv", x, a), b) if (as_int(a) or 0) > 0 and (as_int(b) or 0) > 0:
                return Binary("FloorDiv", x, integer((as_int(a) or 0) * (as_int(b) or 0)))
            case _:
                return node

    if "FloorDiv" not in operators_in(e):
        return e
    nested = any(isinstance(n, Binary) and n.op == "FloorDiv" and isinstance(n.a, Binary) for n in each_once(e))
    return mapped(e, change) if nested else e


@rule("sh/powers")
def named(e: PrimExpr, given: Iterable[PrimExpr]) -> PrimExpr:
    """``e`` with ``1 << k`` for each symbol that is said to be it."""
    by: dict[str, PrimExpr] = {}
    for part in (part for each in given for part in conjuncts(each)):
        match part:
            case Binary("EQ", SymVar(name), power) | Binary("EQ", power, SymVar(name)) if is_power(power):
                if name not in names_in(power):
                    by.setdefault(name, power)
            case _:
                pass
    return replaced(e, by)


@rule("sh/powers")
def divided(e: PrimExpr, context: Context) -> PrimExpr:
    """``e`` with the multiples of a power of two taken out of quotients and remainders by it, as far as ``context``
    shows that they are some."""
    if SHIFTS.isdisjoint(operators_in(e)) or not any(_exponent(node) is not None for node in each_once(e)):
        return e
    return mapped(e, lambda node: _divided(node, context))


def _exponent(e: PrimExpr) -> PrimExpr | None:
    """``k`` where ``e`` is a quotient or a remainder by ``1 << k``, and no number."""
    match e:
        case Binary("FloorDiv" | "FloorMod", _, power) if is_power(power):
            assert isinstance(power, Intrinsic)
            k = power.args[1]
        case Intrinsic("shift_right", (_, k)):
            pass
        case _:
            return None
    return k if as_int(k) is None else None


def _divided(e: PrimExpr, context: Context) -> PrimExpr:
    k = _exponent(e)
    if k is None:
        return e
    whole = e.a if isinstance(e, Binary) else e.args[0]  # type: ignore[union-attr]
    if isinstance(e, Binary) and e.op == "FloorMod" and (shorter := _remainder(e, whole, k, context)) is not None:
        return shorter
    out: list[tuple[int, PrimExpr]] = []
    rest: list[tuple[int, PrimExpr]] = []
    for sign, term in terms(whole):
        quotient = _quotient(term, k, context)
        (rest if quotient is None else out).append((sign, term if quotient is None else quotient))
    if not out:
        return e
    power = Intrinsic("shift_left", (int_imm(1), k), INT)
    if isinstance(e, Binary) and e.op == "FloorMod":
        return Binary("FloorMod", total(rest), power) if rest else int_imm(0)
    return Binary("Add", total(out), Binary("FloorDiv", total(rest), power)) if rest else total(out)


def _remainder(e: Binary, whole: PrimExpr, k: PrimExpr, context: Context) -> PrimExpr | None:
    """``x % (1 << j) % (1 << k)`` as one remainder: by that of the lesser exponent, or by ``1 << min(j, k)``."""
    if not (isinstance(whole, Binary) and whole.op == "FloorMod" and is_power(whole.b)):
        return None
    assert isinstance(whole.b, Intrinsic)
    j = whole.b.args[1]
    if _never_negative(Binary("Sub", j, k), context):
        return Binary("FloorMod", whole.a, e.b)
    if _never_negative(Binary("Sub", k, j), context):
        return whole
    return Binary("FloorMod", whole.a, Intrinsic("shift_left", (int_imm(1), Binary("Min", j, k)), INT))


def terms(e: PrimExpr) -> list[tuple[int, PrimExpr]]:
    """What is added up in ``e``, with signs."""
    match e:
        case Binary("Add", a, b):
            return [*terms(a), *terms(b)]
        case Binary("Sub", a, b):
            return [*terms(a), *((-sign, term) for sign, term in terms(b))]
        case _:
            return [] if as_int(e) == 0 else [(1, e)]


def total(parts: list[tuple[int, PrimExpr]]) -> PrimExpr:
    result: PrimExpr = int_imm(0)
    for sign, term in parts:
        result = Binary("Add" if sign > 0 else "Sub", result, term)
    return result


def _quotient(term: PrimExpr, k: PrimExpr, context: Context) -> PrimExpr | None:
    """``term`` divided by ``1 << k`` if a factor of it is a multiple."""
    match term:
        case Intrinsic("shift_left", (x, j)):
            left = Binary("Sub", j, k)
            if _never_negative(left, context):
                return Intrinsic("shift_left", (x, left), INT)
            inner = _quotient(x, k, context)
            return None if inner is None else Intrinsic("shift_left", (inner, j), INT)
        case Binary("Mul", a, b):
            for first, second in ((a, b), (b, a)):
                inner = _quotient(first, k, context)
                if inner is not None:
                    return Binary("Mul", inner, second)
            return None
        case _:
            return None


def _never_negative(e: PrimExpr, context: Context) -> bool:
    for known in (context, context.measuring()):
        atoms = Atoms(known.facts)
        if known.absurd or nonneg(normal(known.image(e), atoms), atoms):
            return True
    return False
