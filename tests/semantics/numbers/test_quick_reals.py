"""Bounds of real values with ends in binary64 hold those with ends in rationals and are hardly wider; the permitted
results about numbers are the same with and without another possibility beside them. Exhaustively over tables."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from refrelax.semantics.numbers import ideal
from refrelax.semantics.numbers.double_reals import inward
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.semantics.numbers.ideal import DOUBLE
from refrelax.semantics.numbers.interval_functions import Inflation
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval

QUICK: Any = ideal.ideal(DOUBLE).at("float32")
EXACT: Any = ideal.ideal(200).at("float32")

RULE = "num/cast-range"
ENDS = (
    (0.0, 0.0), (1.0, 1.0), (-3.0, -3.0), (0.1, 0.1), (-3.0, -1.0), (-1.0, 0.0), (-1.5, 2.0), (0.0, 2.5), (1.0, 3.0),
    (-0.7, 0.3), (2.0**-1074, 2.0**-1000), (-1e300, 1e300), (1e200, 1e300), (2.0, INF), (-INF, 1.0),
)  # fmt: skip
TABLE = [Interval(low, high, nan, rule) for low, high in ENDS for nan, rule in ((False, None), (True, None))]
TABLE += [Interval(low, high, False, RULE) for low, high in ENDS[3:8]]


def holds(quick: Any, exact: Any, why: object) -> None:
    """Bounds, and no further off than rounding takes them."""
    x, y = as_interval(quick), as_interval(exact)
    if (y.lo, y.hi, y.nan) == (-INF, INF, True):  # rationals say nothing
        return
    assert (x.nan, x.rule) == (y.nan, y.rule), why
    assert x.lo <= y.lo and y.hi <= x.hi, (why, x, y)
    for far, near in ((x.lo, y.lo), (x.hi, y.hi)):
        if abs(near) <= 10**307:
            assert abs(Fraction(far) - Fraction(near)) <= abs(Fraction(near)) / 2**44 + Fraction(1, 2**1060), (
                why,
                x,
                y,
            )
        else:
            assert abs(far) > 10**307, (why, x, y)


def given(a: Interval, b: Interval) -> tuple[Interval, Interval]:
    """With rationals as ends; the same twice stays the same."""
    return (x := inward(a)), (x if a is b else inward(b))


@pytest.mark.by_day(1)
@pytest.mark.parametrize("name", ("add", "sub", "mul", "div", "maximum", "minimum"))
def test_an_operation_in_binary64_holds_that_in_rationals(name: str) -> None:
    for a, b in [*product(TABLE, repeat=2), *((each, each) for each in TABLE)]:
        holds(getattr(QUICK, name)(a, b), getattr(EXACT, name)(*given(a, b)), (name, a, b))


@pytest.mark.parametrize("name", sorted(name for name in FUNCTIONS if name != "lgamma"))
def test_a_function_in_binary64_holds_that_in_rationals(name: str) -> None:
    for a in TABLE:
        if math.isfinite(a.lo) and math.isfinite(a.hi) and max(abs(a.lo), abs(a.hi)) < 100:
            found, wanted = as_interval(QUICK.math(name)(a)), as_interval(EXACT.math(name)(inward(a)))
            assert (found.nan, found.rule) == (wanted.nan, wanted.rule), (name, a)
            assert found.lo <= wanted.lo and wanted.hi <= found.hi, (name, a, found, wanted)


def test_a_root_is_a_number_where_it_is_one_and_only_there() -> None:
    root = QUICK.math("sqrt")
    for k in (0.5, 1.5, 3.0, 12345.0, 2.0**-20, 1e3):
        found = root(Interval(k * k, k * k))
        assert found.lo == found.hi == k
        beside = math.nextafter(k * k, INF)
        found = root(Interval(beside, beside))
        assert found.lo < found.hi and Fraction(found.lo) ** 2 < Fraction(beside) < Fraction(found.hi) ** 2


@pytest.mark.parametrize("dtype", ("float32", "float16", "bfloat16", "float8_e4m3fn", "float64"))
def test_permitted_results_do_not_hang_on_what_else_is_possible(dtype: str) -> None:
    """``around`` is written out for results that are numbers: it is what it is beside a NaN, but for the NaN."""
    inflate = Inflation(dtype)
    numbers = [0.0, inflate.least, inflate.normal, 0.5, 1.0 - 2.0**-4, 1.0, 2.0, 3.0, inflate.largest]
    numbers = sorted({*numbers, *(-each for each in numbers)})
    for name in sorted({*FUNCTIONS, "hypot", "pow", "atan2"}):
        for lo, hi in product(numbers, repeat=2):
            if lo <= hi:
                plain = as_interval(inflate.around(name, lo, hi))
                beside = as_interval(inflate.around(name, lo, hi, None, True))
                assert (plain.lo, plain.hi) == (beside.lo, beside.hi), (name, lo, hi, plain, beside)
                assert plain.lo <= lo and hi <= plain.hi
