"""Ends in binary64 are rounded outwards by one unit in the last place, and not at all where nothing was rounded: on all
pairs of some numbers, against exact fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from refrelax.semantics.numbers import double_ends
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.semantics.numbers.intervals import INF, Interval
from refrelax.semantics.numbers.poison import poison

NUMBERS = (0.0, 1.0, -1.0, 3.0, -3.0, 0.1, -0.1, 1e16, -1e16, 2.0**-30, 1 + 2.0**-52, 7.5)
ENDS = sorted({(x, y) for x in NUMBERS for y in NUMBERS if x <= y and (x in NUMBERS[:6] or x == y)})

OTHER = "other"


def other(a: Any, b: Any) -> Any:
    return OTHER


def outward(low: Fraction, high: Fraction) -> tuple[float, float]:
    """The nearest numbers, each moved by one where it lies inside."""
    a, b = float(low), float(high)
    return (
        math.nextafter(a, -INF) if Fraction(a) > low else a, math.nextafter(b, INF) if Fraction(b) < high else b,
    )  # fmt: skip


@pytest.mark.parametrize("minus", [False, True])
def test_sums(minus: bool) -> None:
    add = double_ends.adding(other, minus)
    for (x, y), (p, q) in product(ENDS, ENDS):
        found = add(Interval(x, y), Interval(p, q))
        least, most = (-q, -p) if minus else (p, q)
        assert isinstance(found, Interval)
        wanted = outward(Fraction(x) + Fraction(least), Fraction(y) + Fraction(most))
        assert (found.lo, found.hi) == wanted, (x, y, p, q)


def corners(how: Callable[[Fraction, Fraction], Fraction], *ends: float) -> tuple[Fraction, Fraction]:
    x, y, p, q = map(Fraction, ends)
    four = [how(a, b) for a in (x, y) for b in (p, q)]
    return min(four), max(four)


def short(*numbers: float) -> bool:
    """Whether all have few binary digits: of such numbers alone it is seen that nothing was rounded."""
    return all(x in (1.0, -1.0, 3.0, -3.0, 7.5, 2.0**-30) or (abs(x) < 1e9 and x == int(x)) for x in numbers)


def test_products() -> None:
    mul = double_ends.multiplying(other)
    for (x, y), (p, q) in product(ENDS, ENDS):
        found, (low, high) = mul(Interval(x, y), Interval(p, q)), corners(lambda a, b: a * b, x, y, p, q)
        if 0 in (low, high):
            assert found is OTHER, (x, y, p, q)
        elif x == y and p == q and short(x, p):
            assert (found.lo, found.hi) == (x * p, x * p), (x, p)
        else:
            assert found.lo == math.nextafter(float(low), -INF) and found.hi == math.nextafter(float(high), INF)


def test_squares() -> None:
    mul = double_ends.multiplying(other)
    for x, y in ENDS:
        a = Interval(x, y)
        found = mul(a, a)
        if x <= 0 <= y:
            assert found is OTHER
        elif x < y:
            low, high = min(x * x, y * y), max(x * x, y * y)
            assert (found.lo, found.hi) == (math.nextafter(low, -INF), math.nextafter(high, INF))
    pair = Interval(-1.0, 3.0), Interval(-1.0, 3.0)
    found = mul(*pair)
    assert (found.lo, found.hi) == (math.nextafter(-3.0, -INF), math.nextafter(9.0, INF)), "equal is not the same"


def test_quotients() -> None:
    div = double_ends.dividing(other)
    for (x, y), (p, q) in product(ENDS, ENDS):
        found = div(Interval(x, y), Interval(p, q))
        if p <= 0 <= q:
            assert found is OTHER
            continue
        low, high = corners(lambda a, b: a / b, x, y, p, q)
        if 0 in (low, high):
            assert found is OTHER, (x, y, p, q)
        elif x == y and p == q and short(x, p) and Fraction(float(low)) == low:
            assert (found.lo, found.hi) == (float(low), float(low)), (x, p)
        elif found.lo == found.hi:
            assert x == y and p == q and Fraction(found.lo) == low, (x, p)
        else:
            assert found.lo == math.nextafter(float(low), -INF) and found.hi == math.nextafter(float(high), INF)


def test_remainders() -> None:
    floormod = double_ends.remaining(other)
    for a, b in product(NUMBERS, NUMBERS):
        found = floormod(Interval(a, a), Interval(b, b))
        if b == 0:
            assert found is OTHER
            continue
        exact = Fraction(a) - (Fraction(a) / Fraction(b)).__floor__() * Fraction(b)
        assert (found.lo, found.hi) == outward(exact, exact), (a, b)
    assert floormod(Interval(1.0, 2.0), Interval(3.0, 3.0)) is OTHER
    assert floormod(Interval(1.0, 1.0), Interval(3.0, 4.0)) is OTHER
    assert floormod(Interval(INF, INF), Interval(3.0, 3.0)) is OTHER


def test_extremes_and_order() -> None:
    greater, less = double_ends.extreme(max, other), double_ends.less(other)  # type: ignore[arg-type]
    for (x, y), (p, q) in product(ENDS, ENDS):
        a, b = Interval(x, y), Interval(p, q)
        found = greater(a, b)
        assert (found.lo, found.hi) == (max(x, p), max(y, q))
        told = less(a, b)
        assert told is (double_ends.TRUE if y < p else double_ends.FALSE if x >= q else OTHER)


STRANGE = (Interval(0.0, 1.0, True), Interval(0.0, 1.0, False, "num/cast-range"), poison("num/cast-range"), 1.0)


@pytest.mark.parametrize("strange", STRANGE)
def test_what_is_not_met_most(strange: Any) -> None:
    usual = Interval(1.0, 2.0)
    for of in (double_ends.adding(other), double_ends.multiplying(other), double_ends.dividing(other),
               double_ends.extreme(max, other), double_ends.less(other), double_ends.remaining(other)):  # type: ignore[arg-type]  # fmt: skip
        assert of(strange, usual) is OTHER and of(usual, strange) is OTHER
    assert not double_ends.plain([usual, strange]) and not double_ends.plain([strange])


def test_plain() -> None:
    usual = Interval(1.0, 2.0)
    assert double_ends.plain([usual]) and double_ends.plain([usual, Interval(-3.0, 0.0)])
    assert not double_ends.plain([])
    assert not double_ends.plain([Interval(1.0, INF)]) and not double_ends.plain([Interval(-INF, 1.0), usual])


def test_totals() -> None:
    for items in ([(0.1, 0.1), (0.2, 0.2)], [(1.0, 1.0), (2.0, 2.0)], [(1e16, 1e16), (1.0, 1.0)],
                  [(-1e16, -1e16), (-1.0, -1.0)]):  # fmt: skip
        found = double_ends.total([Interval(*each) for each in items])
        exact = sum(Fraction(x) for x, _ in items)
        assert (found.lo, found.hi) == outward(Fraction(exact), Fraction(exact))
    found = double_ends.total([Interval(0.0, 1.0), Interval(0.0, 2.0)])
    assert (found.lo, found.hi) == (0.0, math.nextafter(3.0, INF))
    found = double_ends.total([Interval(-2.0, 0.0), Interval(-1.0, 0.0)])
    assert (found.lo, found.hi) == (math.nextafter(-3.0, -INF), 0.0)
    found = double_ends.total([Interval(1e308, 1e308)] * 20)
    assert (found.lo, found.hi) == (-INF, INF)


@pytest.mark.parametrize(("name", "how"), [("floor", math.floor), ("ceil", math.ceil), ("trunc", math.trunc)])
def test_whole_numbers(name: str, how: Callable[[float], int]) -> None:
    of = FUNCTIONS[name].double
    for x in (0.5, -0.5, 1.5, -1.5, 2.0**51 + 0.5, 2.0**52 + 1, 2.0**53, -(2.0**52) - 1, 1e300):
        found = of(x)
        assert found == how(x) and math.copysign(1, found) == math.copysign(1, x)
    assert of(INF) == INF and of(-INF) == -INF and math.isnan(of(math.nan)) and math.copysign(1, of(-0.0)) == -1
