"""Real arithmetic at numbers and infinities is IEEE 754's but for rounding; at bounds it holds that of all members."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from refrelax.semantics.numbers import ideal
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.semantics.numbers.intervals import INF, Interval
from refrelax.semantics.numbers.real_functions import _exponent
from refrelax.semantics.numbers.real_steps import EXP_OF_DIFFERENCE, rounded
from refrelax.semantics.numbers.reals import exactly
from refrelax.semantics.numbers.rounding import rounder

REALS: Any = ideal.ideal(200).at("float64")
NEAR = Fraction(1, 2**150)
NUMBERS = (-INF, Fraction(-3), Fraction(-1, 2), Fraction(0), Fraction(2), INF)
BOUNDS = [*combinations_with_replacement((-INF, Fraction(-1, 2), Fraction(0), Fraction(2), INF), 2)]
OPS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "maximum": max,
    "minimum": min,
}


def plainly(name: str, x: Any, y: Any) -> Any:
    """One operation on rationals, by IEEE 754 where an infinity takes part; ``None`` at a pole, whose sign is open."""
    if name == "div" and not y:
        return None if x else math.nan
    if isinstance(x, float) or isinstance(y, float):
        return math.nan if name == "div" and math.isinf(x) and math.isinf(y) else OPS[name](float(x), float(y))
    return OPS[name](x, y)


@pytest.mark.parametrize("name", OPS)
def test_at_numbers(name: str) -> None:
    for x, y in product(NUMBERS, repeat=2):
        wanted, found = plainly(name, x, y), getattr(REALS, name)(exactly(x), exactly(y))
        if wanted is None:
            assert (found.lo, found.hi) == (-INF, INF), (x, y)
        elif wanted != wanted:
            assert found.nan and found.empty, (x, y)
        else:
            assert (found.lo, found.hi, found.nan) == (wanted, wanted, False), (x, y)


@pytest.mark.parametrize("name", OPS)
def test_at_bounds(name: str) -> None:
    for (a, b), (c, d) in product(BOUNDS, repeat=2):
        found = getattr(REALS, name)(Interval(a, b), Interval(c, d))
        for x, y in product({a, b}, {c, d}):
            wanted = plainly(name, x, y)
            if wanted is None:
                assert (found.lo, found.hi) == (-INF, INF), (a, b, c, d)
            else:
                assert found.nan if wanted != wanted else found.lo <= wanted <= found.hi, (a, b, c, d)
        finite = not any(isinstance(each, float) for each in (a, b, c, d)) and (name != "div" or c * d > 0)
        if finite:  # and no more than that
            corners = [plainly(name, x, y) for x, y in product((a, b), (c, d))]
            assert abs(found.lo - min(corners)) < NEAR and abs(found.hi - max(corners)) < NEAR and not found.nan


def test_a_pattern_is_the_number_that_has_it() -> None:
    for dtype, source, pattern, wanted in (("float64", "int64", 1 << 62, 2), ("float32", "int32", -1 << 31, 0)):
        found = ideal.ideal(200).at(dtype).reinterpret(pattern, source)
        assert found.lo == found.hi == wanted


@pytest.mark.parametrize("name", sorted(name for name, row in FUNCTIONS.items() if row.far is not None))
@pytest.mark.parametrize("x", [-6000, 6000])
def test_far_from_zero(name: str, x: int) -> None:
    _, below, above = FUNCTIONS[name].far or (0.0, 0.0, 0.0)
    found, level = REALS.math(name)(exactly(Fraction(x))), above if x > 0 else below
    assert found.lo < found.hi and level in (found.lo, found.hi)
    assert found.hi - found.lo < NEAR if math.isfinite(level) else min(abs(found.lo), abs(found.hi)) > 2**1000


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_power_of_a_difference_is_rounded_once(dtype: str) -> None:
    of_numbers = ((1.0, 1.0, 1.0), (3.0, 2.0, math.e), (2.0, 3.0, 1 / math.e))
    of_infinities = ((INF, 0.0, INF), (0.0, INF, 0.0), (-INF, 0.0, 0.0), (1.0, -INF, INF), (INF, INF, math.nan))
    for x, y, wanted in (*of_numbers, *of_infinities, (math.nan, 0.0, math.nan)):
        found = rounded(EXP_OF_DIFFERENCE, dtype, (x, y))
        assert found == rounder(dtype)(wanted) or (found != found and wanted != wanted), (x, y)


def test_about_the_exponent_of_a_power() -> None:
    near = [1 + Fraction(sign, 2**k) for sign in (-1, 1) for k in (3, 19, 21, 40, 200)]
    for x in (Fraction(2), Fraction(3, 10), Fraction(10**9), Fraction(1, 10**9), *near):
        for y in (Fraction(1), Fraction(-7, 2), Fraction(1, 1000)):
            wanted = float(y) * (math.log1p(float(x - 1)) / math.log(2))
            assert abs(_exponent(x, y) - wanted) <= abs(wanted) * 0.06, (x, y)
    assert _exponent(Fraction(1), Fraction(5)) == 0.0
