"""Arithmetic of ``enclosure`` on what is met most: intervals between finite ends, at formats that ``struct`` packs.

Each function is written out, because it runs once an element and step. It gives what the general form gives, and leaves
to that (``other``) every operand with a NaN or poison, and every result that is a zero or beyond the format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import fsum, inf
from struct import Struct

from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.rounding import STRUCT_CODES
from refrelax.semantics.numbers.sums import SAFETY

Binary = Callable[[Payload, Payload], Payload]


def quick(dtype: str, plain: dict[str, Binary], other: dict[str, Binary]) -> dict[str, Binary]:
    """``add``, ``sub``, ``mul`` and ``div``; ``plain`` takes two numbers, of ``div`` no divisor that is 0."""
    if dtype not in STRUCT_CODES:
        return other
    pair = Struct(2 * STRUCT_CODES[dtype])
    sums = _adding(pair, plain["add"], other["add"]), _subtracting(pair, plain["sub"], other["sub"])
    rest = _multiplying(pair, plain["mul"], other["mul"]), _dividing(pair, plain["div"], other["div"])
    return dict(zip(("add", "sub", "mul", "div"), (*sums, *rest), strict=True))


def negating(dtype: str, other: Callable[[Payload], Payload]) -> Callable[[Payload], Payload]:
    """``-a``: the ends, which need not be numbers of the format, are rounded to it."""
    if dtype not in STRUCT_CODES:
        return other
    pair = Struct(2 * STRUCT_CODES[dtype])
    pack, unpack = pair.pack, pair.unpack

    def neg(a: Payload) -> Payload:
        if a.__class__ is Interval and not a.nan and a.rule is None and a.lo - a.lo == 0 == a.hi - a.hi:
            try:
                low, high = unpack(pack(-a.hi, -a.lo))
            except OverflowError:
                return other(a)
            return Interval(low, high) if low != high else low or other(a)
        return other(a)

    return neg


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


def finite_ends(items: Sequence[Payload]) -> tuple[list[float], list[float]] | None:
    """The ends of items that are numbers or lie between numbers, and may be nothing else; ``None`` of others."""
    lows, highs = [], []
    for each in items:
        if each.__class__ is float:
            low = high = each
        elif each.__class__ is Interval and not each.nan and each.rule is None:
            low, high = each.lo, each.hi
        else:
            return None
        if low - low != 0 or high - high != 0:
            return None
        lows.append(low)
        highs.append(high)
    return lows, highs


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


def _three(pair: Struct, precision: int, largest: float) -> Callable[[Payload, Payload, Payload], Payload | None]:
    """``summing`` of three: ``log_softmax`` takes one an element."""
    pack, unpack = pair.pack, pair.unpack
    u, half = 2.0**-precision, largest / 2
    double, share = 2 * u, u / (1 - 3 * u)

    def add(x: Payload, y: Payload, z: Payload) -> Payload | None:
        if x.__class__ is float:
            a = p = x
        elif x.__class__ is Interval and not x.nan and x.rule is None:
            a, p = x.lo, x.hi
        else:
            return None
        if y.__class__ is float:
            b = q = y
        elif y.__class__ is Interval and not y.nan and y.rule is None:
            b, q = y.lo, y.hi
        else:
            return None
        if z.__class__ is float:
            c = r = z
        elif z.__class__ is Interval and not z.nan and z.rule is None:
            c, r = z.lo, z.hi
        else:
            return None
        if a == p and b == q and c == r:
            return None
        least, mean, most = sorted((p if p > 0 else 0.0, q if q > 0 else 0.0, r if r > 0 else 0.0))
        up, all_up = most + mean, most + mean + least
        most, mean, least = sorted((a if a < 0 else 0.0, b if b < 0 else 0.0, c if c < 0 else 0.0))
        down, all_down = -most - mean, -most - mean - least
        if not all_up + all_down < half:
            return None
        error = double * (all_up + all_down)
        chain = share * ((up if up > down else down) + (all_up if all_up > all_down else all_down))
        error = (chain if chain < error else error) * SAFETY
        low, high = fsum((a, b, c)) - error, fsum((p, q, r)) + error
        if all_down == 0:
            low = max(low, a, b, c)
        if all_up == 0:
            high = min(high, p, q, r)
        if low - low != 0 or high - high != 0:
            return None
        low, high = unpack(pack(low, high))
        return Interval(low, high) if low != high else low or None

    return add


def summing(dtype: str, precision: int, largest: float) -> Callable[[Sequence[Payload]], Payload | None]:
    """The sum in any order of items of which one is an interval: what ``interval_reductions.Sums`` gives, rounded.
    ``None`` of what is not met most: for that to answer."""
    if dtype not in STRUCT_CODES:
        return lambda items: None
    pair = Struct(2 * STRUCT_CODES[dtype])
    pack, unpack = pair.pack, pair.unpack
    u, half = 2.0**-precision, largest / 2
    three = _three(pair, precision, largest)

    def add(items: Sequence[Payload]) -> Payload | None:
        n = len(items)
        if n == 3:
            return three(*items)
        ends = finite_ends(items)
        if ends is None:
            return None
        lows, highs = ends
        if n < 2 or n * u >= 0.5 or lows == highs:
            return None
        if n == 2 and lows[0] >= 0 and lows[1] >= 0:  # what follows, of two
            chain = total = highs[0] + highs[1]
        elif min(lows) >= 0:
            up = list(accumulate(sorted(highs, reverse=True)))
            total = up[-1]
            chain = fsum(up[1:]) if total < half else inf
        else:
            up = list(accumulate(sorted([x if x > 0 else 0.0 for x in highs], reverse=True)))
            down = list(accumulate(sorted([-x if x < 0 else 0.0 for x in lows], reverse=True)))
            total = up[-1] + down[-1]
            chain = fsum(map(max, up[1:], down[1:])) if total < half else inf
        if not total < half:
            return None
        error = min((n - 1) * u * total, u / (1 - n * u) * chain) * SAFETY
        low, high = fsum(lows) - error, fsum(highs) + error
        least, most = min(lows), max(highs)
        if least >= 0:
            low = max(low, max(lows))
        if most <= 0:
            high = min(high, min(highs))
        if low - low != 0 or high - high != 0:
            return None
        low, high = unpack(pack(low, high))
        return Interval(low, high) if low != high else low or None

    return add


__all__ = ["finite_ends", "negating", "products", "quick", "summing"]
