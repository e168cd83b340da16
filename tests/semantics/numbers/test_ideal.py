"""The reading ``ideal``: the real result lies between its bounds, at every precision, and what it decides is right."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from refrelax.semantics.numbers import elementary
from refrelax.semantics.numbers import multiprecision as mp
from refrelax.semantics.numbers.functions import FUNCTIONS, PRECISE
from refrelax.semantics.numbers.ideal import DOUBLE, ideal, rounded_once
from refrelax.semantics.numbers.ieee import ieee
from refrelax.semantics.numbers.interface import MATH
from refrelax.semantics.numbers.intervals import INF, Interval
from refrelax.semantics.numbers.intsets import TruthSet
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.real_functions import FAR, at_end
from refrelax.semantics.ops.activation import ROOT_HALF, ROOT_TWO_OVER_PI
from refrelax.syntax import bits, dtypes
from tests.draws import draws

NARROW = ("float32", "float16", "bfloat16", "float8_e4m3")
ALL = (*NARROW, "float64")


def numbers(dtype: str) -> st.SearchStrategy[float]:
    return st.integers(0, (1 << dtypes.bits(dtype)) - 1).map(lambda p: bits.decode(dtype, p)).filter(math.isfinite)


@settings(max_examples=draws(300), deadline=None)
@given(st.data(), st.sampled_from(MATH), st.sampled_from(ALL), st.sampled_from((DOUBLE, 160)))
def test_a_function_rounded_once_is_that_of_ieee(data: st.DataObject, name: str, dtype: str, precision: int) -> None:
    x = data.draw(numbers(dtype))
    f = ideal(precision).at(dtype)
    found = rounded_once(dtype, f.math(name)(f.lit(x)))
    wanted = elementary.function(name, dtype)(x)
    assert found is None or found == wanted or (found != found and wanted != wanted)
    assert found is not None or precision == DOUBLE or x == 0


@settings(max_examples=draws(200), deadline=None)
@given(st.data(), st.sampled_from(("pow", "atan2", "hypot", "fmod")), st.sampled_from(ALL), st.sampled_from((53, 160)))
def test_a_function_of_two_rounded_once_is_that_of_ieee(
    data: st.DataObject, name: str, dtype: str, precision: int
) -> None:
    x, y = data.draw(numbers(dtype)), data.draw(numbers(dtype))
    f = ideal(precision).at(dtype)
    found = rounded_once(dtype, f.math2(name)(f.lit(x), f.lit(y)))
    wanted = elementary.function2(name, dtype)(x, y)
    assert found is None or found == wanted or (found != found and wanted != wanted)


@settings(max_examples=draws(200), deadline=None)
@given(st.data(), st.sampled_from(("add", "sub", "mul", "div")), st.sampled_from(ALL), st.sampled_from((53, 160)))
def test_arithmetic_rounded_once_is_that_of_ieee(data: st.DataObject, name: str, dtype: str, precision: int) -> None:
    x, y = data.draw(numbers(dtype)), data.draw(numbers(dtype))
    f, plain = ideal(precision).at(dtype), ieee().at(dtype)
    found, wanted = rounded_once(dtype, getattr(f, name)(f.lit(x), f.lit(y))), getattr(plain, name)(x, y)
    assert found == wanted or (found is None and y == 0) or (found is not None and found != found and wanted != wanted)


STEPS = ("add", "sub", "mul", "div", "maximum", "exp", "tanh", "floor", "sqrt", "square", "sigmoid", "abs", "erf")


def walked(precision: int, dtype: str, start: list[float], steps: list[tuple[str, int]]) -> list[Any]:
    """Payloads of a straight program: each step takes one or two of those before it."""
    f: Any = ideal(precision).at(dtype)
    found = [f.lit(x) for x in start]
    for name, k in steps:
        a, b = found[k % len(found)], found[(7 * k + 3) % len(found)]
        found.append(f.math(name)(a) if name in MATH else getattr(f, name)(a, b))
    return found


@settings(max_examples=draws(150), deadline=None)
@given(
    st.sampled_from(NARROW),
    st.lists(st.floats(-8, 8, width=16), min_size=2, max_size=4),
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 99)), max_size=8),
)
@example("float32", [0.0, 0.5], [("div", 0), ("floor", 2)])
def test_bounds_of_a_lower_precision_hold_those_of_a_higher(
    dtype: str, start: list[float], steps: list[tuple[str, int]]
) -> None:
    for wide, near in zip(walked(DOUBLE, dtype, start, steps), walked(400, dtype, start, steps), strict=True):
        assert not isinstance(wide, Poison) and not isinstance(near, Poison)
        assert wide.nan >= near.nan
        assert near.empty or wide.lo <= near.lo <= near.hi <= wide.hi


def test_what_bounds_do_not_decide_is_not_guessed() -> None:
    f = ideal(DOUBLE).at("float32")
    third = f.div(f.lit(1), f.lit(3))
    whole = f.mul(third, f.lit(3))
    assert whole.lo <= 1 <= whole.hi and whole.lo < whole.hi
    assert isinstance(f.less(whole, f.lit(1)), TruthSet)
    assert f.math("floor")(whole).lo == 0 and f.math("floor")(whole).hi == 1
    exact = ideal(160).at("float32")
    assert exact.mul(exact.div(exact.lit(1), exact.lit(3)), exact.lit(3)).lo == 1
    assert rounded_once("float32", Interval(-INF, INF, True)) is None


@pytest.mark.parametrize("x", [-FAR - 1, FAR + 1])
@pytest.mark.parametrize("name", [name for name, row in FUNCTIONS.items() if row.far is not None])
def test_far_away_a_function_is_what_its_row_says(name: str, x: int) -> None:
    """The bounds are made of the row's ``far`` and ``shape`` there; mpmath knows nothing of them."""
    low, high = at_end(name, Fraction(x), 160)
    sign, mantissa, exponent = mp.parts(PRECISE[name](mp.number(float(x)), 12_000))
    value = (-1 if sign else 1) * mantissa * Fraction(2) ** exponent
    assert low <= value <= high


def test_no_step_overflows_and_nothing_is_lost() -> None:
    f = ideal(160).at("float16")
    big = f.mul(f.lit(60000.0), f.lit(60000.0))
    assert rounded_once("float16", f.div(big, f.lit(60000.0))) == 60000.0
    assert rounded_once("float16", f.sub(f.add(f.lit(1.0), f.lit(2.0**-24)), f.lit(1.0))) == 2.0**-24
    assert rounded_once("float16", f.sub(f.lit(INF), f.lit(INF))) != rounded_once("float16", big)


@pytest.mark.parametrize(
    ("constant", "square"), [(ROOT_HALF, Fraction(1, 2)), (ROOT_TWO_OVER_PI, None)], ids=["sqrt(1/2)", "sqrt(2/pi)"]
)
def test_a_constant_is_the_real_number(constant: Any, square: Fraction | None) -> None:
    low, high = constant.bounds(200)
    assert low < high and (high - low) < Fraction(1, 1 << 190)
    assert square is None or low * low < square < high * high
    for dtype in ALL:  # and every other reading takes it as before: rounded from binary64
        near = rounded_once(dtype, Interval(*constant.bounds(200)))  # type: ignore[arg-type]
        assert ieee().at(dtype).lit(constant) == near


@pytest.mark.parametrize("dtype", ["float16", "float32", "bfloat16"])
def test_a_product_beyond_binary64_is_a_number_beside_an_infinity(dtype: str) -> None:
    """Found by the law of accuracy: a ``conv2d`` permitted a NaN alone where the exact sum is infinite."""
    largest, wide, narrow = 1.7976931348623157e308, ideal(DOUBLE).at("float64"), ideal(DOUBLE).at(dtype)
    a, b = [wide.lit(x) for x in (INF, 1.5, 2.0)], [wide.lit(x) for x in (1.5, -largest, 1.0)]
    found = narrow.dot(a, b, "float64")
    assert (found.lo, found.hi, found.nan) == (INF, INF, False)
    both = narrow.dot([*a, wide.lit(INF)], [*b, wide.lit(-1.0)], "float64")
    assert both.nan and both.empty
    sum_of = narrow.dot(a[1:], b[1:], "float64")
    assert sum_of.lo == -INF and sum_of.hi <= -largest and not sum_of.nan


@pytest.mark.parametrize("precision", [DOUBLE, 160])
def test_a_power_of_one_and_a_power_by_zero_are_one_of_a_nan_too(precision: int) -> None:
    f = ideal(precision).at("float16")
    of, nan, one = f.math2("pow"), f.lit(math.nan), f.lit(1.0)
    for a, b in ((one, nan), (nan, f.lit(0.0)), (nan, f.lit(-0.0))):
        found = of(a, b)
        assert found.lo == found.hi == 1 and not found.nan
    assert of(nan, one).empty and of(f.lit(2.0), nan).empty
    either = of(nan, Interval(-1.0, 1.0))
    assert either.nan and either.lo <= 1 <= either.hi
