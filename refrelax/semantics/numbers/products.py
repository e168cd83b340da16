"""Bounds on products that hold for every order, every association and wider accumulation.

A product of ``n`` items makes ``n - 1`` roundings, and one more if it was accumulated in a wider format. Each changes
it by a factor between ``1 / (1 + u)`` and ``1 + u``. The bounds are computed on integers, so that they are as tight for
binary64 as for narrower formats.

Spec: ``spec/02-values.md``, ``num/any-order-sum``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from refrelax.semantics.numbers.intervals import INF, Interval

KEPT = 256
"""Bits of a product that are kept: what is cut off is far below the last place of any format."""


def exact_products(items: Sequence[Interval], precision: int) -> bool:
    """Whether no partial product of ``items``, in any order, is rounded, short of over- and underflow: all are points,
    and have no more significant bits together than the format."""
    if any(x.lo != x.hi or math.isinf(x.lo) for x in items):
        return False
    return sum(_significant(x.lo) for x in items) <= precision


def _significant(x: float) -> int:
    """How many bits the odd part of ``x`` adds to a product: none, if ``x`` is 0 or a power of two."""
    odd = abs(x.as_integer_ratio()[0])
    return 0 if odd == 0 else (odd // (odd & -odd)).bit_length() - (odd & (odd - 1) == 0)


def product_end(factors: Sequence[float], roundings: int, precision: int, up: bool) -> float:
    """The product of non-negative doubles after so many roundings to ``precision`` bits, at most (``up``) or at least;
    computed without over- or underflow on the way."""
    if 0.0 in factors:
        return INF if INF in factors and up else 0.0
    if INF in factors:
        return INF
    mantissa, exponent = 1, 0
    for each in factors:
        part, power = math.frexp(each)
        mantissa, exponent = _cut(mantissa * int(math.ldexp(part, 53)), exponent + power - 53, up)
    # (1 + u) ** n <= 1 + n u + (n u) ** 2 as long as n u <= 1; beyond that, step by step
    for count in _portions(roundings, precision):
        one = 1 << 2 * precision
        grown = one + (count << precision) + count * count
        mantissa, exponent = (
            _cut(mantissa * grown, exponent - 2 * precision, up)
            if up
            else _cut((mantissa << KEPT + 2 * precision) // grown, exponent - KEPT, up)
        )
    return _double(mantissa, exponent, up)


def _portions(roundings: int, precision: int) -> list[int]:
    """``roundings`` in portions of at most ``1 / u``."""
    whole, rest = divmod(roundings, 1 << precision)
    return [1 << precision] * whole + [rest] * (rest > 0)


def _cut(mantissa: int, exponent: int, up: bool) -> tuple[int, int]:
    """``mantissa * 2**exponent`` in at most ``KEPT`` bits, rounded outward."""
    excess = mantissa.bit_length() - KEPT
    if excess <= 0:
        return mantissa, exponent
    return (-(-mantissa >> excess) if up else mantissa >> excess), exponent + excess


def _double(mantissa: int, exponent: int, up: bool) -> float:
    """The double next to ``mantissa * 2**exponent``, outward; infinity and 0 where there is none."""
    excess = max(mantissa.bit_length() - 53, -1074 - exponent)
    if excess > 0:
        mantissa, exponent = (-(-mantissa >> excess) if up else mantissa >> excess), exponent + excess
    try:
        return math.ldexp(mantissa, exponent)
    except OverflowError:
        return INF if up else math.ldexp(float((1 << 53) - 1), 971)
