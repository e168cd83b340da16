"""``ideal`` with ends in binary64: bounds of real values that are quick to have, for formats of at most 24 bits.

What an operation gives is exact where binary64 holds it (the tests for that are those of Knuth and Dekker), and one
unit in its last place wider where not; functions are those of the C library, with the margin of ``elementary``. Bounds
that the real value may leave do not occur: where binary64 does not reach, the rationals of ``real_functions`` do.

Spec: ``spec/02-values.md``, ``num/ideal-is-real``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from typing import Any

from refrelax.semantics.numbers import double_ends
from refrelax.semantics.numbers.double_ends import SAFE, SPLIT
from refrelax.semantics.numbers.elementary import BELOW
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.interval_functions import DECREASING, PERIODIC
from refrelax.semantics.numbers.intervals import INF, Interval
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.real_functions import FUNCTIONS2
from refrelax.semantics.numbers.reals import EXACT, Reals
from refrelax.syntax import bits

WORKING = 96
"""Bits of the functions of rationals that stand in."""

STEEP = frozenset(name for name, f in FUNCTIONS.items() if f.shape in ("rising", "falling") and not f.exact)
"""Monotone functions that are rounded."""

MARGIN = 1 - BELOW
"""How far the C library may be off, of the value."""

SHORT, FAR, TINY = 2.0**-10, 2.0**20, 2.0**-1000
"""A sine or a cosine is had quickly over an interval no longer and no farther from 0; less than any that it gives."""

nextafter = math.nextafter


def below(x: Fraction) -> float:
    """The greatest binary64 not above a rational."""
    found = _near(x)
    return found if (math.isinf(found) and found < 0) or found <= x else nextafter(found, -INF)


def above(x: Fraction) -> float:
    return -below(-x)


def nearest(x: Any) -> float:
    """An end in binary64, rounded to nearest."""
    return x if isinstance(x, float) else _near(x)


def _near(x: Fraction) -> float:
    try:
        return x.numerator / x.denominator
    except OverflowError:
        return INF if x > 0 else -INF


def short(x: float) -> bool:
    """Whether a number has at most 26 significant bits: products of two such are exact."""
    split = SPLIT * x
    return split - (split - x) == x


def sums(a: float, b: float) -> tuple[float, float]:
    """Bounds of ``a + b`` of finite numbers."""
    total = a + b
    part = total - a
    error = (a - (total - part)) + (b - part)
    if error == 0:
        return total, total
    if error != error or math.isinf(total):
        return nextafter(total, -INF), nextafter(total, INF)
    return (total, nextafter(total, INF)) if error > 0 else (nextafter(total, -INF), total)


def products(a: float, b: float) -> tuple[float, float]:
    """Bounds of ``a * b`` of finite numbers."""
    product = a * b
    if a == 0 or b == 0:
        return 0.0, 0.0
    if 1 / SAFE < abs(product) < SAFE and short(a) and short(b):
        return product, product
    return nextafter(product, -INF), nextafter(product, INF)


def quotients(a: float, b: float) -> tuple[float, float]:
    """Bounds of ``a / b`` of finite numbers, ``b`` no zero."""
    quotient = a / b
    if a == 0:
        return 0.0, 0.0
    if 1 / SAFE < abs(quotient) < SAFE and short(quotient) and short(b) and quotient * b == a:
        return quotient, quotient
    return nextafter(quotient, -INF), nextafter(quotient, INF)


def finite(a: Interval) -> bool:
    """Whether both ends are numbers, and there is one between them."""
    return a.lo <= a.hi and a.lo - a.lo == 0 == a.hi - a.hi


class Doubles(Reals):
    """Arithmetic of one narrow float dtype without rounding, between ends in binary64."""

    def __init__(self, numerics: Any, dtype: str) -> None:
        super().__init__(numerics, dtype, WORKING)
        self.zero, self.one = Interval(0.0, 0.0), Interval(1.0, 1.0)
        self._functions: dict[str, Callable[[Payload], Payload]] = {}
        add = self._quick(self._plus, self.add)
        self.add: Any = double_ends.adding(add)
        self.sub: Any = double_ends.adding(lambda a, b: add(a, self.neg(b)), minus=True)
        self.mul: Any = double_ends.multiplying(self._quick(self._times, self.mul))
        self.div: Any = double_ends.dividing(self._quick(self._over, self.div))
        self.maximum: Any = double_ends.extreme(max, self.maximum)
        self.minimum: Any = double_ends.extreme(min, self.minimum)
        self.floormod: Any = double_ends.remaining(self.floormod)
        self.less: Any = double_ends.less(self.less)

    # --- payloads

    def lit(self, value: int | float | Fraction) -> Payload:
        if isinstance(value, float):
            return Interval(INF, -INF, True) if value != value else Interval(value, value)
        if value.__class__ is int and abs(value) < EXACT:
            return Interval(float(value), float(value))
        return outward(super().lit(value))

    def from_bits(self, pattern: int) -> Payload:
        return self.lit(float(bits.decode(self.dtype, pattern)))

    def kept(self, lo: Any, hi: Any, nan: bool, mark: str | None) -> Interval:
        return outward(Interval(lo, hi, nan, mark))

    def _product(self, a: Interval, b: Interval) -> Interval:
        return super()._product(inward(a), inward(b) if a is not b else inward(a))

    def _quotient(self, a: Interval, b: Interval) -> Interval:
        return super()._quotient(inward(a), inward(b))

    def _sum(self, a: Interval, b: Interval) -> Interval:
        return super()._sum(inward(a), inward(b))

    def _floor(self, a: Interval) -> Interval:
        return super()._floor(inward(a))

    def _remainder(self, a: Interval, b: Interval, how: str) -> Interval:
        return super()._remainder(inward(a), inward(b), how)

    # --- arithmetic

    @staticmethod
    def _quick(
        ends: Callable[[Interval, Interval], Interval | None], slow: Callable[[Payload, Payload], Payload]
    ) -> Callable[[Payload, Payload], Payload]:
        def apply(a: Payload, b: Payload) -> Payload:
            if a.__class__ is Interval and b.__class__ is Interval and finite(a) and finite(b):
                found = ends(a, b)
                if found is not None:
                    return found
            return slow(a, b)

        return apply

    @staticmethod
    def _plus(a: Interval, b: Interval) -> Interval | None:
        low, high = sums(a.lo, b.lo)
        if a.lo != a.hi or b.lo != b.hi:
            high = sums(a.hi, b.hi)[1]
        return Interval(low, high, a.nan or b.nan, a.rule or b.rule)

    @staticmethod
    def _times(a: Interval, b: Interval) -> Interval | None:
        nan, mark = a.nan or b.nan, a.rule or b.rule
        if a.lo == a.hi and b.lo == b.hi:
            low, high = products(a.lo, b.lo)
            return Interval(low, high, nan, mark)
        if a is b:
            least, most = abs(a.lo), abs(a.hi)
            near = 0.0 if a.lo <= 0 <= a.hi else min(least, most)
            return Interval(products(near, near)[0], products(max(least, most), max(least, most))[1], nan, mark)
        ends = [products(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
        return Interval(min(e[0] for e in ends), max(e[1] for e in ends), nan, mark)

    @staticmethod
    def _over(a: Interval, b: Interval) -> Interval | None:
        if b.lo <= 0 <= b.hi:
            return None
        nan, mark = a.nan or b.nan, a.rule or b.rule
        if a.lo == a.hi and b.lo == b.hi:
            low, high = quotients(a.lo, b.lo)
            return Interval(low, high, nan, mark)
        ends = [quotients(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
        return Interval(min(e[0] for e in ends), max(e[1] for e in ends), nan, mark)

    def dot(self, a: Iterable[Payload], b: Iterable[Payload], source: str, acc: str | None = None) -> Payload:
        """Elements of binary64 have rationals as ends, which may lie beyond its own numbers once multiplied. Their
        bound is an infinity then, of which nothing says that it is none: the sum is taken in rationals."""
        if source != "float64":
            return super().dot(a, b, source, acc)
        left, right = list(a), list(b)
        first, second = ([x if isinstance(x, Poison) else outward(x) for x in family] for family in (left, right))
        found = super().dot(first, second, source, acc)
        if isinstance(found, Poison) or finite(found):
            return found
        exact = self.numerics.at(source).dot(left, right, source)
        return exact if isinstance(exact, Poison) else outward(exact)

    # --- functions

    def math(self, name: str) -> Callable[[Payload], Payload]:
        found = self._functions.get(name)
        if found is None:
            found = self._functions[name] = self._math(name)
        return found

    def _math(self, name: str) -> Callable[[Payload], Payload]:
        slow = super().math(name)
        if FUNCTIONS[name].exact and name not in ("abs", "square"):
            return self._exact(FUNCTIONS[name].double, slow)
        if name == "square":
            return lambda a: self.mul(a, a)
        if name not in STEEP and name not in PERIODIC:
            return lambda a: slow(a if isinstance(a, Poison) else inward(a))
        double = FUNCTIONS[name].double
        quick = partial(self._wave, double) if name in PERIODIC else self._steep(name, double)

        def apply(a: Payload) -> Payload:
            if a.__class__ is Interval and finite(a):
                found = quick(a)
                if found is not None:
                    return found
            return slow(a if isinstance(a, Poison) else inward(a))

        return apply

    @staticmethod
    def _exact(double: Callable[[float], float], slow: Callable[[Payload], Payload]) -> Callable[[Payload], Payload]:
        """A function that steps up between integers."""

        def apply(a: Payload) -> Payload:
            if a.__class__ is not Interval or not finite(a):
                return slow(a if isinstance(a, Poison) else inward(a))
            low = double(a.lo) + 0.0
            return Interval(low, low if a.lo == a.hi else double(a.hi) + 0.0, a.nan, a.rule)

        return apply

    @staticmethod
    def _steep(name: str, double: Callable[[float], float]) -> Callable[[Interval], Interval | None]:
        """A monotone function by the C library; ``None`` where that does not answer."""
        falls, root = name in DECREASING, name == "sqrt"

        def quick(a: Interval) -> Interval | None:
            first, last = (a.hi, a.lo) if falls else (a.lo, a.hi)
            try:
                low = double(first)
                high = low if first == last else double(last)
            except (ValueError, OverflowError, ZeroDivisionError):
                return None
            if not (1e-290 < abs(low) < 1e290 and 1e-290 < abs(high) < 1e290):
                return None
            if root and low == high and short(low) and low * low == a.lo:
                return Interval(low, low, a.nan, a.rule)
            return Interval(low - abs(low) * MARGIN, high + abs(high) * MARGIN, a.nan, a.rule)

        return quick

    @staticmethod
    def _wave(double: Callable[[float], float], a: Interval) -> Interval | None:
        """A sine or a cosine over a short interval: as far from that of its middle as the interval is long."""
        reach = a.hi - a.lo
        if reach > SHORT or abs(a.lo) > FAR or a.lo == a.hi == 0:
            return None
        value = double(a.lo)
        reach = reach * (1 + MARGIN) + abs(value) * MARGIN + TINY
        return Interval(max(value - reach, -1.0), min(value + reach, 1.0), a.nan, a.rule)

    def math2(self, name: str) -> Callable[[Payload, Payload], Payload]:
        if name in FUNCTIONS2:
            found = self._binary(lambda a, b: FUNCTIONS2[name](inward(a), inward(b), self.precision))
            return self._power(found) if name == "pow" else found
        return super().math2(name)

    def reduce(self, op: Any, items: Iterable[Payload], acc: str | None = None) -> Payload:
        pool = list(items)
        if op in ("add", "maximum", "minimum") and double_ends.plain(pool):
            if op == "add":
                return double_ends.total(pool)
            pick: Any = max if op == "maximum" else min
            return Interval(pick([x.lo for x in pool]), pick([x.hi for x in pool]))
        return super().reduce(op, pool, acc)


def inward(a: Interval) -> Interval:
    """Ends as rationals."""
    lo: Any = a.lo if abs(a.lo) == INF else Fraction(a.lo)
    hi: Any = a.hi if abs(a.hi) == INF else lo if a.lo == a.hi else Fraction(a.hi)
    return Interval(lo, hi, a.nan, a.rule)


def outward(a: Interval) -> Interval:
    """Ends in binary64."""
    lo: Any = a.lo if isinstance(a.lo, float) else below(a.lo)
    hi: Any = a.hi if isinstance(a.hi, float) else above(a.hi)
    return Interval(lo, hi, a.nan, a.rule)


__all__ = ["WORKING", "Doubles", "above", "below", "nearest"]
