"""Arithmetic that is written out for what is met most gives what the general form gives, and bounds what is real."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from refrelax.semantics.numbers import double_ends, ideal, interval_ends
from refrelax.semantics.numbers.enclosure import enclosure
from refrelax.semantics.numbers.ideal import DOUBLE
from refrelax.semantics.numbers.interval_functions import Inflation
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval, joined
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.real_steps import floor_quotient, floor_remainder
from refrelax.semantics.numbers.rounding import round_fraction, rounder
from refrelax.semantics.numbers.strict import strict
from tests.draws import draws

OPS = ("add", "sub", "mul", "div")
NARROW = ("float32", "float16")
ANY = st.one_of(
    st.floats(width=32), st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e-45, 65504.0, 3e38]), st.floats(-8, 8)
)


def payloads(dtype: str) -> st.SearchStrategy[Any]:
    numbers = ANY.map(rounder(dtype))
    ends = st.tuples(numbers, numbers).filter(lambda e: e[0] == e[0] and e[1] == e[1])
    return st.one_of(
        numbers,
        st.builds(lambda e, nan, rule: Interval(min(e), max(e), nan, rule), ends, st.booleans(), st.none()),
        ends.filter(lambda e: e[0] != e[1]).map(lambda e: Interval(min(e), max(e))),
        st.just(Interval(0.0, 0.0)),
        st.just(Interval(INF, -INF, True, "num/cast-range")),
        st.just(poison("num/cast-range")),
    )


def same(a: Any, b: Any) -> bool:
    """Equal sets; the sign of a zero is not part of one."""
    x, y = as_interval(a), as_interval(b)
    return (x.lo, x.hi, x.nan, x.rule) == (y.lo, y.hi, y.nan, y.rule) and (a.__class__ is float) == (
        b.__class__ is float
    )


BEYOND = {"float32": 3.4028234663852886e38, "float16": 65504.0}


def few(dtype: str) -> list[Any]:
    """Numbers and sets of every kind, and what is beside a set."""
    most = BEYOND[dtype]
    ends = [(-3.0, -1.0), (-2.0, 0.0), (-1.0, 2.0), (-2.0, 1.0), (0.0, 0.0), (0.0, 3.0), (1.0, 1.5), (-most, 2.0)]
    numbers = [0.0, -0.0, 1.5, -2.5, most, INF, math.nan]
    others = [Interval(1.0, INF), Interval(INF, -INF, True), poison("num/cast-range")]
    marked = [Interval(1.0, 2.0, True), Interval(-2.0, 1.0, False, "num/cast-range")]
    return [*numbers, *(Interval(*each) for each in ends), *others, *marked]


def is_met_most(a: Any) -> bool:
    """Whether a set has finite ends and nothing else is in it."""
    x = as_interval(a)
    return not x.nan and x.rule is None and math.isfinite(x.lo) and math.isfinite(x.hi)


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", OPS)
def test_a_step_is_that_of_the_general_form(name: str, dtype: str) -> None:
    """And it is written out for what is met most: sets between finite ends, whose result is one and no zero."""
    asked: list[Any] = []
    plain = {each: (lambda x, y: "plain") for each in OPS}
    other = {each: (lambda x, y: asked.append((x, y)) or "asked") for each in OPS}
    quick = interval_ends.quick(dtype, plain, other)[name]  # type: ignore[arg-type]
    for reading, (a, b) in product((enclosure(), strict()), product(few(dtype), repeat=2)):
        f: Any = reading.at(dtype)
        found = quick(a, b)
        if a.__class__ is b.__class__ is float:
            assert found == ("plain" if name != "div" or b else "asked"), (a, b)
            continue
        if isinstance(a, Poison) or isinstance(b, Poison):
            assert found == "asked", (a, b)
            continue
        x, y = as_interval(a), as_interval(b)
        wanted = f._combine(x, y if a is not b else None, wide(f"{name}_ends"))
        assert found == "asked" or same(found, wanted), (a, b, found, wanted)
        is_zero = (lambda each: each.lo == 0 == each.hi)(as_interval(wanted))
        leaves = name == "div" and y.lo <= 0 <= y.hi
        if is_met_most(a) and is_met_most(b) and (is_met_most(wanted) or is_zero):
            assert (found == "asked") is (is_zero or leaves), (a, b)


@pytest.mark.parametrize("dtype", NARROW)
def test_a_negative_is_written_out_for_what_is_met_most(dtype: str) -> None:
    quick: Any = interval_ends.negating(dtype, lambda a: "asked")
    for reading, a in product((enclosure(), strict()), few(dtype)):
        f: Any = reading.at(dtype)
        found = quick(a)
        assert found == "asked" or same(found, f._negated(a)), a
        is_one = a.__class__ is Interval and is_met_most(a) and not a.lo == a.hi == 0
        assert (found != "asked") is is_one, a


@pytest.mark.parametrize("dtype", NARROW)
def test_the_ends_of_products_and_of_items(dtype: str) -> None:
    for a, b in product(few(dtype), repeat=2):
        found = interval_ends.products([1.0, a], [2.0, b])
        if isinstance(a, Poison) or isinstance(b, Poison) or not (is_met_most(a) and is_met_most(b)):
            assert found is None, (a, b)
        else:
            x, y = as_interval(a), as_interval(b)
            corners = [u * v for u, v in product((x.lo, x.hi), (y.lo, y.hi))]
            assert found == ([2.0, min(corners)], [2.0, max(corners)]), (a, b)
        ends = interval_ends.finite_ends([a, b])
        if is_met_most(a) and is_met_most(b):
            x, y = as_interval(a), as_interval(b)
            assert ends == ([x.lo, y.lo], [x.hi, y.hi])
        else:
            assert ends is None


@pytest.mark.parametrize("dtype", NARROW)
def test_a_sum_is_that_of_the_general_form(dtype: str) -> None:
    sums = [[*each] for n in (2, 3) for each in product(few(dtype)[2:], repeat=n) if n == 2 or any(map(is_wide, each))]
    sums = [each for k, each in enumerate(sums) if len(each) == 2 or k % 7 == 0]
    sums += [[Interval(-1.0, 2.0), *[each] * 5] for each in few(dtype)]
    for reading in (enclosure(), strict()):
        f: Any = reading.at(dtype)
        for items in sums:
            quick = f._sum(items)
            assert quick is None or same(quick, f._reduce("add", items, None, False)), items


def is_wide(a: Any) -> bool:
    return a.__class__ is Interval and a.lo < a.hi


def wide(name: str) -> Any:
    from refrelax.semantics.numbers import interval_floats

    return getattr(interval_floats, name)


DOUBLES = st.floats(allow_nan=False, allow_infinity=False, width=64)
NEAR = st.one_of(DOUBLES, st.floats(-8, 8), st.floats(-8, 8, width=16), st.sampled_from([0.0, 1.0, -1.0, 2.0**-1074]))


def exactly(name: str, x: Fraction, y: Fraction) -> Fraction:
    match name:
        case "add":
            return x + y
        case "sub":
            return x - y
        case "mul":
            return x * y
        case "div":
            return x / y
    return x - y * math.floor(x / y)


@settings(max_examples=draws(400), deadline=None)
@given(
    st.sampled_from((*OPS, "floormod")), NEAR, NEAR, NEAR, NEAR, st.sampled_from(("points", "ends", "mixed", "same"))
)
@example("mul", -2.0, 3.0, -2.0, 3.0, "same")
@example("div", 1.0, 2.0, -4.0, -3.0, "ends")
@example("floormod", -1e-30, 0.0, 3.0, 0.0, "points")
def test_ends_in_binary64_bound_what_is_real(name: str, x: float, y: float, p: float, q: float, how: str) -> None:
    if how in ("points", "mixed"):
        y = x
    if how == "points":
        q = p
    f: Any = ideal.ideal(DOUBLE).at("float32")
    a, b = Interval(min(x, y), max(x, y)), Interval(min(p, q), max(p, q))
    b = a if how == "same" else b
    if name in ("div", "floormod") and b.lo <= 0 <= b.hi:
        return
    found = getattr(f, name)(a, b)
    pairs = [(v, v) for v in (a.lo, a.hi)] if how == "same" and name == "mul" else None
    for left, right in pairs or [(u, v) for u in (a.lo, a.hi) for v in (b.lo, b.hi)]:
        if name == "floormod" and (a.lo != a.hi or b.lo != b.hi):
            continue
        real = exactly(name, Fraction(left), Fraction(right))
        assert found.lo <= real <= found.hi, (a, b, found)


@settings(max_examples=draws(100), deadline=None)
@given(st.lists(st.tuples(NEAR, NEAR), min_size=1, max_size=6))
def test_a_sum_of_ends_bounds_what_is_real(ends: list[tuple[float, float]]) -> None:
    items = [Interval(min(e), max(e)) for e in ends]
    found = double_ends.total(items)
    assert found.lo <= sum(Fraction(x.lo) for x in items) and sum(Fraction(x.hi) for x in items) <= found.hi


@settings(max_examples=draws(200), deadline=None)
@given(st.floats(-(2.0**21), 2.0**21), st.floats(0, 2.0**-9), st.sampled_from(("sin", "cos")))
@example(0.0, 0.0, "sin")
def test_a_wave_over_a_short_interval_bounds_what_is_real(x: float, width: float, name: str) -> None:
    quick, slow = ideal.ideal(DOUBLE).at("float32").math(name), ideal.ideal(200).at("float32")
    found = quick(Interval(x, x + width))
    for end in (x, x + width):
        real = slow.math(name)(slow.lit(end))
        assert found.lo <= real.hi and real.lo <= found.hi


@settings(max_examples=draws(200), deadline=None)
@given(st.floats(-30, 30, width=16), st.floats(-30, 30, width=16).filter(bool), st.sampled_from((*NARROW, "bfloat16")))
@example(-(2.0**-24), 3.0, "float32")
def test_a_remainder_of_short_numbers_is_that_of_rationals(x: float, y: float, dtype: str) -> None:
    a, b = rounder(dtype)(x), rounder(dtype)(y)
    if b != 0:
        assert floor_remainder(dtype, a, b) == round_fraction(dtype, Fraction(a) % Fraction(b))


@pytest.mark.thorough
@settings(max_examples=draws(300), deadline=None)
@given(st.data(), st.sampled_from(NARROW), st.sampled_from((enclosure(), strict())))
def test_a_sum_of_few_is_that_of_the_general_form(data: st.DataObject, dtype: str, reading: Any) -> None:
    f: Any = reading.at(dtype)
    items = data.draw(st.lists(payloads(dtype), min_size=1, max_size=5))
    quick = f._sum(items)
    if quick is not None:
        assert same(quick, f._reduce("add", items, None, False)), items


FEW = st.one_of(st.floats(-30, 30, width=16), st.sampled_from([2.0**-24, 0.1, 65504.0, 1e30]))


@settings(max_examples=draws(300), deadline=None)
@given(FEW, FEW.filter(bool), st.sampled_from((*NARROW, "bfloat16", "float8_e5m2", "float8_e4m3fn")))
@example(1.0, 2.0**-24, "float32")
@example(-0.0, 3.0, "float32")
@example(65504.0, 2.0**-24, "float16")
def test_a_floored_quotient_is_that_of_rationals(x: float, y: float, dtype: str) -> None:
    a, b = rounder(dtype)(x), rounder(dtype)(y)
    if b != 0 and a - a == 0 == b - b:
        whole = round_fraction(dtype, Fraction(math.floor(Fraction(a) / Fraction(b))))
        assert repr(floor_quotient(dtype, a, b)) == repr(whole)
        for reading in (enclosure(), strict()):
            f: Any = reading.at(dtype)
            wide = f.legal(as_interval(joined([f.math("floor")(f.div(a, b)), whole])))
            assert repr(f.floordiv(a, b)) == repr(wide), (a, b)


@settings(max_examples=draws(200), deadline=None)
@given(ANY, st.sampled_from(("exp", "tanh", "sigmoid", "log", "erf", "sqrt", "atan")), st.sampled_from(NARROW))
def test_units_about_one_result_are_those_around_it(x: float, name: str, dtype: str) -> None:
    inflate, x = Inflation(dtype), rounder(dtype)(x)
    assert repr(inflate.about(name)(x)) == repr(inflate.around(name, x, x))


@pytest.mark.thorough
@settings(max_examples=draws(200), deadline=None)
@given(st.data())
def test_numbers_that_are_apart_are_less_as_reals(data: st.DataObject) -> None:
    quick: Any = ideal.ideal(DOUBLE).at("float32")
    general: Any = ideal.ideal(200).at("float32")
    a, b = (as_interval(data.draw(payloads("float32"))) for _ in "ab")
    if a.rule == b.rule is None:
        assert repr(quick.less(a, b)) == repr(general.less(a, b))


@pytest.mark.parametrize("dtype", NARROW)
def test_a_zero_of_steps_has_either_sign_under_strict(dtype: str) -> None:
    f: Any = strict().at(dtype)
    assert isinstance(f.sub(Interval(1.0, 1.0), 1.0), Interval)
    assert f.sub(1.0, 1.0).__class__ is float
