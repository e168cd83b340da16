"""Bounds of permitted results, where these are known exactly: at corners, of predicates, of sums in any order."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import pytest

from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.bounds import OF_ONE
from refrelax.semantics.numbers.interval_functions import NONNEGATIVE, Inflation
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval
from refrelax.semantics.numbers.intsets import as_ints, as_truths, between

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
