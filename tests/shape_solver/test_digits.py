"""Digits of an index put together or told: the same conditions, at every point."""

from __future__ import annotations

from itertools import product

import pytest

from refrelax.shape_solver.evaluate import compiled
from refrelax.shape_solver.pointwise.digits import together, told
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, free_symbols, int_imm
from refrelax.syntax.write.scalars import expression

F, N, O, P, Q = (SymVar(name) for name in "fnopq")
NUMBERS = range(1, 4)
"""Values of ``n``, which every case takes for positive."""


def holds(claim: PrimExpr) -> bool:
    """What is true of every positive ``n`` that is tried."""
    return free_symbols(claim) <= {"n"} and all(compiled(claim)({"n": n}) for n in NUMBERS)


def times(e: PrimExpr, k: int) -> PrimExpr:
    return Binary("Mul", e, int_imm(k))


def eq(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return Binary("EQ", a, b)


def div(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return Binary("FloorDiv", a, b)


def mod(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return Binary("FloorMod", a, b)


def split(whole: int, step: int) -> list[PrimExpr]:
    """The digits of ``f`` by ``n * whole`` and ``step``, which need not divide it."""
    rows, step_ = times(N, whole), int_imm(step)
    return [eq(O, div(F, rows)), eq(P, div(mod(F, rows), step_)), eq(Q, mod(F, step_))]


def tile(width: int) -> list[PrimExpr]:
    """A box of the remainder by ``n``, whose quotient is told beside it."""
    start = times(Binary("Sub", F, Binary("Mul", div(F, N), N)), width)
    place = Binary("Sub", P, start)
    return [eq(O, div(F, N)), Binary("GE", place, int_imm(0)), Binary("LT", place, int_imm(width))]


CASES = [split(whole, step) for whole, step in product((2, 4, 6, 8), (2, 3, 4))] + [tile(2), tile(3)]
CASES += [[eq(O, div(F, N)), eq(P, mod(F, N))], [eq(O, div(F, N)), eq(P, div(F, N)), eq(Q, mod(F, N))]]


@pytest.mark.by_day(6)
@pytest.mark.parametrize("conditions", CASES, ids=range(len(CASES)))
def test_they_say_the_same_at_every_point(conditions: list[PrimExpr]) -> None:
    ways = [list(map(compiled, each)) for each in (together(conditions, F, holds), told(conditions, F))]
    given = list(map(compiled, conditions))
    for f, n, o, p in product(range(13), NUMBERS, range(4), range(8)):
        for q in range(4) if any("q" in free_symbols(c) for c in conditions) else (0,):
            point = {"f": f, "n": n, "o": o, "p": p, "q": q}
            wanted = all(c(point) for c in given)
            for each in ways:
                assert all(c(point) for c in each) is wanted, point


def test_digits_that_follow_are_one_equation() -> None:
    for whole, step, one in ((8, 4, True), (6, 2, True), (6, 4, False), (2, 4, False)):
        equations = [c for c in together(split(whole, step), F, holds) if isinstance(c, Binary) and c.op == "EQ"]
        assert (len(equations) == 1) is one, (whole, step)


def test_a_digit_above_which_nothing_is_there_is_the_highest() -> None:
    """``o == f // 2 % 6`` and ``p == f % 2`` where ``0 <= f < end``."""
    conditions = [eq(O, mod(div(F, int_imm(2)), int_imm(6))), eq(P, mod(F, int_imm(2)))]
    for end in (0, 1, 5, 12, 13):
        found = together(conditions, F, holds, lambda c, end=end: all(compiled(c)({"f": f}) for f in range(end)))
        assert any("%" in expression(c) for c in found) is (end > 12)
        given = list(map(compiled, conditions))
        for f, o, p in product(range(end), range(7), range(3)):
            point = {"f": f, "n": 1, "o": o, "p": p}
            assert all(c(point) for c in map(compiled, found)) is all(c(point) for c in given), point
