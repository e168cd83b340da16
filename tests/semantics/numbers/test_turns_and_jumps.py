"""Whether an interval holds a turn of a wave, in doubt yes; where an angle jumps, all of them are possible."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from refrelax.semantics.numbers import ideal
from refrelax.semantics.numbers.interval_functions import _holds_multiple
from refrelax.semantics.numbers.intervals import INF, Interval

REALS: Any = ideal.ideal(200).at("float64")
ENDS = (Fraction(-2), Fraction(-1, 2), Fraction(0), Fraction(1, 3), Fraction(3))
SETS = [Interval(a, b) for a, b in combinations_with_replacement(ENDS, 2)]  # type: ignore[arg-type]


def test_a_turn_is_in_an_interval() -> None:
    for offset, k in product((0.0, math.pi / 2, math.pi, 3 * math.pi / 2), (-3, -1, 0, 1, 5)):
        turn = offset + 2 * math.pi * k
        for near, far in ((0.0, True), (1e-10, True), (-1e-10, True), (1e-6, False), (-1e-6, False)):
            assert _holds_multiple(turn - 2, turn - near, offset) is (far or near < 0), (offset, k, near)
            assert _holds_multiple(turn + near, turn + 2, offset) is (far or near < 0), (offset, k, near)
        assert _holds_multiple(turn - 1, turn + 1, offset) and not _holds_multiple(turn + 1, turn + 5, offset)
        assert _holds_multiple(turn + 1, turn + 7, offset)


def test_an_angle_jumps_at_the_negative_axis_alone() -> None:
    """Elsewhere it lies between those of the corners, and no more; the sign of a zero is not kept."""
    angle = REALS.math2("atan2")
    for y, x in product(SETS, repeat=2):
        found = angle(y, x)
        if y.lo <= 0 <= y.hi and x.lo <= 0:
            assert (found.lo, found.hi, found.nan) == (-INF, INF, False), (y, x)
        else:
            corners = [math.atan2(float(a), float(b)) for a in (y.lo, y.hi) for b in (x.lo, x.hi)]
            assert math.isclose(found.lo, min(corners), abs_tol=1e-15), (y, x)
            assert math.isclose(found.hi, max(corners), abs_tol=1e-15), (y, x)
