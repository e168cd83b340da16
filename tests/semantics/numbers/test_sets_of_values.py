"""Payloads that are sets: an operation on sets gives the hull of what it gives on their members. Exhaustively,
over tables of small sets."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from refrelax.semantics.numbers import elementary, interval_floats, intsets, reading, strict
from refrelax.semantics.numbers.enclosure import enclosure, observed_number
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval, joined
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.real_functions import FAR, at_end
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.syntax import bits, dtypes

RULE = "num/cast-range"
NAN = float("nan")
SETS: list[Any] = [
    0.0, 1.0, -2.5, INF, -INF, NAN, Interval(-1.0, 2.0), Interval(0.5, 3.0), Interval(-3.0, -0.5), Interval(-INF, 1.0),
    Interval(1.0, 2.0, True), Interval(INF, -INF, True), Interval(-1.0, 2.0, False, RULE), poison(RULE),
]  # fmt: skip


def members(a: Any) -> list[Any]:
    """The ends of a set, a NaN and poison that it holds."""
    if not isinstance(a, Interval):
        return [a]
    ends = [] if a.empty else [a.lo, a.hi]
    return [*ends, *([NAN] if a.nan else []), *([poison(a.rule)] if a.rule else [])]


def same(a: Any, b: Any) -> bool:
    """Equal sets."""
    if isinstance(a, Poison) or isinstance(b, Poison):
        return a is b
    x, y = as_interval(a), as_interval(b)
    return (x.nan, x.rule) == (y.nan, y.rule) and ((x.empty and y.empty) or (x.lo, x.hi) == (y.lo, y.hi))


@pytest.mark.parametrize("name", ("maximum", "minimum"))
def test_an_extreme_of_sets(name: str) -> None:
    """A NaN beside a number leaves open which of them it is."""
    f: Any = enclosure().at("float32")
    pick = max if name == "maximum" else min
    for a, b in product(SETS, repeat=2):
        found = getattr(f, name)(a, b)
        if isinstance(a, Poison) or isinstance(b, Poison):
            assert isinstance(found, Poison)
            continue
        each = []
        for x, y in product(members(a), members(b)):
            if isinstance(x, Poison) or isinstance(y, Poison):
                each.append(x if isinstance(x, Poison) else y)
            elif x != x or y != y:
                each += [x, y]
            else:
                each.append(pick(x, y))
        assert same(found, joined(each)), (name, a, b, found, joined(each))


TRUTHS = {
    "true": (TRUE, (True,), None), "false": (FALSE, (False,), None),
    "open": (intsets.truths(True, True), (True, False), None),
    "poison": (poison(RULE), (), RULE), "true or poison": (intsets.truths(True, False, RULE), (True,), RULE),
}  # fmt: skip


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("form", ("enclosure", "strict"))
def test_a_choice_by_a_truth(truth: str, form: str) -> None:
    f: Any = reading(form).at("float32")
    given, chosen, rule = TRUTHS[truth]
    for a, b in product(SETS, repeat=2):
        wanted = [a if each else b for each in chosen] + ([poison(rule)] if rule else [])
        assert same(f.select(given, a, b), joined(wanted)), (truth, a, b)


@pytest.mark.parametrize("dtype", ("int8", "uint8", "int64"))
def test_an_interval_as_integers(dtype: str) -> None:
    """Towards zero; what is out of range is poison."""
    f: Any = enclosure().at(dtype)
    low, high = dtypes.integer_range(dtype)
    around = [low - 300.0, low - 1.0, low - 0.5, float(low), -1.5, -0.5, 0.0, 0.5, 2.5]
    around += [high - 0.5, float(high), high + 1.0, INF]
    numbers = sorted({x for x in around if dtype != "int64" or abs(x) < 2.0**62 or x == INF})
    for lo, hi in product([-INF, *numbers], repeat=2):
        if lo > hi:
            continue
        for nan, rule in ((False, None), (True, None), (False, "num/other")):
            found = f.cast(Interval(lo, hi, nan, rule), "float64")
            inside = [x for x in range(max(low, -400), min(high, 400) + 1) if lo - 1 <= x <= hi + 1]
            held = {x for x in inside if lo <= x <= hi} | {math.trunc(x) for x in (lo, hi) if math.isfinite(x)}
            held = {x for x in held if low <= x <= high}
            beyond = nan or not all(math.isfinite(x) and low <= math.trunc(x) <= high for x in (lo, hi))
            mark = rule or (RULE if beyond else None)
            got = intsets.as_ints(found)
            assert (got.rule is not None) == (mark is not None), (lo, hi, nan, rule, found)
            if held and dtype != "int64":
                assert (got.lo, got.hi) == (min(held), max(held)), (lo, hi, found)


def test_an_item_at_an_open_position() -> None:
    f: Any = enclosure().at("float32")
    items = [1.0, -2.0, 4.0]
    assert [f.pick(items, k) for k in range(3)] == items
    assert f.pick(items, poison(RULE)) is poison(RULE)
    assert same(f.pick(items, intsets.some({0, 2})), Interval(1.0, 4.0))
    assert same(f.pick(items, intsets.some({1, 2}, RULE)), Interval(-2.0, 4.0, False, RULE))
    assert same(f.pick(items, intsets.between(-(2**62), 2**62)), Interval(-2.0, 4.0))  # (and nobody counts them)
    assert same(f.pick(items, intsets.between(-(2**62), 0)), 1.0)


def test_an_order_with_a_nan_is_open() -> None:
    f: Any = enclosure().at("float32")
    for count in (1, 2, 3):
        items = [Interval(1.0, 2.0, True), 5.0, -3.0][:count]
        values, places = f.order(items)
        assert all(same(each, joined(items)) for each in values)
        assert [set(intsets.as_ints(each).listed()) for each in places] == [set(range(count))] * count


def test_the_sign_of_an_observed_zero() -> None:
    for payload, observed in product((0.0, -0.0, 1.0, -1.0), repeat=2):
        other = payload == observed == 0 and math.copysign(1, payload) != math.copysign(1, observed)
        assert strict.sign_kept(payload, observed) is not other
    assert strict.sign_kept(Interval(0.0, 0.0), -0.0) and strict.sign_kept(Interval(-1.0, 0.0), 0.0)


@pytest.mark.parametrize("dtype", ("int8", "uint8", "int4", "int64", "uint64"))
def test_an_observed_integer_is_read_at_its_dtype(dtype: str) -> None:
    low, high = dtypes.integer_range(dtype)
    for value in (low, low + 1, -1, 0, 1, high - 1, high, high + 1):
        wanted = bits.decode(dtype, value & ((1 << dtypes.bits(dtype)) - 1))
        assert observed_number(dtype, value) == wanted == (value if low <= value <= high else wanted)


def test_what_is_level_far_out_is_reached_from_the_side_of_nearer_results() -> None:
    for name, row in FUNCTIONS.items():
        for sign, level in zip((-1, 1), row.far[1:] if row.far else (INF, INF), strict=True):
            if math.isinf(level):
                continue
            low, high = at_end(name, Fraction(sign) * 2 * FAR, 100)
            near = elementary.function(name, "float64")(sign * 3.0)
            assert low < high and high - low < Fraction(1, 2**200), (name, sign)
            assert high == level if near < level else low == level, (name, sign)


def test_two_numbers_whose_function_is_exact_have_one_result() -> None:
    """``atan2`` and ``pow`` may be off, ``fmod`` and ``copysign`` may not."""
    f: Any = enclosure().at("float32")
    for name, bound in interval_floats.PERMITTED_ULPS.items():
        if name not in ("atan2", "pow", "hypot", "fmod", "copysign", "nextafter"):
            continue
        found = f.math2(name)(3.0, 1.75)
        assert (found.__class__ is float) == (bound <= 0.5), (name, bound, found)
