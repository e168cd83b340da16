"""Real sets with an infinity: steps between integers have their other end, and the product with a zero is no number."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from refrelax.semantics.numbers import ideal
from refrelax.semantics.numbers.intervals import INF, Interval

READINGS = {"binary64": (ideal.DOUBLE, float), "rationals": (200, Fraction)}


@pytest.mark.parametrize("name", READINGS)
def test_steps(name: str) -> None:
    precision, end = READINGS[name]
    f: Any = ideal.ideal(precision).at("float32")
    for how, x, wanted in (
        ("floor", -0.75, -1),
        ("ceil", -0.75, 0),
        ("trunc", -1.5, -1),
        ("round", 2.25, 2),
        ("sign", -3.0, -1),
    ):
        found = f.math(how)(Interval(-INF, end(x)))
        assert (found.lo, found.hi) == (-1 if how == "sign" else -INF, wanted), how
        found = f.math(how)(Interval(end(x), INF))
        assert (found.lo, found.hi) == (wanted, 1 if how == "sign" else INF), how


@pytest.mark.parametrize("name", READINGS)
def test_products(name: str) -> None:
    precision, end = READINGS[name]
    f: Any = ideal.ideal(precision).at("float32")
    numbers = [end(x) for x in (-2.0, -0.25, 0.0, 0.5, 3.0)]
    unbounded = [*((-INF, x) for x in numbers), *((x, INF) for x in numbers), (-INF, INF)]
    for (a, b), (c, d) in product(unbounded, [(x, y) for x, y in product(numbers, repeat=2) if x <= y] + unbounded):
        for left, right in ((Interval(a, b), Interval(c, d)), (Interval(c, d), Interval(a, b))):
            found = f.mul(left, right)
            is_none = c <= 0 <= d or (a <= 0 <= b and (c == -INF or d == INF))
            assert found.nan or not is_none, (a, b, c, d)
            assert not found.nan or is_none, (a, b, c, d)
