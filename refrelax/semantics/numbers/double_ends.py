"""Arithmetic between ends in binary64, of what is met most: finite ends, no NaN, no poison.

Each function is written out, because it runs once an element and step: a call costs as much as the arithmetic. What is
not met most is left to the function that each is given. An end is rounded to nearest and moved outwards by one unit in
the last place of binary64, unless the operands are numbers and the result is one (the tests are those of Knuth and
Dekker).

Spec: ``spec/02-values.md``, ``num/ideal-is-real``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from refrelax.semantics.numbers.interface import Payload, Truth
from refrelax.semantics.numbers.intervals import INF, Interval
from refrelax.semantics.numbers.truth import FALSE, TRUE

Binary = Callable[[Payload, Payload], Payload]

SPLIT = 134217729.0
"""``2**27 + 1``: what Dekker splits a binary64 with."""

SAFE = 2.0**500
"""Below it no product of two numbers overflows; above its inverse none of two is subnormal."""

TINY = 1 / SAFE

nextafter, fsum, fmod = math.nextafter, math.fsum, math.fmod


def adding(other: Binary, minus: bool = False) -> Binary:
    """``a + b``; with ``minus``, ``a - b``, which is ``a + (-b)`` end by end."""

    def add(a: Payload, b: Payload) -> Payload:
        if a.__class__ is b.__class__ is Interval and not (a.nan or b.nan or a.rule or b.rule):
            x, y = a.lo, a.hi
            if minus:
                p, q = -b.hi, -b.lo
            else:
                p, q = b.lo, b.hi
            low = x + p
            if x == y and p == q:
                part = low - x
                error = (x - (low - part)) + (p - part)
                if error == 0:
                    return Interval(low, low)
                if error > 0:
                    return Interval(low, nextafter(low, INF))
                if error < 0:
                    return Interval(nextafter(low, -INF), low)
                return other(a, b)
            high = y + q
            if low - low == 0 == high - high:
                part, other_part = low - x, high - y
                if (x - (low - part)) + (p - part) < 0:
                    low = nextafter(low, -INF)
                if (y - (high - other_part)) + (q - other_part) > 0:
                    high = nextafter(high, INF)
                return Interval(low, high)
        return other(a, b)

    return add


def multiplying(other: Binary) -> Binary:
    """``a * b``; what is rounded to 0 is not decided here."""

    def mul(a: Payload, b: Payload) -> Payload:
        if a.__class__ is b.__class__ is Interval and not (a.nan or b.nan or a.rule or b.rule):
            x, y, p, q = a.lo, a.hi, b.lo, b.hi
            if x == y and p == q:
                low = high = x * p
                if TINY < low < SAFE or TINY < -low < SAFE:
                    split, other_split = SPLIT * x, SPLIT * p
                    if split - (split - x) == x and other_split - (other_split - p) == p:
                        return Interval(low, low)
            elif p > 0:
                low, high = x * (p if x > 0 else q), y * (q if y > 0 else p)
            elif x > 0:
                low, high = p * (x if p > 0 else y), q * (y if q > 0 else x)
            elif a is not b:
                four = x * p, x * q, y * p, y * q
                low, high = min(four), max(four)
            else:
                low, high = (y * y if y < 0 else 0.0), x * x
            if x <= y and p <= q and low and high and low - low == 0 == high - high:
                return Interval(nextafter(low, -INF), nextafter(high, INF))
        return other(a, b)

    return mul


def dividing(other: Binary) -> Binary:
    """``a / b``; what is rounded to 0 is not decided here, nor what is divided by an interval with 0."""

    def div(a: Payload, b: Payload) -> Payload:
        if a.__class__ is b.__class__ is Interval and not (a.nan or b.nan or a.rule or b.rule):
            x, y, p, q = a.lo, a.hi, b.lo, b.hi
            if q < 0:
                x, y, p, q = -y, -x, -q, -p
            if p > 0 and x <= y and p <= q < INF:
                low, high = x / (q if x > 0 else p), y / (p if y > 0 else q)
                if x == y and p == q and TINY < abs(low) < SAFE:
                    split, other_split = SPLIT * low, SPLIT * p
                    if split - (split - low) == low and other_split - (other_split - p) == p and low * p == x:
                        return Interval(low, low)
                if low and high and low - low == 0 == high - high:
                    return Interval(nextafter(low, -INF), nextafter(high, INF))
        return other(a, b)

    return div


def extreme(pick: Callable[[float, float], float], other: Binary) -> Binary:
    """``max`` or ``min``; of infinities too."""

    def of(a: Payload, b: Payload) -> Payload:
        if a.__class__ is b.__class__ is Interval and not (a.nan or b.nan or a.rule or b.rule):
            x, y, p, q = a.lo, a.hi, b.lo, b.hi
            if x <= y and p <= q:
                return Interval(pick(x, p), pick(y, q))
        return other(a, b)

    return of


def less(other: Callable[[Payload, Payload], Truth]) -> Callable[[Payload, Payload], Truth]:
    """``a < b`` of numbers that are apart."""

    def test(a: Payload, b: Payload) -> Truth:
        if a.__class__ is b.__class__ is Interval and not (a.nan or b.nan or a.rule or b.rule):
            if a.lo <= a.hi < b.lo <= b.hi:
                return TRUE
            if b.lo <= b.hi <= a.lo <= a.hi:
                return FALSE
        return other(a, b)

    return test


def remaining(other: Binary) -> Binary:
    """``a - floor(a / b) * b`` of numbers: ``fmod`` is exact."""

    def floormod(a: Payload, b: Payload) -> Payload:
        if a.__class__ is b.__class__ is Interval and not (a.nan or b.nan or a.rule or b.rule):
            x, p = a.lo, b.lo
            if x == a.hi and p == b.hi and p != 0 and x - x == 0 == p - p:
                rest = fmod(x, p)
                if rest and (rest < 0) != (p < 0):
                    total = rest + p
                    part = total - rest
                    error = (rest - (total - part)) + (p - part)
                    low = total if error >= 0 else nextafter(total, -INF)
                    return Interval(low, total if error <= 0 else nextafter(total, INF))
                return Interval(rest + 0.0, rest + 0.0)
        return other(a, b)

    return floormod


def plain(items: Sequence[Payload]) -> bool:
    """Whether all are intervals between finite ends, without a NaN and poison; there is one."""
    for x in items:
        if x.__class__ is not Interval or x.nan or x.rule or not x.lo - x.lo == 0 == x.hi - x.hi:
            return False
    return bool(items)


def total(items: Sequence[Interval]) -> Interval:
    """The sum of ``plain`` ones, each end rounded once by ``fsum``; any number where that leaves binary64."""
    lows, highs = [x.lo for x in items], [x.hi for x in items]
    try:
        low = fsum(lows)
        if lows == highs:
            rest = fsum([*lows, -low])
            return Interval(low if rest >= 0 else nextafter(low, -INF), low if rest <= 0 else nextafter(low, INF))
        high = fsum(highs)
    except OverflowError:
        return Interval(-INF, INF)
    return Interval(low and nextafter(low, -INF), high and nextafter(high, INF))


__all__ = [
    "SAFE",
    "SPLIT",
    "adding",
    "dividing",
    "extreme",
    "less",
    "multiplying",
    "plain",
    "remaining",
    "total",
]
