"""Real arithmetic, nothing rounded, on intervals that a higher precision makes narrower: the floats of ``ideal``.

A float payload is an ``Interval`` whose ends are rationals (``Fraction``) or infinities: the exact value, or bounds of
it; or poison. Results of ``+ - * /`` on exact values stay exact as long as they are no longer than ``LENGTH`` bits.
Infinities and NaNs that an argument holds follow IEEE 754; no step overflows. Integers and truths are those of
``enclosure``: sets, where an interval does not decide a comparison or a conversion.

Spec: ``spec/02-values.md``, ``num/ideal-is-real``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal

from refrelax.errors import NoBits
from refrelax.semantics.numbers import intsets
from refrelax.semantics.numbers.constants import RealConstant
from refrelax.semantics.numbers.interface import Numerics, Payload, ReduceOp, Truth
from refrelax.semantics.numbers.interval_floats import chosen
from refrelax.semantics.numbers.interval_many import Collecting
from refrelax.semantics.numbers.interval_reductions import candidates, first_poison, ranked
from refrelax.semantics.numbers.intervals import INF, Interval
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.real_functions import FUNCTIONS2, between, down, function, infinite, up, whole
from refrelax.semantics.numbers.rounding import round_fraction, rounder
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.syntax import bits, dtypes

End = Any
"""A ``Fraction``, or an infinite float."""

EXACT = 2**53
"""Below it binary64 holds every integer."""

LENGTH = 4096
"""How many bits an exact value may have before bounds of it are kept."""


def exactly(x: float | Fraction) -> Interval:
    """A number, an infinity or a NaN."""
    if isinstance(x, float) and not math.isfinite(x):
        return Interval(INF, -INF, True) if x != x else Interval(x, x)
    value: Any = x if x.__class__ is Fraction else Fraction(x)
    return Interval(value, value)


def plus(x: End, y: End) -> End:
    """A sum; ``None`` of opposite infinities."""
    if x.__class__ is float:  # infinite
        return None if y.__class__ is float and x != y else x
    return y if y.__class__ is float else x + y


def times(x: End, y: End) -> End:
    """A product; ``None`` of zero and an infinity."""
    if x.__class__ is float or y.__class__ is float:  # infinite
        return None if not x or not y else INF if (x > 0) == (y > 0) else -INF
    return x * y


def inverse(x: End) -> End:
    return Fraction(0) if infinite(x) else 1 / x


class Reals(Collecting):
    """Arithmetic of one float dtype without rounding."""

    def __init__(self, numerics: Numerics, dtype: str, precision: int) -> None:
        super().__init__(numerics, dtype)
        self.precision = precision
        self.zero, self.one = exactly(Fraction(0)), exactly(Fraction(1))
        self.add, self.sub = self._binary(self._sum), self._binary(lambda a, b: self._sum(a, _negative(b)))
        self.mul, self.div = self._binary(self._product), self._binary(self._quotient)
        self.floordiv = self._binary(lambda a, b: self._floor(self._quotient(a, b)))
        self.floormod = self._binary(lambda a, b: self._remainder(a, b, "floor"))
        self.mod = self._binary(lambda a, b: self._remainder(a, b, "trunc"))
        self.maximum = self._binary(lambda a, b: _extreme(a, b, max))
        self.minimum = self._binary(lambda a, b: _extreme(a, b, min))
        self.neg: Any = self._unary(_negative)
        self.less = _test(lambda a, b: a.hi < b.lo, lambda a, b: a.lo >= b.hi)
        self.less_equal = _test(lambda a, b: a.hi <= b.lo, lambda a, b: a.lo > b.hi)
        self.equal = _test(_same, _apart)
        self.not_equal = _test(_apart, _same, True)

    # --- payloads -----------------------------------------------------------------------------------------------------

    def lit(self, value: int | float | Fraction) -> Payload:
        if isinstance(value, RealConstant):
            return between(*value.bounds(self.precision))
        return exactly(Fraction(value) if isinstance(value, int) else value)

    def from_bits(self, pattern: int) -> Payload:
        return exactly(bits.decode(self.dtype, pattern))

    def to_bits(self, a: Payload) -> int:
        raise NoBits(f"the real number {a} has no bits")

    def reinterpret(self, a: Payload, source: str) -> Payload:
        if isinstance(a, int) and not isinstance(a, bool):
            width = (1 << dtypes.bits(source)) - 1
            return self.from_bits(a & width)
        return a if isinstance(a, Poison) else whole()

    def everything(self, rule: str | None = None) -> Payload:
        return Interval(-INF, INF, True, rule)

    def assemble(self, parts: Sequence[Payload], source: str, start: int) -> Payload:
        return first_poison(parts) or whole()

    def join(self, payloads: Iterable[Payload]) -> Payload:
        return hull(payloads)

    def either(self, *forms: Callable[[], Payload]) -> Payload:
        return forms[0]()

    def forms(self, *functions: Callable[..., Payload], last_holds: bool = False) -> Callable[..., Payload]:
        return functions[0]

    def ideal(self, of: Any, *args: Payload) -> Payload:
        return whole()  # every text has the steps as well, and real steps are the function

    def select(self, truth: Truth, a: Payload, b: Payload) -> Payload:
        return a if truth is TRUE else b if truth is FALSE else chosen(truth, a, b, hull)

    def converter(self, source: str) -> Callable[[Payload], Payload]:
        match dtypes.kind(source):
            case "float":
                return lambda a: a
            case "bool":
                return lambda a: self.select(a, self.one, self.zero)
        return self._from_integer

    def _from_integer(self, a: Payload) -> Payload:
        if isinstance(a, Poison):
            return a
        if a.__class__ is int:
            return self._of_integer(a)
        held = intsets.as_ints(a)
        low, high = self._of_integer(held.lo), self._of_integer(held.hi)
        return hull([low, low if held.lo == held.hi else high, Interval(INF, -INF, False, held.rule)])

    def _of_integer(self, n: int) -> Interval:
        """An integer at this dtype: a conversion is what the definition says, not an error of it."""
        found = rounder(self.dtype)(float(n)) if abs(n) < EXACT else round_fraction(self.dtype, Fraction(n))
        return self.lit(found)  # type: ignore[no-any-return]

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def kept(self, lo: End, hi: End, nan: bool, mark: str | None) -> Interval:
        """Bounds, no longer than the precision asks for; a value stays exact while it is short enough."""
        if (lo is hi or lo == hi) and (
            infinite(lo) or lo.numerator.bit_length() + lo.denominator.bit_length() <= LENGTH
        ):
            return Interval(lo, hi, nan, mark)
        low = lo if infinite(lo) else down(lo, self.precision)
        high = hi if infinite(hi) else up(hi, self.precision)
        return between(low, high, nan, mark)

    def _unary(self, function: Callable[[Interval], Interval]) -> Callable[[Payload], Payload]:
        return lambda a: a if isinstance(a, Poison) else function(a)

    def _binary(self, ends: Callable[[Interval, Interval], Interval]) -> Callable[[Payload, Payload], Payload]:
        def apply(a: Payload, b: Payload) -> Payload:
            if isinstance(a, Poison) or isinstance(b, Poison):
                return a if isinstance(a, Poison) else b
            nan, mark = a.nan or b.nan, a.rule or b.rule
            if (a.lo is not a.hi and a.lo > a.hi) or (b.lo is not b.hi and b.lo > b.hi):
                return Interval(INF, -INF, True, mark)
            found = ends(a, b)
            return self.kept(found.lo, found.hi, nan or found.nan, found.rule or mark)

        return apply

    def _sum(self, a: Interval, b: Interval) -> Interval:
        lo = plus(a.lo, b.lo)
        if a.lo is a.hi and b.lo is b.hi and lo is not None:
            return Interval(lo, lo)  # of two numbers, as most are (opposite infinities have none)
        hi = plus(a.hi, b.hi)
        if lo is None or hi is None:
            return Interval(INF, -INF, True) if a.lo == a.hi and b.lo == b.hi else whole()
        clash = (a.hi == INF and b.lo == -INF) or (a.lo == -INF and b.hi == INF)
        return Interval(lo, hi, clash)

    def _product(self, a: Interval, b: Interval) -> Interval:
        if a is b:
            return function("square", a, self.precision) if not (infinite(a.lo) or infinite(a.hi)) else whole()
        if a.lo is a.hi and b.lo is b.hi:
            found = times(a.lo, b.lo)
            return Interval(INF, -INF, True) if found is None else Interval(found, found)
        products = [times(x, y) for x in {a.lo, a.hi} for y in {b.lo, b.hi}]
        if None in products:
            return Interval(INF, -INF, True) if len(products) == 1 else whole()
        for x, y in ((a, b), (b, a)):
            if x.lo < 0 < x.hi and (infinite(y.lo) or infinite(y.hi)):
                return whole()  # the zero between the ends times the infinity
        return Interval(min(products), max(products))

    def _quotient(self, a: Interval, b: Interval) -> Interval:
        if b.lo == b.hi == 0:  # the sign of a zero is not kept
            return Interval(INF, -INF, True) if a.lo == a.hi == 0 else whole(a.lo <= 0 <= a.hi)
        if b.lo <= 0 <= b.hi:
            return whole()
        return self._product(a, Interval(inverse(b.hi), inverse(b.lo)))  # (0 of an infinity, which asks what a is)

    def _floor(self, a: Interval) -> Interval:
        return function("floor", a, self.precision) if a.lo <= a.hi else a

    def _remainder(self, a: Interval, b: Interval, how: str) -> Interval:
        if infinite(a.lo) or infinite(a.hi) or infinite(b.lo) or infinite(b.hi) or b.lo <= 0 <= b.hi:
            return whole()
        quotient = function(how, self._quotient(a, b), self.precision)
        return self._sum(a, _negative(self._product(quotient, b)))

    def fma(self, a: Payload, b: Payload, c: Payload) -> Payload:
        return self.add(self.mul(a, b), c)

    def math(self, name: str) -> Callable[[Payload], Payload]:
        def apply(a: Payload) -> Payload:
            if isinstance(a, Poison) or a.lo > a.hi:
                return a
            found = function(name, a, self.precision)
            return found if found.empty else self.kept(found.lo, found.hi, found.nan, found.rule)

        return apply

    def math2(self, name: str) -> Callable[[Payload, Payload], Payload]:
        if name == "fmod":
            return self.mod
        if name == "hypot":
            root = self.math("sqrt")
            return lambda a, b: root(self.add(self.mul(a, a), self.mul(b, b)))
        if name in FUNCTIONS2:
            found = self._binary(lambda a, b: FUNCTIONS2[name](a, b, self.precision))
            return self._power(found) if name == "pow" else found
        return lambda a, b: first_poison([a, b]) or whole()

    def _power(self, of_numbers: Callable[[Payload, Payload], Payload]) -> Callable[[Payload, Payload], Payload]:
        """``pow(1, y)`` and ``pow(x, 0)`` are 1 even for a NaN."""

        def apply(a: Payload, b: Payload) -> Payload:
            if isinstance(a, Poison) or isinstance(b, Poison):
                return of_numbers(a, b)
            mark = a.rule or b.rule
            if (a.lo == a.hi == 1 and not a.nan) or (b.lo == b.hi == 0 and not b.nan):
                return Interval(self.one.lo, self.one.hi, False, mark)
            if (a.empty and b.lo <= 0 <= b.hi) or (b.empty and a.lo <= 1 <= a.hi):
                return Interval(self.one.lo, self.one.hi, True, mark)
            return of_numbers(a, b)

        return apply

    def isnan(self, a: Payload) -> Truth:
        return a if isinstance(a, Poison) else intsets.truths(a.nan, not a.empty, a.rule)

    def isinf(self, a: Payload) -> Truth:
        if isinstance(a, Poison):
            return a
        certain = not a.nan and not a.empty and a.lo == a.hi and abs(a.lo) == INF
        return intsets.truths(not a.empty and (a.hi == INF or a.lo == -INF), not certain, a.rule)

    def isfinite(self, a: Payload) -> Truth:
        if isinstance(a, Poison):
            return a
        finite = not a.empty and a.lo < INF and a.hi > -INF
        return intsets.truths(finite, a.nan or a.lo == -INF or a.hi == INF or not finite, a.rule)

    # --- many ---------------------------------------------------------------------------------------------------------

    def reduce(self, op: ReduceOp, items: Iterable[Payload], acc: str | None = None) -> Payload:
        combine, start = self.folding(op)
        pool = list(items)
        spoiled = first_poison(pool)
        if spoiled is not None:
            return spoiled
        if not pool and start is None:
            return poison("num/empty-reduction")
        total = pool.pop(0) if start is None else start
        for each in pool:
            total = combine(total, each)
        return total

    def dot(self, a: Iterable[Payload], b: Iterable[Payload], source: str, acc: str | None = None) -> Payload:
        left, right = (
            family if dtypes.is_float(source) else [self.cast(x, source) for x in family] for family in (a, b)
        )  # no dtype on the way rounds anything
        return self.reduce("add", list(map(self.mul, left, right)))

    def argreduce(self, op: Literal["maximum", "minimum"], items: Sequence[Payload]) -> Payload:
        spoiled = first_poison(items)
        if spoiled is not None or not items:
            return poison("num/empty-reduction") if spoiled is None else spoiled
        return intsets.some(candidates(items, op == "maximum") or range(len(items)), None)

    def order(self, items: Sequence[Payload], descending: bool = False) -> tuple[list[Payload], list[Payload]]:
        spoiled, count = first_poison(items), len(items)
        if spoiled is not None:
            return [spoiled] * count, [spoiled] * count
        if any(x.nan for x in items):
            return [whole()] * count, [intsets.between(0, count - 1, None)] * count
        lows = sorted((x.lo for x in items), reverse=descending)
        highs = sorted((x.hi for x in items), reverse=descending)
        ranks = ranked(items, descending)
        places = [[k for k, (first, last) in enumerate(ranks) if first <= place <= last] for place in range(count)]
        values: list[Payload] = [Interval(lo, hi) for lo, hi in zip(lows, highs, strict=True)]
        return values, [intsets.some(found or range(count), None) for found in places]


def _negative(a: Interval) -> Interval:
    return Interval(-a.hi, -a.lo, a.nan, a.rule)


def _extreme(a: Interval, b: Interval, pick: Callable[..., End]) -> Interval:
    return whole() if a.nan or b.nan else Interval(pick(a.lo, b.lo), pick(a.hi, b.hi))


def _same(a: Interval, b: Interval) -> bool:
    return bool(a.lo == a.hi == b.lo == b.hi)


def _apart(a: Interval, b: Interval) -> bool:
    return a.hi < b.lo or b.hi < a.lo


Relation = Callable[[Interval, Interval], bool]


def _test(surely: Relation, never: Relation, on_nan: bool = False) -> Callable[[Payload, Payload], Truth]:
    def apply(a: Payload, b: Payload) -> Truth:
        if isinstance(a, Poison) or isinstance(b, Poison):
            return a if isinstance(a, Poison) else b
        nan = a.nan or b.nan
        true, false = nan and on_nan, nan and not on_nan
        if not (a.empty or b.empty):
            true, false = true or not never(a, b), false or not surely(a, b)
        return intsets.truths(true, false, a.rule or b.rule)

    return apply


def hull(payloads: Iterable[Payload]) -> Payload:
    """The least interval that holds every member of each."""
    lo: End = INF
    hi: End = -INF
    nan, mark = False, None
    for each in payloads:
        if isinstance(each, Poison):
            mark = mark or each.rule
            continue
        lo, hi, nan, mark = min(lo, each.lo), max(hi, each.hi), nan or each.nan, mark or each.rule
    if lo > hi and not nan and mark is not None:
        return poison(mark)
    return Interval(lo, hi, nan, mark)


__all__ = ["Reals", "exactly", "hull"]
