"""The reading ``ideal``: what an operator would give if nothing were rounded, between bounds.

``rounded_once`` is what it is for: the exact result in the result's dtype, or ``None`` where the precision does not
decide it. ``ideal(DOUBLE)`` is quick and sees less: formats of at most 24 bits between ends in binary64.

Spec: ``spec/02-values.md``, ``num/ideal-is-real``.
"""

from __future__ import annotations

import math
from functools import cache
from typing import cast as as_type

from refrelax.rules import rule
from refrelax.semantics.numbers.double_reals import WORKING, Doubles
from refrelax.semantics.numbers.enclosure import Enclosure
from refrelax.semantics.numbers.interface import Arithmetic, Numerics, Payload
from refrelax.semantics.numbers.intervals import INF, Interval, make
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.reals import Reals, exactly
from refrelax.semantics.numbers.rounding import has_nan, round_fraction, rounder
from refrelax.syntax import dtypes

DOUBLE = 53
"""The precision at which narrow formats are read between ends in binary64."""


class Ideal(Enclosure):
    """The ``Numerics`` of real arithmetic at one precision."""

    name = "ideal"

    def __init__(self, precision: int) -> None:
        super().__init__()
        self.precision = precision

    def __reduce__(self) -> tuple[object, ...]:
        return ideal, (self.precision,)

    def _make(self, dtype: str) -> Arithmetic:
        if dtypes.lanes(dtype) == 1 and dtypes.kind(dtype) == "float":
            if self.precision <= DOUBLE and dtype != "float64":
                return as_type(Arithmetic, Doubles(self, dtype))
            return as_type(Arithmetic, Reals(self, dtype, max(self.precision, WORKING)))
        return super()._make(dtype)


@cache
@rule("num/ideal-is-real")
def ideal(precision: int = 192) -> Numerics:
    """Real arithmetic whose functions are known to ``precision`` bits."""
    return Ideal(precision)


@rule("num/ideal-is-real", "num/round-once")
def rounded_once(dtype: str, payload: Payload) -> float | None:
    """The exact result in ``dtype``, rounded once; ``None`` where the bounds do not decide it, or there is no number.

    A NaN that is certain is returned as one.
    """
    if isinstance(payload, Poison) or payload.rule is not None:
        return None
    if payload.empty:
        return math.nan if has_nan(dtype) else None
    if payload.nan:
        return None
    low, high = _end(dtype, payload.lo), _end(dtype, payload.hi)
    if isinstance(low, Poison) or isinstance(high, Poison):
        return None
    if low != low and high != high:  # beyond a format without infinities, on one side
        return low if payload.lo > 0 or payload.hi < 0 else None
    return low if low == high else None  # type: ignore[no-any-return]


def _end(dtype: str, x: object) -> Payload:
    return rounder(dtype)(x) if isinstance(x, float) else round_fraction(dtype, x)  # type: ignore[arg-type]


def entered(numerics: Ideal, dtype: str, payload: Payload) -> Payload:
    """A payload of ``enclosure`` as one of this reading: all that it holds."""
    if isinstance(payload, Poison) or dtypes.kind(dtype) != "float":
        return payload
    home = numerics.at(dtype)
    if isinstance(payload, float):
        return home.lit(payload)
    low, high = home.lit(payload.lo), home.lit(payload.hi)
    return Interval(low.lo, high.hi, payload.nan, payload.rule)


def left(dtype: str, payload: Payload) -> Payload:
    """A payload of this reading, rounded once, as one of ``enclosure``; no number where nothing is known."""
    if isinstance(payload, Poison) or dtypes.kind(dtype) != "float":
        return payload
    if payload.empty or (payload.lo == -INF and payload.hi == INF):
        return make(INF, -INF, payload.nan and has_nan(dtype), payload.rule)
    low, high = _end(dtype, payload.lo), _end(dtype, payload.hi)
    return low, high


__all__ = ["DOUBLE", "Ideal", "entered", "exactly", "ideal", "left", "rounded_once"]
