"""The reading ``ideal``: what an operator would give if nothing were rounded, between bounds.

``rounded_once`` is what it is for: the exact result in the result's dtype, or ``None`` where the precision does not
decide it. ``ideal(DOUBLE)`` is quick and sees less: formats of at most 24 bits between ends in binary64.

Spec: ``spec/02-values.md``, ``num/ideal-is-real``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any
from typing import cast as as_type

from refrelax.rules import rule
from refrelax.semantics.numbers.double_reals import WORKING, Doubles, nearest
from refrelax.semantics.numbers.enclosure import Enclosure
from refrelax.semantics.numbers.interface import Arithmetic, Numerics, Payload
from refrelax.semantics.numbers.intervals import INF, Interval, spread
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.reals import Reals
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


@rule("num/ideal-is-real")
def ideal(precision: int = 192) -> Numerics:
    """Real arithmetic whose functions are known to ``precision`` bits."""
    return _made(precision)


@cache
def _made(precision: int) -> Numerics:
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
    return low if low == high else None


def _end(dtype: str, x: object) -> Payload:
    return rounder(dtype)(x) if isinstance(x, float) else round_fraction(dtype, x)  # type: ignore[arg-type]


def entered(numerics: Numerics, dtype: str, payloads: Sequence[Payload]) -> list[Payload]:
    """Payloads of ``enclosure`` as those of this reading: all that each holds."""
    if dtypes.kind(dtype) != "float":
        return list(payloads)
    lit = numerics.at(dtype).lit

    def of(payload: Payload) -> Payload:
        if payload.__class__ is float:
            return lit(payload)
        if isinstance(payload, Poison):
            return payload
        if payload.empty:
            return Interval(INF, -INF, payload.nan, payload.rule)
        return Interval(lit(payload.lo).lo, lit(payload.hi).hi, payload.nan, payload.rule)

    return list(map(of, payloads))


@rule("num/exact-is-permitted")
def permitted(home: Any, units: str, steps: Payload, exact: Payload) -> Payload:
    """What is permitted of one element: what its steps permit (``steps``, of ``enclosure``, whose arithmetic is
    ``home``), and what lies within the units of the exact result (of this reading); where that is not known, or no
    number, the steps alone.
    """
    if isinstance(steps, Poison) or isinstance(exact, Poison):
        return steps
    if dtypes.kind(home.dtype) != "float":
        return home.join([steps, exact])
    if (exact.empty and not exact.nan) or (exact.lo == -INF and exact.hi == INF):
        return steps
    best = spread(home.fit(nearest(exact.lo), nearest(exact.hi), exact.empty))
    if not best.empty:
        best = spread(home.legal(spread(home.widen.around(units, best.lo, best.hi, None, best.nan))))
    held = spread(steps)
    if held.lo <= best.lo and best.hi <= held.hi and held.nan >= best.nan:
        return steps
    return home.join([steps, best])


__all__ = ["DOUBLE", "Ideal", "entered", "ideal", "permitted", "rounded_once"]
