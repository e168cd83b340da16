"""A set that is scaled, or converted, beyond a format without infinity keeps the members that are not."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.intervals import Interval, as_interval
from refrelax.semantics.numbers.intsets import between
from refrelax.semantics.numbers.poison import Poison

ENDS = (-176.0, -16.0, -0.25, 0.0, 0.5, 5.5, 36.0)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float6_e3m2fn", "float32"])
def test_the_members_that_are_numbers_are_held(dtype: str) -> None:
    exact: Any = reading("ieee").at(dtype).math2("ldexp")
    scale: Any = reading("enclosure").at(dtype).math2("ldexp")
    known = [x for x in ENDS if reading("ieee").at(dtype).lit(x) == x]
    for (a, b), (k, n) in product(product(known, repeat=2), ((3, 3), (5, 5), (-6, 0), (-2, 4), (200, 200))):
        if a <= b:
            found = as_interval(scale(Interval(a, b), between(k, n)))
            results = [exact(x, each) for x in (a, *(y for y in known if a < y < b), b) for each in range(k, n + 1)]
            numbers = [r for r in results if not isinstance(r, Poison) and r == r]
            assert all(found.lo <= r <= found.hi for r in numbers), (a, b, k, n)
            assert found.nan or not any(r != r for r in results if not isinstance(r, Poison))
            assert (found.rule is not None) == any(isinstance(r, Poison) for r in results)
            if len(numbers) == len(results):
                assert (found.lo, found.hi, found.nan) == (min(numbers), max(numbers), False)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn", "float16"])
def test_the_integers_that_are_numbers_are_held(dtype: str) -> None:
    exact, convert = (reading(name).at(dtype).converter("int64") for name in ("ieee", "enclosure"))
    known = (-(2**62), -70000, -3, 0, 1, 4, 300, 2**40, 2**62 + 2**61 + 1)
    for a, b in product(known, repeat=2):
        if a < b:
            found = as_interval(convert(between(a, b)))
            results = [exact(x) for x in known if a <= x <= b]
            numbers = [r for r in results if not isinstance(r, Poison) and r == r]
            assert all(found.lo <= r <= found.hi for r in numbers), (a, b)
            assert found.nan or len(numbers) == sum(not isinstance(r, Poison) for r in results), (a, b)
