"""The reading ``ideal``: what an operator would give if nothing were rounded, between bounds.

``rounded_once`` is what it is for: the exact result in the result's dtype, or ``None`` where the precision does not
decide it. ``ideal(DOUBLE)`` is quick and sees less: formats of at most 24 bits between ends in binary64.

Spec: ``spec/02-values.md``, ``num/ideal-is-real``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import starmap
from struct import Struct
from typing import Any
from typing import cast as as_type

from refrelax.rules import rule
from refrelax.semantics.numbers.bounds import ABSOLUTE, OF_ONE, permitted_ulps
from refrelax.semantics.numbers.double_reals import WORKING, Doubles, above, below, nearest
from refrelax.semantics.numbers.enclosure import Enclosure
from refrelax.semantics.numbers.interface import Arithmetic, Numerics, Payload
from refrelax.semantics.numbers.interval_functions import NONNEGATIVE
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.reals import Reals
from refrelax.semantics.numbers.rounding import STRUCT_CODES, has_nan, round_fraction, rounder
from refrelax.syntax import bits, dtypes

DOUBLE = 53
"""The precision at which narrow formats are read between ends in binary64."""

FORMATS = tuple(dtype for dtype, f in bits.FORMATS.items() if f.signed)
"""The float dtypes that have a zero and a sign: what has none is no format to be exact in."""

WIDE = ("enclosure", "strict")
"""The readings that hold all that is permitted."""


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
    arithmetic = numerics.at(dtype)
    lit = arithmetic.lit

    def of(payload: Payload) -> Payload:
        if payload.__class__ is float:
            return lit(payload)
        if isinstance(payload, Poison):
            return payload
        if payload.empty:
            return Interval(INF, -INF, payload.nan, payload.rule)
        return Interval(lit(payload.lo).lo, lit(payload.hi).hi, payload.nan, payload.rule)

    if isinstance(arithmetic, Doubles):
        return [Interval(x, x) if x.__class__ is float and x == x else of(x) for x in payloads]
    return list(map(of, payloads))


@rule("num/exact-is-permitted")
def permitted(home: Any, units: str, steps: Sequence[Payload], exact: Sequence[Payload]) -> list[Payload]:
    """What is permitted of each element: what its steps permit (``steps``, of ``enclosure``, whose arithmetic is
    ``home``), and what lies within the units of the exact result (of this reading)."""
    pairs = zip(steps, exact, strict=True)
    if dtypes.kind(home.dtype) != "float":
        return [a if a.__class__ is b.__class__ is int and a == b else _one(home, units, a, b) for a, b in pairs]
    if home.dtype not in STRUCT_CODES or units in NONNEGATIVE or units in OF_ONE or units in ABSOLUTE:
        return [_one(home, units, a, b) for a, b in pairs]
    return list(starmap(_quick(home, units), pairs))


@cache
def _quick(home: Any, units: str) -> Callable[[Payload, Payload], Payload]:
    """``_one``, written out for ends that are numbers of a format that ``struct`` packs."""
    pair = Struct(2 * STRUCT_CODES[home.dtype])
    pack, unpack, ulp = pair.pack, pair.unpack, math.ulp
    ulps, scale, least, largest = _ulps(home, units), home.inflate.scale, home.inflate.least, home.inflate.largest

    def one(held: Payload, best: Payload) -> Payload:
        point = held.__class__ is float
        if best.__class__ is Interval and (point or held.__class__ is Interval):
            low, high = best.lo, best.hi
            if low.__class__ is high.__class__ is float and -largest < low <= high < largest:
                if low != held or low != high:
                    low, high = unpack(pack(low, high))
                if ulps:
                    unit = ulps * max(ulp(low) * scale, least)
                    low, high = low - unit, high + (unit if low == high else ulps * max(ulp(high) * scale, least))
                lo, hi = (held, held) if point else (held.lo, held.hi)
                if lo <= low and high <= hi:
                    return held
                if -largest <= low and high <= largest and (lo == lo if point else not held.nan and held.rule is None):
                    return Interval(lo if lo < low else low, hi if hi > high else high)
        return _one(home, units, held, best)

    return one


def _ulps(home: Any, units: str) -> float:
    """Units in the last place from the exact result, rounded once, to the ends of what is permitted."""
    found = permitted_ulps(units, home.inflate.precision)
    return found + 0.5 if found > 0.5 else 0.0


def _one(home: Any, units: str, steps: Payload, exact: Payload) -> Payload:
    """One element; where the exact result is not known, or no number, the steps alone."""
    if isinstance(steps, Poison) or isinstance(exact, Poison):
        return steps
    if dtypes.kind(home.dtype) != "float":
        return home.join([steps, exact])
    if (exact.empty and not exact.nan) or (exact.lo == -INF and exact.hi == INF):
        return steps
    best = as_interval(home.fit(nearest(exact.lo), nearest(exact.hi), exact.empty))
    if not best.empty:
        best = as_interval(home.legal(as_interval(home.inflate.around(units, best.lo, best.hi, None, best.nan))))
    held = as_interval(steps)
    if held.lo <= best.lo and best.hi <= held.hi and held.nan >= best.nan:
        return steps
    return home.join([steps, best])


Text = Callable[..., Payload]
"""Of an arithmetic and floats of its dtype."""


@rule("num/exact-is-permitted")
def with_exact(numerics: Numerics, dtype: str, text: Text, *args: Payload) -> Payload:
    """``text`` of floats; under a reading that holds all that is permitted, also its exact value: rounded once, and as
    it is, for that is what a comparison of the exact value sees."""
    steps = text(numerics.at(dtype), *args)
    if numerics.name not in WIDE or isinstance(steps, Poison) or dtype not in FORMATS:
        return steps
    real, home = ideal(DOUBLE), as_type(Any, numerics.at(dtype))
    exact = text(real.at(dtype), *entered(real, dtype, args))
    if isinstance(exact, Poison) or (exact.empty and not exact.nan) or (exact.lo == -INF and exact.hi == INF):
        return steps
    low, high = _below(exact.lo), _above(exact.hi)
    best = home.fit(nearest(exact.lo), nearest(exact.hi), exact.nan or exact.empty, exact.rule)
    return home.legal(home.join([steps, best, Interval(low, high)] if low <= high else [steps, best]))


def _below(x: Any) -> float:
    """The greatest binary64 not above an end."""
    return x if isinstance(x, float) else below(x)


def _above(x: Any) -> float:
    return x if isinstance(x, float) else above(x)


__all__ = ["DOUBLE", "FORMATS", "WIDE", "Ideal", "entered", "ideal", "permitted", "rounded_once", "with_exact"]
