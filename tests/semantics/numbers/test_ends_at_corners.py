"""Bounds of permitted results, where these are known exactly: at corners, of predicates, of sums in any order."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import pytest

from refrelax.semantics.numbers import elementary, reading
from refrelax.semantics.numbers.bounds import OF_ONE, PERMITTED_ULPS
from refrelax.semantics.numbers.enclosure import surely_poison
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.semantics.numbers.interval_functions import NONNEGATIVE, Inflation, point_function
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval
from refrelax.semantics.numbers.intsets import as_ints, as_truths, between, some, truths
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.numbers.products import _double

ENCLOSURE, IEEE = reading("enclosure"), reading("ieee")
ENDS = (-4.0, -1.0, -0.25, 0.0, 0.5, 2.0)
BOUNDS = [*combinations_with_replacement(ENDS, 2)]
OPS = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y}


@pytest.mark.parametrize("name", OPS)
def test_an_operation_reaches_from_corner_to_corner(name: str) -> None:
    f: Any = ENCLOSURE.at("float32")
    for (a, b), (c, d) in product(BOUNDS, repeat=2):
        if name != "div" or c * d > 0:
            found = as_interval(getattr(f, name)(Interval(a, b), Interval(c, d)))
            corners = [OPS[name](x, y) for x, y in product((a, b), (c, d))]
            assert (found.lo, found.hi, found.nan) == (min(corners), max(corners), False), (a, b, c, d)


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite"])
def test_a_predicate_of_a_set_is_that_of_its_members(name: str) -> None:
    f: Any = ENCLOSURE.at("float32")
    for (a, b), nan in product(
        [*combinations_with_replacement((-INF, -1.0, 0.0, 2.0, INF), 2), (INF, -INF)], (False, True)
    ):
        members = [*((a, b) if a <= b else ()), *([0.0] if a < b else ()), *([math.nan] if nan else ())]
        if members:
            wanted = {getattr(math, name)(x) for x in members}
            found = as_truths(getattr(f, name)(Interval(a, b, nan)))
            assert (found.true, found.false) == (True in wanted, False in wanted), (a, b, nan)


SCALES = {"float16": 2.0**15, "bfloat16": 2.0**127, "float8_e4m3fn": 256.0, "float32": 2.0**127}


@pytest.mark.parametrize("dtype", SCALES)
@pytest.mark.parametrize("signs", [(1, 1), (1, 1, -1), (1, 1, -1, -1), (-1, -1), (-1, -1, 1), (1, -1), (1,)])
def test_a_sum_beyond_the_format_is_what_some_order_gives(dtype: str, signs: tuple[int, ...]) -> None:
    items = [SCALES[dtype] * each for each in signs]
    add, given = IEEE.at(dtype).add, as_interval(ENCLOSURE.at(dtype).reduce("add", items))
    results = {each: None for order in set(permutations(items)) for each in _sums(add, order)}
    numbers = [x for x in results if x == x]
    assert given.nan == any(x != x for x in results)
    assert all(given.lo <= x <= given.hi for x in numbers)
    if numbers and math.isinf(max(map(abs, numbers))):
        assert (given.hi == INF, given.lo == -INF) == (INF in numbers, -INF in numbers)


def _sums(add: Any, items: tuple[float, ...]) -> list[float]:
    """The sums of some numbers in a row, with all ways to set brackets."""
    if len(items) == 1:
        return list(items)
    return [add(x, y) for k in range(1, len(items)) for x in _sums(add, items[:k]) for y in _sums(add, items[k:])]


def test_a_power_between_bounds() -> None:
    power = ENCLOSURE.at("float32").math2("pow")
    for (a, b), (c, d) in product(BOUNDS, repeat=2):
        found = as_interval(power(Interval(a, b), Interval(c, d)))
        for x, y in product((a, (a + b) / 2, b), (c, (c + d) / 2, d)):
            wanted = IEEE.at("float32").math2("pow")(x, y)
            assert found.nan if wanted != wanted else found.lo <= wanted <= found.hi, (a, b, c, d, x, y)
        if a >= 0:
            assert not found.nan, (a, b, c, d)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float8_e4m3fn"])
def test_what_is_not_negative_stays_so(dtype: str) -> None:
    inflate = Inflation(dtype)
    for name in sorted({*NONNEGATIVE, *OF_ONE}):
        for high in (0.0, 1.0, INF):
            assert as_interval(inflate.around(name, 0.0, high)).lo == 0.0, name
    assert as_interval(inflate.around("expm1", 1.0, INF)).lo < 1.0


def test_integers_up_to_the_last_one() -> None:
    f: Any = ENCLOSURE.at("int8")
    for a, b, step in product(range(-128, 128, 51), range(-128, 128, 51), (0, 1, -1)):
        if b - a > 60 and min(a, a + step) >= -128 and max(b, b + step) <= 127:
            found, moved = f.add(between(a, b), step), between(a + step, b + step)
            assert (found.lo, found.hi) == (moved.lo, moved.hi)
    wide, low, high = ENCLOSURE.at("int32"), -(1 << 31), (1 << 31) - 1
    for (a, b), (c, d) in product([(low, low + 5000), (high - 5000, high), (-5000, 5000)], repeat=2):
        found, ends = as_ints(wide.add(between(a, b), between(c, d))), (a + c, b + d)
        assert (found.lo, found.hi) == (ends if low <= ends[0] and ends[1] <= high else (low, high))
    found = as_ints(wide.sub(between(low + 7, low + 5000), between(0, 7)))
    assert (found.lo, found.hi) == (low, low + 5000)
    found = as_ints(wide.add(between(high - 5000, high - 7), between(0, 7)))
    assert (found.lo, found.hi) == (high - 5000, high)


def test_a_fold_keeps_what_it_begins_with() -> None:
    for dtype in ("float32", "float16"):
        f: Any = ENCLOSURE.at(dtype)
        for op, first, wanted in (
            ("add", 0.0, 2.0),
            ("add", -0.0, 2.0),
            ("add", 1.0, 3.0),
            ("add", 0.5, 2.5),
            ("mul", 0.0, 0.0),
            ("mul", 0.5, 1.0),
            ("minimum", 0.0, 0.0),
            ("maximum", 4.0, 4.0),
        ):
            found = as_interval(f.settle(f.accumulate(op, f.begin(op, first), 2.0)))
            assert found.lo <= wanted <= found.hi and found.hi - found.lo < 0.1, first


def members(a: Interval) -> set[float]:
    """The ends, what lies between them, and a NaN where it may be one."""
    inside = {a.lo, a.hi, (a.lo + a.hi) / 2} if a.lo <= a.hi else set[float]()
    return inside | ({math.nan} if a.nan else set[float]())


COMPARED = {
    "less": lambda x, y: x < y, "less_equal": lambda x, y: x <= y, "equal": lambda x, y: x == y,
    "not_equal": lambda x, y: x != y,
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARED)
def test_a_comparison_of_sets_is_that_of_their_members(name: str) -> None:
    f: Any = ENCLOSURE.at("float32")
    ends = [*combinations_with_replacement((-1.0, 0.0, 1.0), 2)]
    sets = [Interval(*each, nan) for each in ends for nan in (False, True)]
    sets.append(Interval(INF, -INF, True))
    for a, b in product(sets, repeat=2):
        wanted = {COMPARED[name](x, y) for x, y in product(members(a), members(b))}
        found = as_truths(getattr(f, name)(a, b))
        assert (found.true, found.false) == (True in wanted, False in wanted), (a, b)


def test_opposite_infinities_have_no_sum() -> None:
    for dtype in ("float32", "float16", "float64"):
        f: Any = ENCLOSURE.at(dtype)
        for items, has_number in (([INF, -INF], False), ([INF, 1.0, -INF], False), ([INF, 1.0], True)):
            found = as_interval(f.reduce("add", items))
            assert found.empty is not has_number and found.nan is not has_number


def test_a_function_at_zero() -> None:
    for name in PERMITTED_ULPS:
        if name in FUNCTIONS:
            for x in (0.0, -0.0):
                result = elementary.function(name, "float32")(x)
                found = as_interval(point_function(name, "float32")(x))
                if name == "rsqrt":
                    assert (found.lo, found.hi) == (-INF, INF)
                elif isinstance(result, float) and math.isfinite(result):
                    assert found.lo <= result <= found.hi and found.hi - found.lo < 1e-4, name


def test_a_double_is_rounded_outward() -> None:
    for mantissa, exponent, up in product(
        (1, (1 << 53) - 1, (1 << 54) + 1, (1 << 55) - 1, 3 << 60), (-1080, -1075, -60, 300), (False, True)
    ):  # fmt: skip
        found, exact = Fraction(_double(mantissa, exponent, up)), mantissa * Fraction(2) ** exponent
        assert found >= exact if up else found <= exact
        beside = Fraction(math.nextafter(float(found), -INF if up else INF))
        assert found == exact or (beside < exact if up else beside > exact)


def test_who_is_poison_for_sure() -> None:
    assert surely_poison(poison("num/cast-range"))
    for payload in (Interval(0.0, 1.0), some((1, 2), "num/cast-range"), truths(True, True)):
        assert not surely_poison(payload)


def test_one_part_as_a_whole_is_read_as_it_is() -> None:
    ints, floats = ENCLOSURE.at("int32"), ENCLOSURE.at("float32")
    one, several = Interval(1.0, 2.0), some((5, 7))
    assert as_ints(ints.assemble([several], "int32", 0)).listed() == [5, 7]
    for part, source, start in ((several, "int64", 0), (several, "int64", 32), (one, "float64", 0)):
        found = as_ints(ints.assemble([part], source, start))
        assert (found.lo, found.hi) == (-(1 << 31), (1 << 31) - 1)
    found = as_interval(floats.assemble([one], "float32", 0))
    assert found.lo <= 1.0 and found.hi >= 2.0
