"""Bounds on sums and products that hold for every order, every association, fma and wider accumulation.

A sum of ``n`` items makes ``n - 1`` roundings, each at most ``u`` of the partial sum that it rounds. In every tree the
``j``-th largest node has at most ``n - j + 1`` leaves, so the roundings are bounded by those of a chain: with ``M_k``
the greatest magnitude that a sum of ``k`` items can have, the error is at most ``u / (1 - n u) * (M_2 + … + M_n)``.
For large ``n u`` the bound ``(n - 1) u Σ|x|`` of Jeannerod and Rump (2013) holds without restriction.

Spec: ``spec/02-values.md``, ``num/any-order-sum``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import accumulate

SAFETY = 1 + 2.0**-30
"""Covers the roundings of the bound's own computation in binary64 and a second rounding after wider accumulation."""


def exact_sums(magnitudes: float, items: Sequence[float], precision: int, least: float) -> bool:
    """Whether no partial sum of ``items``, in any order, is rounded.

    All items are multiples of the last place of the format at the sum of the magnitudes.
    """
    if magnitudes == 0:
        return True
    if math.isinf(magnitudes):
        return False
    unit = max(math.ldexp(1.0, math.frexp(magnitudes)[1] - precision), least)
    return not any(math.fmod(each, unit) for each in items)  # (a quotient may be rounded to 0)


def sum_error(lows: Sequence[float], highs: Sequence[float], u: float) -> float:
    """How far a sum in any order may lie from the exact sum; item ``i`` lies in ``[lows[i], highs[i]]``, all finite.

    ``u`` is the unit roundoff of the least accumulation format.
    """
    n = len(lows)
    if n < 2:
        return 0.0
    up = list(accumulate(sorted([x if x > 0 else 0.0 for x in highs], reverse=True)))
    down = list(accumulate(sorted([-x if x < 0 else 0.0 for x in lows], reverse=True)))
    plain = (n - 1) * u * (up[-1] + down[-1])
    if n * u >= 0.5:
        return plain * SAFETY
    chain = above(map(max, up[1:], down[1:]))
    return min(plain, u / (1 - n * u) * chain) * SAFETY


def largest_partial(lows: Sequence[float], highs: Sequence[float]) -> tuple[float, float]:
    """The greatest and the least sum of any subset of the items."""
    return above([x for x in highs if x > 0]), below([x for x in lows if x < 0])


def above(items: Iterable[float]) -> float:
    """The exact sum rounded; infinity where a partial sum of ``fsum`` leaves binary64."""
    try:
        return math.fsum(items)
    except OverflowError:
        return math.inf


def below(items: Iterable[float]) -> float:
    """As ``above``, from the other side."""
    return -above([-x for x in items])
