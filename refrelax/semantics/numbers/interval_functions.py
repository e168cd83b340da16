"""Elementary functions on intervals: monotone pieces, extremes, poles, then the permitted ulps.

Ends come from the correctly rounded functions of ``ieee``; an end is then moved outwards by the table of ``bounds``.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from refrelax.semantics.numbers import elementary
from refrelax.semantics.numbers.bounds import ABSOLUTE, NARROW, OF_ONE, PERMITTED_ULPS, permitted_ulps
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.intervals import INF, Interval, make
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.rounding import has_infinity, has_nan, largest, smallest, smallest_normal
from refrelax.semantics.numbers.special import DOMAIN, exact_at_zero
from refrelax.syntax import bits

DECREASING = frozenset(name for name, f in FUNCTIONS.items() if f.shape == "falling")
EVEN = frozenset(name for name, f in FUNCTIONS.items() if f.shape == "even")
PERIODIC = frozenset(name for name, f in FUNCTIONS.items() if f.shape == "wave")
NONNEGATIVE = frozenset(name for name, f in FUNCTIONS.items() if f.no_less) | {"hypot", "softplus"}
FAR = 2.0**40
"""Beyond this argument the period is not reduced: an interval (not a point) then covers the whole range."""


class Inflation:
    """Moves ends outwards by the permitted ulps of one dtype."""

    def __init__(self, dtype: str) -> None:
        f = bits.FORMATS[dtype]
        self.dtype = dtype
        self.precision = f.mantissa_bits + 1
        self.scale = 2.0 ** (53 - self.precision)
        self.least = smallest(dtype)
        self.largest = largest(dtype)
        self.normal = smallest_normal(dtype)
        self.infinite = has_infinity(dtype)
        self.nan = has_nan(dtype)
        self.whole = self.infinite and self.nan
        self.signed = f.signed
        self._terms: dict[str, tuple[float, float, float]] = {}
        self._about: dict[str, Callable[[Payload], Payload]] = {}

    def ulp(self, x: float) -> float:
        """The unit in the last place of the format at a finite ``x``."""
        return max(math.ulp(x) * self.scale, self.least)

    def slack(self, name: str, x: float) -> float:
        """How far a permitted result may lie from the correctly rounded one, ``x`` (half an ulp of which is its own
        error).
        """
        terms = self._terms.get(name)
        if terms is None:
            terms = self._terms[name] = self._allowance(name)
        ulps, of_one, absolute = terms
        if ulps <= 0.5:
            return 0.0
        unit = max(math.ulp(x) * self.scale, self.least)
        if of_one:
            ulps = max(ulps, of_one / unit)
        return (ulps + 0.5) * unit + absolute

    def _allowance(self, name: str) -> tuple[float, float, float]:
        """Units in the last place, of the result and of 1, and the absolute slack."""
        of_one = OF_ONE.get(name, 0.0) * self.ulp(1.0) if self.precision >= NARROW else 0.0
        return permitted_ulps(name, self.precision), of_one, ABSOLUTE.get(name, 0.0) * self.normal

    def around(self, name: str, lo: Payload, hi: Payload, rule: str | None = None, nan: bool = False) -> Payload:
        """The permitted results between two correctly rounded ones; NaN ends mean an overflow of a format without
        infinity.
        """
        if isinstance(lo, Poison) or isinstance(hi, Poison):
            return make(-self.largest, self.largest, nan, rule or (lo if isinstance(lo, Poison) else hi).rule)
        if lo - lo == 0 == hi - hi and not nan and rule is None:
            below = self.slack(name, lo)
            low, high = lo - below, hi + (below if lo == hi else self.slack(name, hi))
            if -self.largest <= low and high <= self.largest:
                if low < 0 <= lo and (name in NONNEGATIVE or name in OF_ONE):
                    low = 0.0
                if hi <= 0 < high and name in OF_ONE:
                    high = 0.0
                return low if low == high else Interval(low, high)
        if lo != lo or hi != hi:
            return make(-self.largest, self.largest, True, rule)
        low, high = self._down(name, lo), self._up(name, hi)
        if (name in NONNEGATIVE or name in OF_ONE) and lo >= 0:
            low = max(low, 0.0)
        if name in OF_ONE and hi <= 0:
            high = min(high, 0.0)
        return make(low, high, nan or (not self.infinite and self.nan and high > self.largest), rule)

    def about(self, name: str) -> Callable[[Payload], Payload]:
        """``around`` one result."""
        found = self._about.get(name)
        if found is None:
            found = self._about[name] = self._moving(name)
        return found

    def _moving(self, name: str) -> Callable[[Payload], Payload]:
        """``around(name, x, x)``, with ``slack`` written out where it counts units of the result alone."""
        ulps, of_one, absolute = self._allowance(name)
        scale, least, largest, ulp = self.scale, self.least, self.largest, math.ulp
        units = ulps + 0.5

        def about(x: Payload) -> Payload:
            if x.__class__ is float and x - x == 0:
                unit = ulp(x) * scale
                slack = units * (unit if unit > least else least) + absolute
                low, high = x - slack, x + slack
                if (low > 0 or high < 0) and -largest <= low and high <= largest:
                    return Interval(low, high) if low != high else low
            return self.around(name, x, x)

        return (lambda x: self.around(name, x, x)) if ulps <= 0.5 or of_one else about

    def _down(self, name: str, lo: float) -> float:
        if lo == -INF:
            return lo
        if lo == INF:
            return self.largest - self.slack(name, self.largest)
        low = lo - self.slack(name, lo)
        return -INF if low < -self.largest and self.infinite else low

    def _up(self, name: str, hi: float) -> float:
        if hi == INF:
            return hi
        if hi == -INF:
            return -self.largest + self.slack(name, self.largest)
        high = hi + self.slack(name, hi)
        return INF if high > self.largest and self.infinite else high


def interval_function(name: str, dtype: str) -> Callable[[Interval], Payload]:
    """``name`` on intervals of ``dtype``."""
    correct = elementary.function(name, dtype)
    inflate = Inflation(dtype)
    low_end, high_end = DOMAIN.get(name, (-INF, INF))

    monotone = name not in EVEN and name not in PERIODIC and name not in ("tan", "rsqrt")
    falls = name in DECREASING

    def apply(a: Interval) -> Payload:
        if monotone and low_end <= a.lo <= a.hi <= high_end:
            first, last = (a.hi, a.lo) if falls else (a.lo, a.hi)
            return inflate.around(name, correct(first), correct(last), a.rule, a.nan)
        lo, hi = max(a.lo, low_end), min(a.hi, high_end)
        nan = a.nan or a.lo < low_end or a.hi > high_end
        if lo > hi:
            return make(INF, -INF, nan, a.rule)
        if name in EVEN:
            near = 0.0 if lo <= 0 <= hi else min(abs(lo), abs(hi))
            return inflate.around(name, correct(near), correct(max(abs(lo), abs(hi))), a.rule, nan)
        if name in PERIODIC:
            return _wave(name, correct, inflate, lo, hi, a.rule, nan)
        if name == "tan":
            return _tangent(correct, inflate, lo, hi, a.rule, nan)
        if name == "rsqrt" and lo == 0:
            # the sign of a zero is not kept, and decides the sign of the infinity
            return make(-INF, INF, nan, a.rule)
        if name in DECREASING:
            lo, hi = hi, lo
        return inflate.around(name, correct(lo), correct(hi), a.rule, nan)

    return apply


def point_function(name: str, dtype: str) -> Callable[[float], Payload]:
    """``name`` at one number, with the permitted ulps; exactly known results stay points."""
    correct = elementary.function(name, dtype)
    if PERMITTED_ULPS[name] <= 0.5:
        return correct
    inflate = Inflation(dtype)
    about = inflate.about(name)

    def apply(x: float) -> Payload:
        result = correct(x)
        if x and x - x == 0 and result.__class__ is float and result - result == 0:
            return about(result)
        if isinstance(result, Poison) or result != result or math.isinf(x) or exact_at_zero(x, result):
            return result  # num/special-values: no allowance applies
        if name == "rsqrt" and x == 0:
            return make(-INF, INF)
        if math.isinf(result) and name in ("log", "log2", "log10", "log1p", "atanh"):
            return result
        return inflate.around(name, result, result)

    return apply


def _wave(
    name: str,
    correct: Callable[[float], Payload],
    inflate: Inflation,
    lo: float,
    hi: float,
    rule: str | None,
    nan: bool,
) -> Payload:
    """``sin`` and ``cos`` over an interval: ends, and the extremes that lie inside."""
    if math.isinf(lo) or math.isinf(hi):
        return make(-1.0 - inflate.slack(name, 1.0), 1.0 + inflate.slack(name, 1.0), True, rule)
    if lo == hi:
        return inflate.around(name, correct(lo), correct(lo), rule, nan)
    if max(abs(lo), abs(hi)) > FAR:
        return inflate.around(name, -1.0, 1.0, rule, nan)
    first, second = correct(lo), correct(hi)
    peak = math.pi / 2 if name == "sin" else 0.0
    top = 1.0 if _holds_multiple(lo, hi, peak) else max(first, second)
    bottom = -1.0 if _holds_multiple(lo, hi, peak + math.pi) else min(first, second)
    return inflate.around(name, bottom, top, rule, nan)


def _holds_multiple(lo: float, hi: float, offset: float) -> bool:
    """Whether ``offset + 2 pi k`` lies in ``[lo, hi]`` for some integer ``k``, in doubt yes."""
    doubt = 1e-9 * max(1.0, abs(lo), abs(hi))
    turns = math.ceil((lo - offset - doubt) / (2 * math.pi))
    return offset + turns * 2 * math.pi <= hi + doubt


def _tangent(
    correct: Callable[[float], Payload], inflate: Inflation, lo: float, hi: float, rule: str | None, nan: bool
) -> Payload:
    if math.isinf(lo) or math.isinf(hi):
        return make(-INF, INF, True, rule)
    if lo != hi and (max(abs(lo), abs(hi)) > FAR or _holds_multiple(2 * lo, 2 * hi, math.pi)):
        return make(-INF, INF, nan, rule)
    return inflate.around("tan", correct(lo), correct(hi), rule, nan)


# --- two arguments ---------------------------------------------------------------------------------------------------


def interval_function2(name: str, dtype: str) -> Callable[[Interval, Interval], Payload]:
    """``pow``, ``atan2``, ``hypot``, ``copysign``, ``nextafter`` or ``fmod`` on intervals that hold numbers."""
    correct = elementary.function2(name, dtype)
    inflate = Inflation(dtype)

    def corners(a: Interval, b: Interval, nan: bool) -> Payload:
        values = [correct(x, y) for x in {a.lo, a.hi} for y in {b.lo, b.hi}]
        if any(isinstance(v, Poison) or v != v for v in values):
            return make(-INF, INF, True)
        return inflate.around(name, min(values), max(values), None, nan)

    def apply(a: Interval, b: Interval) -> Payload:
        return _REGIONS[name](a, b, corners, dtype)

    return apply


Corners = Callable[[Interval, Interval, bool], Payload]


def _pow(a: Interval, b: Interval, corners: Corners, dtype: str) -> Payload:
    if a.lo > 0:
        # around x = 1 or y = 0 with an infinite other operand the corners jump, so the middle is added
        if math.isinf(b.lo) or math.isinf(b.hi) or math.isinf(a.hi):
            return make(0.0, INF)
        return corners(a, b, False)
    if a.lo == a.hi and b.lo == b.hi:
        if a.lo == 0 and -INF < b.lo < 0 and b.lo % 2 == 1:
            # the sign of a zero is not kept, and decides the sign of the infinity
            return make(-INF, INF)
        return corners(a, b, False)
    if b.lo == b.hi and 0 < b.lo < INF and b.lo == math.floor(b.lo):
        if math.fmod(b.lo, 2.0):
            return corners(a, b, False)
        near = 0.0 if a.lo <= 0 <= a.hi else min(abs(a.lo), abs(a.hi))
        return corners(Interval(near, max(abs(a.lo), abs(a.hi))), b, False)
    return make(-INF, INF, a.lo < 0)


def _atan2(a: Interval, b: Interval, corners: Corners, dtype: str) -> Payload:
    crosses = a.lo <= 0 <= a.hi and b.lo <= 0
    if not crosses:
        return corners(a, b, False)
    half_turn = elementary.function2("atan2", dtype)(0.0, -1.0)
    return Inflation(dtype).around("atan2", -half_turn, half_turn)


def _hypot(a: Interval, b: Interval, corners: Corners, dtype: str) -> Payload:
    return corners(_magnitude(a), _magnitude(b), False)


def _magnitude(a: Interval) -> Interval:
    return Interval(0.0 if a.lo <= 0 <= a.hi else min(abs(a.lo), abs(a.hi)), max(abs(a.lo), abs(a.hi)))


def _copysign(a: Interval, b: Interval, corners: Corners, dtype: str) -> Payload:
    size = _magnitude(a)
    if b.lo > 0:
        return make(size.lo, size.hi)
    if b.hi < 0:
        return make(-size.hi, -size.lo)
    return make(-size.hi, size.hi)


def _nextafter(a: Interval, b: Interval, corners: Corners, dtype: str) -> Payload:
    inflate = Inflation(dtype)
    low = a.lo - inflate.ulp(a.lo) if math.isfinite(a.lo) else min(a.lo, inflate.largest)
    high = a.hi + inflate.ulp(a.hi) if math.isfinite(a.hi) else max(a.hi, -inflate.largest)
    limit = INF if inflate.infinite else inflate.largest
    return make(min(low, limit), max(high, -limit) if high <= inflate.largest else limit, not inflate.infinite)


def _fmod(a: Interval, b: Interval, corners: Corners, dtype: str) -> Payload:
    limit = min(_magnitude(a).hi, _magnitude(b).hi)
    nan = b.lo <= 0 <= b.hi or math.isinf(a.lo) or math.isinf(a.hi)
    return make(-limit if a.lo < 0 else 0.0, limit if a.hi > 0 else 0.0, nan)


_REGIONS: dict[str, Callable[[Interval, Interval, Corners, str], Payload]] = {
    "pow": _pow, "atan2": _atan2, "hypot": _hypot, "copysign": _copysign, "nextafter": _nextafter, "fmod": _fmod,
}  # fmt: skip
