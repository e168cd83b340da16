"""Arithmetic of ``enclosure`` on what is met most: intervals between finite ends, at formats that ``struct`` packs.

Each function is written out, because it runs once an element and step. It gives what the general form gives, and leaves
to that (``other``) every operand with a NaN or poison, and every result that is a zero or beyond the format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import Struct

from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.rounding import STRUCT_CODES

Binary = Callable[[Payload, Payload], Payload]


def quick(dtype: str, plain: dict[str, Binary], other: dict[str, Binary]) -> dict[str, Binary]:
    """``add``, ``sub``, ``mul`` and ``div``; ``plain`` takes two numbers, of ``div`` no divisor that is 0."""
    if dtype not in STRUCT_CODES:
        return other
    pair = Struct(2 * STRUCT_CODES[dtype])
    sums = _adding(pair, plain["add"], other["add"]), _subtracting(pair, plain["sub"], other["sub"])
    rest = _multiplying(pair, plain["mul"], other["mul"]), _dividing(pair, plain["div"], other["div"])
    return dict(zip(("add", "sub", "mul", "div"), (*sums, *rest), strict=True))


def _adding(pair: Struct, plain: Binary, other: Binary) -> Binary:
    pack, unpack = pair.pack, pair.unpack

    def add(a: Payload, b: Payload) -> Payload:
        if a.__class__ is float:
            if b.__class__ is float:
                return plain(a, b)
            a, b = b, a
        if a.__class__ is Interval and not a.nan and a.rule is None:
            if b.__class__ is float:
                low, high = a.lo + b, a.hi + b
            elif b.__class__ is Interval and not b.nan and b.rule is None:
                low, high = a.lo + b.lo, a.hi + b.hi
            else:
                return other(a, b)
            if low - low == 0 == high - high:
                try:
                    low, high = unpack(pack(low, high))
                except OverflowError:
                    return other(a, b)
                return Interval(low, high) if low != high else low or other(a, b)
        return other(a, b)

    return add


def _subtracting(pair: Struct, plain: Binary, other: Binary) -> Binary:
    pack, unpack = pair.pack, pair.unpack

    def sub(a: Payload, b: Payload) -> Payload:
        if a.__class__ is float:
            if b.__class__ is float:
                return plain(a, b)
            if b.__class__ is not Interval or b.nan or b.rule is not None:
                return other(a, b)
            low, high = a - b.hi, a - b.lo
        elif a.__class__ is Interval and not a.nan and a.rule is None:
            if b.__class__ is float:
                low, high = a.lo - b, a.hi - b
            elif b.__class__ is Interval and not b.nan and b.rule is None:
                low, high = a.lo - b.hi, a.hi - b.lo
            else:
                return other(a, b)
        else:
            return other(a, b)
        if low - low == 0 == high - high:
            try:
                low, high = unpack(pack(low, high))
            except OverflowError:
                return other(a, b)
            return Interval(low, high) if low != high else low or other(a, b)
        return other(a, b)

    return sub


def _multiplying(pair: Struct, plain: Binary, other: Binary) -> Binary:
    pack, unpack = pair.pack, pair.unpack

    def mul(a: Payload, b: Payload) -> Payload:
        if a.__class__ is float:
            if b.__class__ is float:
                return plain(a, b)
            a, b = b, a
        if a.__class__ is Interval and not a.nan and a.rule is None:
            x, y = a.lo, a.hi
            if b.__class__ is float:
                low, high = (x * b, y * b) if b >= 0 else (y * b, x * b)
            elif b.__class__ is Interval and not b.nan and b.rule is None:
                p, q = b.lo, b.hi
                if a is b:
                    low, high = (x * x, y * y) if x >= 0 else (y * y, x * x) if y <= 0 else (0.0, max(x * x, y * y))
                elif p >= 0:
                    low, high = x * (p if x >= 0 else q), y * (q if y >= 0 else p)
                elif x >= 0:
                    low, high = p * y, q * (y if q >= 0 else x)
                else:
                    four = (x * p, x * q, y * p, y * q)
                    low, high = min(four), max(four)
            else:
                return other(a, b)
            if low - low == 0 == high - high:
                try:
                    low, high = unpack(pack(low, high))
                except OverflowError:
                    return other(a, b)
                return Interval(low, high) if low != high else low or other(a, b)
        return other(a, b)

    return mul


def _dividing(pair: Struct, plain: Binary, other: Binary) -> Binary:
    pack, unpack = pair.pack, pair.unpack

    def div(a: Payload, b: Payload) -> Payload:
        if b.__class__ is float:
            if a.__class__ is float:
                return plain(a, b) if b else other(a, b)
            p = q = b
        elif b.__class__ is Interval and not b.nan and b.rule is None:
            p, q = b.lo, b.hi
        else:
            return other(a, b)
        if a.__class__ is float:
            x = y = a
        elif a.__class__ is Interval and not a.nan and a.rule is None:
            x, y = a.lo, a.hi
        else:
            return other(a, b)
        if q < 0:
            x, y, p, q = -y, -x, -q, -p
        if p > 0 and q - q == 0:
            low, high = x / (q if x >= 0 else p), y / (p if y >= 0 else q)
            if low - low == 0 == high - high:
                try:
                    low, high = unpack(pack(low, high))
                except OverflowError:
                    return other(a, b)
                return Interval(low, high) if low != high else low or other(a, b)
        return other(a, b)

    return div


def products(a: Sequence[Payload], b: Sequence[Payload]) -> tuple[list[float], list[float]] | None:
    """The ends of each product, in binary64; ``None`` where one is no number, or an operand may be a NaN or poison."""
    lows, highs = [], []
    for x, y in zip(a, b, strict=True):
        if x.__class__ is float:
            p = q = x
        elif x.__class__ is Interval and not x.nan and x.rule is None:
            p, q = x.lo, x.hi
        else:
            return None
        if y.__class__ is float:
            low, high = (p * y, q * y) if y >= 0 else (q * y, p * y)
        elif y.__class__ is Interval and not y.nan and y.rule is None:
            if y.lo >= 0:
                low, high = p * (y.lo if p >= 0 else y.hi), q * (y.hi if q >= 0 else y.lo)
            elif p >= 0:
                low, high = q * y.lo, y.hi * (q if y.hi >= 0 else p)
            else:
                four = (p * y.lo, p * y.hi, q * y.lo, q * y.hi)
                low, high = min(four), max(four)
        else:
            return None
        if not low - low == 0 == high - high:
            return None
        lows.append(low)
        highs.append(high)
    return lows, highs


__all__ = ["products", "quick"]
