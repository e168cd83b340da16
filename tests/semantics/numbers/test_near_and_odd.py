"""Arithmetic that says when it does not know: overlaps of boxes against rationals, rounding to odd against all that a
sum may be."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

from refrelax.semantics.numbers import overlaps
from refrelax.semantics.numbers.rounding import to_odd, two_sum

SIDES = [(0.0, 0.0, 2.0, 3.0), (1.0, 1.0, 3.0, 2.0), (3.0, 2.0, 1.0, 1.0), (0.0, 1.0, 2.0, 1.0), (2.0, 0.0, 5.0, 3.0)]
SIDES += [(-1.0, -2.0, 4.0, 0.5), (0.25, 0.5, 0.75, 0.625), (0.0, 0.0, 2.0, 3.0 + 2.0**-40)]


def exact(a: tuple[float, ...], b: tuple[float, ...]) -> Fraction:
    """Intersection by union, 0 where nothing is common."""
    shared, areas = Fraction(1), [Fraction(1), Fraction(1)]
    for k in range(2):
        (low, high), (first, last) = (sorted((Fraction(x[k]), Fraction(x[2 + k]))) for x in (a, b))
        shared *= max(Fraction(0), min(high, last) - max(low, first))
        areas = [areas[0] * (high - low), areas[1] * (last - first)]
    union = sum(areas) - shared
    return shared / union if shared else Fraction(0)


def test_an_overlap_is_the_exact_one_or_not_known() -> None:
    for a, b in product(SIDES, repeat=2):
        near = overlaps._near(a, b)
        real = exact(a, b)
        assert near is not None and abs(Fraction(near) - real) <= real / 2**48, (a, b)


def test_two_sums_and_their_oddness() -> None:
    """What is exact stays; what is not is the neighbour whose last bit is set."""
    values = (1.0, 1.0 + 2.0**-52, 1.5, 3.0, -1.0, -1.0 - 2.0**-52, 2.0**100, 2.0**-1000, 0.1)
    errors = (0.0, 2.0**-60, -(2.0**-60), 2.0**-1074, -0.3, 2.0**-54)
    for x, y in product(values, errors):
        total, error = two_sum(x, y)
        assert Fraction(total) + Fraction(error) == Fraction(x) + Fraction(y)
        found: Any = to_odd(total, error)
        if error == 0:
            assert found == total
        else:
            assert int(math.ldexp(abs(math.frexp(found)[0]), 53)) & 1, (x, y)
            real = Fraction(x) + Fraction(y)
            assert abs(Fraction(found) - real) < abs(Fraction(math.ulp(found))), (x, y)
            assert found in (total, math.nextafter(total, math.inf), math.nextafter(total, -math.inf))
    assert to_odd(math.inf, 1.0) == math.inf


def test_a_threshold_is_reached_or_it_is_not_known() -> None:
    """Equal to what the overlap is off by nobody says; half as far off again somebody does; what is no number or far
    out is not asked."""
    for a, b in product(SIDES, repeat=2):
        real = float(exact(a, b))
        for threshold in (0.0, 0.125, 0.5, 1.0, real * (1 + 2.0**-46), real * (1 - 2.0**-46)):
            found = overlaps.reached(threshold, a, b)
            assert found is None or found is (exact(a, b) > Fraction(threshold)), (a, b, threshold)
            assert found is not None or abs(threshold - real) <= real * 2.0**-47, (a, b, threshold)
        assert overlaps.reached(real, a, b) is None
    box = SIDES[0]
    for odd in (math.nan, math.inf, 2.0**200, -(2.0**200), 1):
        assert overlaps.reached(odd, box, box) is None and overlaps.reached(0.5, (0.0, 0.0, odd, 1.0), box) is None
    assert overlaps.reached(0.5, (0.0, 0.0, 2.0**199, 1.0), box) is False
    tiny = (0.0, 0.0, 2.0**-150, 2.0**-150)
    assert overlaps.reached(0.5, tiny, tiny) is None and overlaps.reached(0.5, tiny, (1.0, 1.0, 2.0, 2.0)) is False
