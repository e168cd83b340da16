"""Elementary functions of real intervals, at any precision: what the reading ``ideal`` computes with.

The ends of an ``Interval`` are rationals (``Fraction``) or infinities here. A function is evaluated at the ends by
``multiprecision`` and the results are moved outwards by their error, so that the real values lie inside. Spec:
``spec/02-values.md``, ``num/ideal-is-real``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

from refrelax.semantics.numbers import multiprecision as mp
from refrelax.semantics.numbers.exact import RATIONAL
from refrelax.semantics.numbers.functions import FUNCTIONS, PRECISE
from refrelax.semantics.numbers.interval_functions import DECREASING, EVEN, PERIODIC
from refrelax.semantics.numbers.intervals import INF, Interval
from refrelax.semantics.numbers.special import AT_ENDS, DOMAIN, POLES

End = Any
"""A ``Fraction``, or an infinite float."""

FAR = 5000
"""Beyond it ``exp2`` is 2**5000 or more, or 2**-5000 or less: far from every format."""

HUGE, TINY = Fraction(1 << 5000), Fraction(1, 1 << 5000)


def between(lo: End, hi: End, nan: bool = False, rule: str | None = None) -> Interval:
    """An interval whose ends are rationals or infinities."""
    return Interval(lo, hi, nan, rule)


def whole(nan: bool = True) -> Interval:
    """Every real number, and what is none: nothing is known."""
    return between(-INF, INF, nan)


def infinite(x: End) -> bool:
    return isinstance(x, float)


def down(x: Fraction, bits: int) -> Fraction:
    """``x`` with ``bits`` significant bits, not above it."""
    if not x:
        return x
    scale = x.numerator.bit_length() - x.denominator.bit_length() - bits
    if scale >= 0:
        return Fraction((x.numerator // (x.denominator << scale)) << scale)
    return Fraction((x.numerator << -scale) // x.denominator, 1 << -scale)


def up(x: Fraction, bits: int) -> Fraction:
    """``x`` with ``bits`` significant bits, not below it."""
    return -down(-x, bits)


def _mpf(x: Fraction) -> mp.Mpf:
    """A rational whose denominator is a power of two."""
    return mp.dyadic(x.numerator, 1 - x.denominator.bit_length())


def _between(value: mp.Mpf, bits: int) -> tuple[Fraction, Fraction]:
    """The reals within ``2**-bits`` of a number, relative to it."""
    sign, mantissa, exponent = mp.parts(value)
    size = Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)
    slack = size / (1 << bits)
    return (-size - slack, -size + slack) if sign else (size - slack, size + slack)


def _far(name: str, x: Fraction) -> tuple[End, End] | None:
    """Bounds of a function that is level, or beyond every format, at ``x``."""
    row = FUNCTIONS[name]
    if row.far is None or abs(x) <= FAR:
        return None
    _, below, above = row.far
    level = above if x > 0 else below
    if math.isinf(level):
        return (HUGE, INF) if level > 0 else (-INF, -HUGE)
    from_below = (row.shape == "rising") == (x > 0)
    return (Fraction(level) - TINY, Fraction(level)) if from_below else (Fraction(level), Fraction(level) + TINY)


def at_end(name: str, x: End, bits: int) -> tuple[End, End]:
    """Bounds of ``name`` at one number of its domain."""
    if infinite(x):
        limit = AT_ENDS[name][3 if x > 0 else 0]
        if abs(limit) == math.pi / 2:
            return _between(mp.half_pi(limit < 0, bits), bits)
        return (limit, limit) if math.isinf(limit) else (Fraction(limit), Fraction(limit))
    if name in RATIONAL:
        return RATIONAL[name](x), RATIONAL[name](x)
    if not x and math.isinf(AT_ENDS[name][2]):
        return AT_ENDS[name][2], AT_ENDS[name][2]
    if abs(x) == 1 and (name, float(x)) in POLES:
        return POLES[name, float(x)], POLES[name, float(x)]
    if name in ("sqrt", "rsqrt"):
        root = _exact_root(x)
        if root is not None:
            return (root, root) if name == "sqrt" else (1 / root, 1 / root) if root else (INF, INF)
    far = _far(name, x)
    if far is not None:
        return far
    return _approximate(name, x, bits)


def _approximate(name: str, x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """By ``multiprecision``: a rational that is no dyadic lies between two that are."""
    size = x.denominator.bit_length()
    if x.denominator & (x.denominator - 1):
        lower, upper = down(x, bits + 64), up(x, bits + 64)
        ends = [*_approximate(name, lower, bits), *_approximate(name, upper, bits)]
        return min(ends), max(ends)
    precision = bits + x.numerator.bit_length() + (size if name in ("log", "log2", "log10") else 0)
    return _between(PRECISE[name](_mpf(x), precision), bits)


def _exact_root(x: Fraction) -> Fraction | None:
    """The square root of a rational that is a square."""
    top, low = math.isqrt(x.numerator), math.isqrt(x.denominator)
    return Fraction(top, low) if top * top == x.numerator and low * low == x.denominator else None


def function(name: str, a: Interval, bits: int) -> Interval:
    """``name`` of an interval that holds numbers."""
    low, high = DOMAIN.get(name, (-INF, INF))
    lo, hi = max(a.lo, _end(low)), min(a.hi, _end(high))
    nan = a.nan or a.lo < low or a.hi > high
    if lo > hi:
        return between(INF, -INF, nan, a.rule)
    if name in PERIODIC or name == "tan":
        found = _wave(name, lo, hi, bits)
        return between(found.lo, found.hi, nan or found.nan, a.rule)
    if name == "rsqrt" and lo == 0:
        return between(-INF, INF, nan, a.rule)  # the sign of a zero is not kept, and decides that of the infinity
    if name in EVEN:
        near = Fraction(0) if lo <= 0 <= hi else min(abs(lo), abs(hi))
        lo, hi = near, max(abs(lo), abs(hi))
    if name in DECREASING:
        lo, hi = hi, lo
    first = at_end(name, lo, bits)
    last = first if lo == hi else at_end(name, hi, bits)
    return between(first[0], last[1], nan, a.rule)


def _end(x: float) -> End:
    return x if math.isinf(x) else Fraction(x)


def _wave(name: str, lo: End, hi: End, bits: int) -> Interval:
    """``sin``, ``cos``, ``tan``: at the middle, and no further from there than the slope allows."""
    if infinite(lo) or infinite(hi):
        return between(INF, -INF, True) if lo == hi else whole()
    if lo == hi:
        return between(*_approximate(name, lo, bits))
    if name == "tan":
        slope = _wave("cos", lo, hi, bits)
        if hi - lo > 1 or slope.lo <= 0 <= slope.hi:
            return whole(False)
        return between(_approximate(name, lo, bits)[0], _approximate(name, hi, bits)[1])
    half = (hi - lo) / 2
    low, high = _approximate(name, down((lo + hi) / 2, bits + 64), bits)
    reach = half + half / (1 << 32) + Fraction(1, 1 << bits) * max(abs(lo), abs(hi))
    return between(max(low - reach, Fraction(-1)), min(high + reach, Fraction(1)))


# --- two arguments ----------------------------------------------------------------------------------------------------


def power(x: Interval, y: Interval, bits: int) -> Interval:
    """``x ** y``: of a positive base by its ends, of any base to a whole number."""
    if x.lo > 0 and not any(map(infinite, (x.lo, x.hi, y.lo, y.hi))):
        corners: list[tuple[End, End]] = [(a, b) for a in {x.lo, x.hi} for b in {y.lo, y.hi}]
        ends = [_power(a, b, bits) for a, b in corners]
        return between(min(e[0] for e in ends), max(e[1] for e in ends))
    if y.lo == y.hi == 0 or x.lo == x.hi == 1:
        return between(Fraction(1), Fraction(1))
    if x.lo == x.hi and y.lo == y.hi and not infinite(x.lo) and not infinite(y.lo):
        base, exponent = cast(tuple[Fraction, Fraction], (x.lo, y.lo))
        return _of_any_base(base, exponent, bits)
    return whole()


def _of_any_base(x: Fraction, y: Fraction, bits: int) -> Interval:
    """``x ** y`` for ``x <= 0``."""
    if x == 0:
        return between(Fraction(0), Fraction(0)) if y > 0 else whole(False)
    if y.denominator != 1:
        return between(INF, -INF, True)
    low, high = _power(-x, y, bits)
    return between(-high, -low) if y.numerator % 2 else between(low, high)


def _power(x: Fraction, y: Fraction, bits: int) -> tuple[End, End]:
    """``x ** y`` for ``x > 0``."""
    reach = y.numerator.bit_length() - y.denominator.bit_length()
    if y == 0 or x == 1:
        return Fraction(1), Fraction(1)
    if y.denominator == 1 and abs(y) <= 64 and max(x.numerator, x.denominator).bit_length() * abs(y) < 4096:
        exact = x ** int(y)
        return exact, exact
    size = _exponent(x, y)
    if abs(size) > FAR + 1000:
        return (HUGE, INF) if size > 0 else (Fraction(0), TINY)
    if x.denominator & (x.denominator - 1) or y.denominator & (y.denominator - 1):
        wide = bits + 64 + max(0, reach)
        pairs = [(a, b) for a in (down(x, wide), up(x, wide)) for b in (down(y, wide), up(y, wide))]
        ends = [_power(a, b, bits) for a, b in pairs]
        return min(e[0] for e in ends), max(e[1] for e in ends)
    precision = bits + max(0, reach) + x.numerator.bit_length() + x.denominator.bit_length()
    return _between(mp.BINARY["pow"](_mpf(x), _mpf(y), precision), bits)


def _exponent(x: Fraction, y: Fraction) -> float:
    """About ``y * log2(x)``, with its sign."""
    near = down(abs(x - 1), 64)
    if not near:
        return 0.0
    size = math.log2(near.numerator) - math.log2(near.denominator)  # log2(x) is about x - 1 near 1
    log = math.log2(x.numerator) - math.log2(x.denominator) if size > -20 else 1.5 * (2.0 ** max(size, -1000.0))
    signed = math.copysign(log, 1 if x > 1 else -1)
    reach = math.log2(abs(y.numerator)) - math.log2(y.denominator) + math.log2(abs(signed))
    return math.copysign(2.0 ** min(reach, 1000.0), signed * (1 if y > 0 else -1))


def angle(y: Interval, x: Interval, bits: int) -> Interval:
    """``atan2(y, x)`` away from where it jumps: at the corners."""
    if any(map(infinite, (x.lo, x.hi, y.lo, y.hi))) or (y.lo <= 0 <= y.hi and x.lo <= 0):
        return whole(False)
    wide = bits + 64
    ends: list[Fraction] = []
    corners: list[tuple[End, End]] = [(a, b) for a in {y.lo, y.hi} for b in {x.lo, x.hi}]
    for a, b in corners:
        found = mp.BINARY["atan2"](_mpf(down(a, wide)), _mpf(down(b, wide)), wide)
        low, high = _between(found, bits)
        exact = down(a, wide) == a and down(b, wide) == b
        slack = Fraction(0) if exact else max(abs(low), abs(high), Fraction(1)) / (1 << (bits - 2))
        ends += [low - slack, high + slack]
    return between(min(ends), max(ends))


Function2 = Callable[[Interval, Interval, int], Interval]
FUNCTIONS2: dict[str, Function2] = {"pow": power, "atan2": angle}
