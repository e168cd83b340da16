"""Floating-point arithmetic under ``enclosure``: points as in ``ieee``, intervals by their ends.

Rounding is monotone, so the ends of the exact result, rounded, bound every correctly rounded result.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from refrelax.errors import InternalError, NoBits
from refrelax.rules import rule
from refrelax.semantics.numbers import base, elementary, floats, interval_ends, intsets
from refrelax.semantics.numbers.bounds import PERMITTED_ULPS
from refrelax.semantics.numbers.floats import Floats
from refrelax.semantics.numbers.interface import Numerics, Payload, Truth
from refrelax.semantics.numbers.interval_functions import (
    Inflation,
    interval_function,
    interval_function2,
    point_function,
)
from refrelax.semantics.numbers.intervals import (
    INF,
    Interval,
    as_interval,
    joined,
    make,
    narrow,
    product_ends,
    with_rule,
)
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.real_steps import Ideal, floor_quotient, floor_remainder, rounded, rounded_finite
from refrelax.semantics.numbers.rounding import rounder
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.syntax import dtypes

Ends = tuple[float, float, bool]

BEYOND = sys.float_info.max
"""The greatest number of binary64."""


def add_ends(a: Interval, b: Interval) -> Ends:
    """Least and greatest exact sum (as doubles) and whether inf − inf occurs."""
    clash = (a.hi == INF and b.lo == -INF) or (a.lo == -INF and b.hi == INF)
    lo, hi = a.lo + b.lo, a.hi + b.hi
    # where an end is itself inf − inf, the numbers next to it decide
    return (INF if lo != lo else lo), (-INF if hi != hi else hi), clash


def sub_ends(a: Interval, b: Interval) -> Ends:
    return add_ends(a, Interval(-b.hi, -b.lo))


def mul_ends(a: Interval, b: Interval) -> Ends:
    if a is b:
        return square_ends(a)
    return product_ends(a, b)


def square_ends(a: Interval) -> Ends:
    low, high = abs(a.lo), abs(a.hi)
    least = 0.0 if a.lo <= 0 <= a.hi else min(low, high)
    return least * least, max(low, high) * max(low, high), False


def div_ends(a: Interval, b: Interval) -> Ends:
    if a.lo == a.hi == b.lo == b.hi == 0:
        return INF, -INF, True
    if b.lo <= 0 <= b.hi:
        return -INF, INF, a.lo <= 0 <= a.hi or ((a.lo == -INF or a.hi == INF) and (b.lo == -INF or b.hi == INF))
    clash = (a.lo == -INF or a.hi == INF) and (b.lo == -INF or b.hi == INF)
    quotients = [floats.divide(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    known = [0.0 if q != q else q for q in quotients]
    if clash:
        return (-INF if min(known) < 0 or a.lo < 0 < b.hi or b.lo < 0 else 0.0), INF, True
    return min(known), max(known), False


def _same(a: Interval, b: Interval) -> bool:
    return a.lo == a.hi == b.lo == b.hi


def _apart(a: Interval, b: Interval) -> bool:
    return a.hi < b.lo or b.hi < a.lo


class IntervalFloats(Floats):
    """Arithmetic of one float dtype on floats, ``Interval`` and ``Poison``."""

    signed_zeros = False
    """Whether a zero is one of its sign: here it is either."""

    def __init__(self, numerics: Numerics, dtype: str) -> None:
        super().__init__(numerics, dtype)
        self.inflate = Inflation(dtype)
        self._wide_math: dict[str, Callable[[Payload], Payload]] = {}
        self._ideals: dict[int, tuple[Ideal, Callable[..., Payload | None]]] = {}
        self._wide_math2: dict[str, Callable[[Payload, Payload], Payload]] = {}
        plain = {"add": self.add, "sub": self.sub, "mul": self.mul, "div": super().div}
        ends = {"add": add_ends, "sub": sub_ends, "mul": mul_ends}
        general = {name: self._binary(plain[name], each) for name, each in ends.items()} | {"div": self._divide}
        found = interval_ends.quick(dtype, plain, general)
        self.add, self.sub, self.mul = found["add"], found["sub"], found["mul"]
        self.div: Any = found["div"]
        self.neg: Any = interval_ends.negating(dtype, self._negated)
        self.less = self._test(base.less, lambda a, b: a.hi < b.lo, lambda a, b: a.lo >= b.hi, False)
        self.less_equal = self._test(base.less_equal, lambda a, b: a.hi <= b.lo, lambda a, b: a.lo > b.hi, False)
        self.equal = self._test(base.equal, _same, _apart, False)
        self.not_equal = self._test(base.not_equal, _apart, _same, True)

    # --- rounding ends ------------------------------------------------------------------------------------------------

    def fit(self, lo: float, hi: float, nan: bool = False, rule: str | None = None) -> Payload:
        """The numbers between two exact values, rounded to the dtype."""
        if lo > hi:
            return self.legal(Interval(INF, -INF, nan, rule))
        if lo <= 0 <= hi and not (self.inflate.signed or self.signed_zeros):  # one of both zeros is no number there
            nan = True
        low, high = self.round(lo), self.round(hi)
        if low == high != 0 and not nan and rule is None and self.inflate.whole:
            return low
        if low != low or high != high:  # a format without infinity: what is beyond its range is NaN
            nan, limit = True, self.inflate.largest
            low = low if low == low else INF if lo > 0 else -limit if self.inflate.signed else self.inflate.least
            high = high if high == high else -INF if hi < 0 else limit
            if low > high:
                low, high = INF, -INF
        return self.legal(Interval(low, high, nan, rule))

    def legal(self, a: Payload) -> Payload:
        """``a`` without what the format does not have: infinities become NaN, NaN becomes poison ``num/no-nan``."""
        if self.inflate.whole:
            return narrow(a) if a.__class__ is Interval else a
        if isinstance(a, Poison):
            return a
        a = as_interval(a)
        lo, hi, nan, rule, limit = a.lo, a.hi, a.nan, a.rule, self.inflate.largest
        if lo <= hi and not self.inflate.infinite and (lo < -limit or hi > limit):
            lo, hi, nan = max(lo, -limit), min(hi, limit), nan or self.inflate.nan
            if lo > hi:
                lo, hi = INF, -INF
        if nan and not self.inflate.nan:
            nan, rule = False, rule or "num/no-nan"
        return make(lo, hi, nan, rule)

    def _binary(
        self, plain: Callable[[Payload, Payload], Payload], ends: Callable[[Interval, Interval], Ends]
    ) -> Callable[[Payload, Payload], Payload]:
        def apply(a: Payload, b: Payload) -> Payload:
            if a.__class__ is float and b.__class__ is float:
                return plain(a, b)
            if isinstance(a, Poison):
                return a
            if isinstance(b, Poison):
                return b
            return self._combine(as_interval(a), as_interval(b) if a is not b else None, ends)

        return apply

    def _combine(self, x: Interval, other: Interval | None, ends: Callable[[Interval, Interval], Ends]) -> Payload:
        y = x if other is None else other
        nan, rule = x.nan or y.nan, x.rule or y.rule
        if x.lo > x.hi or y.lo > y.hi:
            return self.fit(INF, -INF, nan, rule)
        lo, hi, clash = ends(x, y)
        return self.fit(lo, hi, nan or clash, rule)

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def _divide(self, a: Payload, b: Payload) -> Payload:
        if a.__class__ is float and b.__class__ is float and b != 0:
            return Floats.div(self, a, b)
        if isinstance(a, Poison) or isinstance(b, Poison):
            return a if isinstance(a, Poison) else b
        return self._combine(as_interval(a), as_interval(b), div_ends)

    def mod(self, a: Payload, b: Payload) -> Payload:
        return self.math2("fmod")(a, b)

    @rule("num/exact-is-permitted")
    def floordiv(self, a: Payload, b: Payload) -> Payload:
        quotient = self.div(a, b)
        whole = self.math("floor")(quotient)
        if whole.__class__ is quotient.__class__ is float and whole < quotient and self.inflate.whole:
            # rounding keeps order: the real quotient is between the same two integers
            return whole or self.legal(Interval(0.0, 0.0))
        return self._or_exact(whole, floor_quotient, a, b)

    @rule("num/exact-is-permitted")
    def floormod(self, a: Payload, b: Payload) -> Payload:
        return self._or_exact(super().floormod(a, b), floor_remainder, a, b)

    def _or_exact(
        self, stepwise: Payload, exact: Callable[[str, float, float], Payload], a: Payload, b: Payload
    ) -> Payload:
        """The result of the steps, or that of real numbers rounded once (of points: intervals are wide enough)."""
        if a.__class__ is b.__class__ is float and b and a - a == 0 == b - b:
            once = exact(self.dtype, a, b)
            if stepwise.__class__ is once.__class__ is float and self.inflate.whole:  # once an element: written out
                if stepwise < once:
                    return Interval(stepwise, once)
                if once < stepwise:
                    return Interval(once, stepwise)
                if once == stepwise != 0:
                    return stepwise
            return self.legal(as_interval(joined([stepwise, once])))
        return stepwise

    def _negated(self, a: Payload) -> Payload:
        if not isinstance(a, Interval):
            return Floats.neg(self, a)
        return self.fit(-a.hi, -a.lo, a.nan, a.rule)

    @rule("num/nan-in-extremes")
    def maximum(self, a: Payload, b: Payload) -> Payload:
        return self._extreme(a, b, max, super().maximum)

    @rule("num/nan-in-extremes")
    def minimum(self, a: Payload, b: Payload) -> Payload:
        return self._extreme(a, b, min, super().minimum)

    def _extreme(self, a: Payload, b: Payload, pick: Callable[..., float], plain: Callable[..., Payload]) -> Payload:
        if a.__class__ is float and b.__class__ is float and a == a and b == b:
            return plain(a, b)
        if isinstance(a, Poison) or isinstance(b, Poison):
            return a if isinstance(a, Poison) else b
        x, y = as_interval(a), as_interval(b)
        found = [Interval(pick(x.lo, y.lo), pick(x.hi, y.hi))] if not (x.empty or y.empty) else []
        if x.nan:
            found.append(Interval(y.lo, y.hi, True))
        if y.nan:
            found.append(Interval(x.lo, x.hi, True))
        return with_rule(joined(found or [Interval(INF, -INF)]), x.rule or y.rule)

    @rule("num/fma-rounds-once")
    def fma(self, a: Payload, b: Payload, c: Payload) -> Payload:
        if a.__class__ is float and b.__class__ is float and c.__class__ is float:
            return super().fma(a, b, c)
        for each in (a, b, c):
            if isinstance(each, Poison):
                return each
        x, y, z = as_interval(a), as_interval(b), as_interval(c)
        nan, rule = x.nan or y.nan or z.nan, x.rule or y.rule or z.rule
        if x.empty or y.empty or z.empty:
            return self.fit(INF, -INF, nan, rule)
        low, high, clash = square_ends(x) if a is b else product_ends(x, y)
        if (
            max(map(abs, (x.lo, x.hi, y.lo, y.hi))) < INF
        ):  # beyond binary64 a product is a number: one added brings it back
            low, high = min(low, BEYOND), max(high, -BEYOND)
        lo, hi, also = add_ends(Interval(_out(low, -1), _out(high, 1)), z)
        return self.fit(_out(lo, -1), _out(hi, 1), nan or clash or also, rule)

    def math(self, name: str) -> Callable[[Payload], Payload]:
        found = self._wide_math.get(name)
        if found is None:
            found = self._wide_math[name] = self._lifted(
                point_function(name, self.dtype), interval_function(name, self.dtype), name
            )
        return found

    def _lifted(
        self, point: Callable[[float], Payload], wide: Callable[[Interval], Payload], name: str
    ) -> Callable[[Payload], Payload]:
        whole = self.inflate.whole  # what the point's function gives is narrow, and legal in such a format

        def apply(a: Payload) -> Payload:
            if a.__class__ is float:
                return point(a) if whole else self.legal(point(a))
            if isinstance(a, Poison):
                return a
            found = wide(as_interval(a))
            return found if isinstance(found, Poison) else self.legal(as_interval(found))

        return apply

    def math2(self, name: str) -> Callable[[Payload, Payload], Payload]:
        found = self._wide_math2.get(name)
        if found is None:
            found = self._wide_math2[name] = self._ldexp if name == "ldexp" else self._lifted2(name)
        return found

    def _lifted2(self, name: str) -> Callable[[Payload, Payload], Payload]:
        plain, wide = elementary.function2(name, self.dtype), interval_function2(name, self.dtype)
        exact = PERMITTED_ULPS[name] <= 0.5 and name != "copysign"

        def apply(a: Payload, b: Payload) -> Payload:
            if isinstance(a, Poison) or isinstance(b, Poison):
                return a if isinstance(a, Poison) else b
            if a.__class__ is float and b.__class__ is float:
                result = plain(a, b)
                if isinstance(result, Poison):
                    return result
                special = not math.isfinite(a) or not math.isfinite(b) or (name == "pow" and 0 in (a, b))
                # the sign of a zero is not kept, and decides a half turn and which infinity
                is_open = name == "copysign" or (a == 0 and b < 0 and name in ("pow", "atan2"))
                if exact or result != result or (special and not is_open):
                    return result
                if name == "copysign" and b == b and (b or self.signed_zeros):
                    return result
            x, y = as_interval(a), as_interval(b)
            nan, rule = x.nan or y.nan, x.rule or y.rule
            if name == "copysign" and y.nan:  # the sign of a NaN is open
                nan, y = x.nan, Interval(-1.0, 1.0)
            if x.empty or y.empty:
                # pow(x, 0) and pow(1, y) are 1 and hypot(inf, y) is inf even for NaN
                ends = {"pow": (1.0, 1.0), "hypot": (INF, INF)}.get(name, (INF, -INF))
                return self.legal(Interval(*ends, nan, rule))
            numbers = wide(x, y)
            if nan:
                numbers = joined([numbers, math.nan, *([1.0] if name == "pow" else [INF] if name == "hypot" else [])])
            return self.legal(as_interval(with_rule(numbers, rule)))

        return apply

    def _ldexp(self, a: Payload, n: Payload) -> Payload:
        if isinstance(a, Poison) or isinstance(n, Poison):
            return a if isinstance(a, Poison) else n
        x, count = as_interval(a), intsets.as_ints(n)
        if x.empty:
            return make(INF, -INF, x.nan, x.rule or count.rule)
        ends = [elementary.scaled(v, k) for v in (x.lo, x.hi) for k in (count.lo, count.hi)]
        return self.fit(min(ends), max(ends), x.nan, x.rule or count.rule)

    @rule("num/exact-is-permitted")
    def ideal(self, of: Ideal, *args: Payload) -> Payload:
        """Between the ends: the function rises in its first argument, but for one turn, and is monotone in a second."""
        quick = self._ideals.get(id(of))
        if quick is None:
            quick = self._ideals[id(of)] = of, self._at_numbers(of)
        found = quick[1](*args)
        if found is not None:
            return found
        for each in args:
            if isinstance(each, Poison):
                return each
        held = [as_interval(each) for each in args]
        nan, mark = any(x.nan for x in held), next((x.rule for x in held if x.rule), None)
        if any(x.empty for x in held):
            return self.legal(Interval(INF, -INF, nan, mark))
        first, rest = held[0], held[1:]
        low = [first.lo, *(x.hi if of.falls else x.lo for x in rest)]
        high = [first.hi, *(x.lo if of.falls else x.hi for x in rest)]
        ends = [rounded(of, self.dtype, tuple(low)), rounded(of, self.dtype, tuple(high))]
        if of.least is not None and first.lo <= of.least[0] <= first.hi:
            ends.append(self.round(of.least[1]))
        if any(isinstance(end, Poison) or end != end for end in ends):
            if all(x.lo == x.hi for x in held):  # `inf - inf`: no other number is possible
                return self.legal(Interval(INF, -INF, True, mark))
            return self.legal(Interval(-INF, INF, True, mark))
        return self.legal(as_interval(self.inflate.around(of.name, min(ends), max(ends), mark, nan)))

    def _at_numbers(self, of: Ideal) -> Callable[..., Payload | None]:
        """``ideal`` at finite numbers, where the function turns nowhere; ``None`` elsewhere."""
        if not self.inflate.whole or of.least is not None:
            return lambda *_: None
        dtype, about, double, to_format = self.dtype, self.inflate.about(of.name), of.double, rounder(self.dtype)
        quickly = double is not None and dtype != "float64"  # as in ``rounded_finite``, written out

        def at(*args: Payload) -> Payload | None:
            for each in args:
                if each.__class__ is not float or each - each != 0:
                    return None
            try:
                return about(to_format(double(*args)) if quickly else rounded_finite(of, dtype, args))  # type: ignore[misc]
            except OverflowError:
                return about(rounded_finite(of, dtype, args))

        return at

    # --- comparisons --------------------------------------------------------------------------------------------------

    def _test(
        self,
        plain: Callable[[Payload, Payload], Truth],
        surely: Callable[[Interval, Interval], bool],
        never: Callable[[Interval, Interval], bool],
        on_nan: bool,
    ) -> Callable[[Payload, Payload], Truth]:
        def apply(a: Payload, b: Payload) -> Truth:
            if a.__class__ is float and b.__class__ is float:
                return plain(a, b)
            if isinstance(a, Poison) or isinstance(b, Poison):
                return a if isinstance(a, Poison) else b
            x, y = as_interval(a), as_interval(b)
            nan = x.nan or y.nan
            true = nan and on_nan
            false = nan and not on_nan
            if not (x.empty or y.empty):
                certain, excluded = surely(x, y), never(x, y)
                true, false = true or not excluded, false or not certain
            return intsets.truths(true, false, x.rule or y.rule)

        return apply

    def isnan(self, a: Payload) -> Truth:
        if not isinstance(a, Interval):
            return super().isnan(a)
        return intsets.truths(a.nan, not a.empty, a.rule)

    def isinf(self, a: Payload) -> Truth:
        if not isinstance(a, Interval):
            return super().isinf(a)
        certain = not a.nan and not a.empty and (a.lo == INF or a.hi == -INF)
        return intsets.truths(not a.empty and (a.hi == INF or a.lo == -INF), not certain, a.rule)

    def isfinite(self, a: Payload) -> Truth:
        if not isinstance(a, Interval):
            return super().isfinite(a)
        finite = not a.empty and a.lo < INF and a.hi > -INF
        return intsets.truths(finite, a.nan or a.lo == -INF or a.hi == INF or not finite, a.rule)

    # --- choice and conversion ----------------------------------------------------------------------------------------

    def select(self, truth: Truth, a: Payload, b: Payload) -> Payload:
        if truth is TRUE:
            return a
        if truth is FALSE:
            return b
        return chosen(truth, a, b, joined)

    def key(self, a: Payload) -> Any:
        raise InternalError("an enclosure has no key")

    def to_bits(self, a: Payload) -> int:
        if isinstance(a, Interval):
            raise NoBits(f"the enclosure {a} has no bits")
        return super().to_bits(a)

    def reinterpret(self, a: Payload, source: str) -> Payload:
        if isinstance(a, (Interval, intsets.Ints)):
            return self.everything(a.rule)
        return super().reinterpret(a, source)

    def everything(self, rule: str | None = None) -> Payload:
        """All that the dtype can hold."""
        limit = INF if self.inflate.infinite else self.inflate.largest
        return make(-limit if self.inflate.signed else self.inflate.least, limit, self.inflate.nan, rule)

    def converter(self, source: str) -> Callable[[Payload], Payload]:
        plain = super().converter(source)
        known: dict[str, Callable[[Any], Payload]] = {"float": self._cast_interval, "bool": self._cast_truths}
        wide = known.get(dtypes.kind(source), self._cast_ints)
        kinds = (Interval, intsets.Ints, intsets.TruthSet)
        if not (self.inflate.signed or self.signed_zeros) and dtypes.is_float(source):
            return lambda a: wide(as_interval(a)) if isinstance(a, kinds) or a == 0 else plain(a)
        return lambda a: wide(a) if isinstance(a, kinds) else plain(a)

    def _cast_interval(self, a: Interval) -> Payload:
        return self.fit(a.lo, a.hi, a.nan, a.rule)

    def _cast_ints(self, a: intsets.Ints) -> Payload:
        if not a.count:
            return poison(a.rule or "num/cast-range")
        ends = [self._from_integer(a.lo), self._from_integer(a.hi)]
        if ends[0] != ends[0] or ends[1] != ends[1]:  # beyond a format without infinity: numbers between are none
            ends.append(self.fit(float(a.lo), float(a.hi)))
        return with_rule(joined(ends), a.rule)

    def _cast_truths(self, a: intsets.TruthSet) -> Payload:
        return with_rule(joined([*([self.one] if a.true else []), *([self.zero] if a.false else [])]), a.rule)


def chosen(truth: Truth, a: Payload, b: Payload, join: Callable[[list[Payload]], Payload]) -> Payload:
    """The arm of an undecided truth: both, and poison if the truth may be."""
    decision = intsets.as_truths(truth)
    arms = [*([a] if decision.true else []), *([b] if decision.false else [])]
    if decision.rule is not None:
        arms.append(poison(decision.rule))
    return join(arms)


def _out(x: float, direction: int) -> float:
    """One double outwards: the rounding of an end that is itself computed in binary64."""
    return x if math.isinf(x) else math.nextafter(x, direction * INF)
