"""Reductions of floats under ``enclosure``: every result that some order, association, fma or wider accumulation
gives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from refrelax.rules import rule
from refrelax.semantics.numbers import interval_ends, sums
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.interval_functions import Inflation
from refrelax.semantics.numbers.intervals import (
    INF,
    Interval,
    as_interval,
    joined,
    make,
    product_ends,
    spoils,
    unbounded,
    vanishing,
)
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.products import exact_products, product_end


def first_poison(items: Sequence[Payload]) -> Poison | None:
    for each in items:
        if each.__class__ is not float and isinstance(each, Poison):
            return each
    return None


def numbers(items: Sequence[Payload]) -> bool:
    """Whether every item is one number."""
    for each in items:  # noqa: SIM110 - as in ``finite``
        if each.__class__ is not float or each != each:
            return False
    return True


def finite(items: Sequence[Payload]) -> bool:
    """Whether every item is one number, not an infinity."""
    for each in items:  # noqa: SIM110 - most sums are of few items, and a generator costs more than they
        if each.__class__ is not float or each - each != 0:
            return False
    return True


def marks(items: Sequence[Interval]) -> tuple[bool, str | None]:
    """Whether any item may be NaN, and the rule of one that may be poison."""
    return any(x.nan for x in items), next((x.rule for x in items if x.rule), None)


class Sums:
    """Any-order sums accumulated at least in the format of ``inflate``."""

    def __init__(self, inflate: Inflation) -> None:
        self.inflate = inflate
        self.u = 2.0**-inflate.precision

    @rule("num/any-order-sum", "num/reduction-order")
    def total(self, items: Sequence[Payload], unrounded: bool = False) -> tuple[float, float, bool, str | None]:
        """Ends of the sum (not yet rounded to the result's dtype), may-be-NaN, may-be-poison.

        ``unrounded``: an item may be a product whose rounding a fused multiply-add leaves out.
        """
        if finite(items):
            lows: Sequence[float] = items
            highs: Sequence[float] = items
            nan, rule_ = False, None
        elif (ends := interval_ends.finite_ends(items)) is not None:
            (lows, highs), nan, rule_ = ends, False, None
        else:
            spreads = [as_interval(each) for each in items]
            nan, rule_ = marks(spreads)
            if any(x.empty for x in spreads):
                return INF, -INF, nan, rule_
            lows, highs = [x.lo for x in spreads], [x.hi for x in spreads]
            infinite = self._infinities(lows, highs, nan, rule_)
            if infinite is not None:
                return infinite
        slack = (
            (self.u * sums.above(map(_size, lows, highs)) + len(lows) * self.inflate.least) * sums.SAFETY
            if unrounded
            else 0.0
        )
        return self.bounded(lows, highs, slack, nan, rule_)

    def _infinities(
        self, lows: Sequence[float], highs: Sequence[float], nan: bool, rule_: str | None
    ) -> tuple[float, float, bool, str | None] | None:
        """The sum when an item is or may be infinite, else ``None``."""
        up, down = any(h == INF for h in highs), any(x == -INF for x in lows)
        if not up and not down:
            return None
        surely_up, surely_down = any(x == INF for x in lows), any(h == -INF for h in highs)
        if surely_up and surely_down:
            return INF, -INF, True, rule_
        # finite items can overflow to the other infinity in some order
        rise, fall = sums.largest_partial(
            [0.0 if math.isinf(x) else x for x in lows], [0.0 if math.isinf(h) else h for h in highs]
        )
        up, down = up or rise > self.inflate.largest / 2, down or fall < -self.inflate.largest / 2
        both = nan or (up and down)
        if surely_up:
            return INF, INF, both, rule_
        if surely_down:
            return -INF, -INF, both, rule_
        return -INF if down else -self.inflate.largest, INF if up else self.inflate.largest, both, rule_

    def bounded(
        self, lows: Sequence[float], highs: Sequence[float], slack: float, nan: bool, rule_: str | None
    ) -> tuple[float, float, bool, str | None]:
        """The sum of finite items; ``slack`` is what the items themselves may be off by, together."""
        rise, fall = sums.largest_partial(lows, highs)
        if (
            lows is highs
            and slack == 0
            and sums.exact_sums(rise - fall, lows, self.inflate.precision, self.inflate.least)
        ):
            if rise <= self.inflate.largest and -fall <= self.inflate.largest:
                exact = math.fsum(lows)
                return exact, exact, nan, rule_
        error = sums.sum_error(lows, highs, self.u) + slack
        lo, hi = sums.below(lows) - error, sums.above(highs) + error
        # rounding keeps order: a sum of numbers of one sign is no less than each of them (a product, than 0)
        if fall == 0:
            lo = max(lo, 0.0 if slack else max(lows, default=0.0))
        if rise == 0:
            hi = min(hi, 0.0 if slack else min(highs, default=0.0))
        over = rise > 0 and rise + error > self.inflate.largest
        under = fall < 0 and fall - error < -self.inflate.largest
        if over or under:
            beyond = INF if self.inflate.infinite else self.inflate.largest
            nan = nan or (over and under) or (not self.inflate.infinite and self.inflate.nan)
            hi = beyond if over else hi
            lo = -beyond if under else lo
            if not self.inflate.infinite:
                lo, hi = -beyond, beyond
        return lo, hi, nan, rule_

    @rule("num/any-order-sum")
    def products(self, a: Sequence[Payload], b: Sequence[Payload]) -> tuple[float, float, bool, str | None]:
        """Ends of the sum of products, each product rounded or not."""
        if finite(a) and finite(b):
            exact = [x * y for x, y in zip(a, b, strict=True)]
            if self.inflate.precision <= 24:
                # the double product is exact; where the format holds it, nothing is rounded
                rounded = [self._rounded(p) for p in exact]
                return self.bounded(exact, exact, math.fsum(rounded) * sums.SAFETY, False, None)
            return self._bounded_products(*self._kept(a, b, exact, exact))
        quick = interval_ends.products(a, b)
        if quick is not None:
            return self._bounded_products(*self._kept(a, b, *quick))
        lows, highs, clash = [], [], False
        spreads = [(as_interval(x), as_interval(y)) for x, y in zip(a, b, strict=True)]
        nan, rule_ = marks([x for pair in spreads for x in pair])
        for x, y in spreads:
            if x.empty or y.empty:
                return INF, -INF, nan, rule_
            if spoils(x, y):
                return INF, -INF, True, rule_
            low, high, also = product_ends(x, y)
            lows.append(low)
            highs.append(high)
            # a product of numbers that binary64 cannot hold may be infinite, or finite in a wider format
            beyond = (math.isinf(low) or math.isinf(high)) and not any(map(math.isinf, (x.lo, x.hi, y.lo, y.hi)))
            clash = clash or also or beyond
        infinite = self._infinities(lows, highs, nan or clash, rule_)
        if infinite is not None:
            return (-INF, INF, True, rule_) if clash else infinite
        lo, hi, nan, rule_ = self._bounded_products(*self._kept(a, b, lows, highs), nan, rule_)
        return lo, hi, nan or clash, rule_

    def _kept(
        self, a: Sequence[Payload], b: Sequence[Payload], lows: Sequence[float], highs: Sequence[float]
    ) -> tuple[Sequence[float], Sequence[float]]:
        """The ends of products, of which one that binary64 rounds to 0 keeps its sign: a wider sum does not lose it."""
        if self.inflate.precision <= 24 or not (0.0 in lows or 0.0 in highs):
            return lows, highs
        low, high, least = list(lows), list(highs), self.inflate.least
        for k, (x, y) in enumerate(zip(map(as_interval, a), map(as_interval, b), strict=True)):
            if low[k] and high[k]:
                continue
            for u, v in product((x.lo, x.hi), (y.lo, y.hi)):
                if u and v and u * v == 0:
                    low[k] = min(low[k], -least if (u < 0) != (v < 0) else 0.0)
                    high[k] = max(high[k], least if (u < 0) == (v < 0) else 0.0)
        return low, high

    def _rounded(self, product: float) -> float:
        """How far the rounding of a product may move it."""
        unit = self.inflate.ulp(product) / 2
        return 0.0 if (product / (2 * unit)).is_integer() else unit

    def _bounded_products(
        self, lows: Sequence[float], highs: Sequence[float], nan: bool = False, rule_: str | None = None
    ) -> tuple[float, float, bool, str | None]:
        sizes = sums.above(map(_size, lows, highs))
        if sizes > self.inflate.largest:  # a product alone may overflow
            clash = any(x < 0 for x in lows) and any(h > 0 for h in highs)
            return -INF, INF, nan or clash, rule_
        # a fused or wider product is not rounded, so this covers both; binary64's own rounding of the product as well
        slack = (2 * self.u * sizes + len(lows) * self.inflate.least) * sums.SAFETY
        return self.bounded(lows, highs if highs is not lows else list(highs), slack, nan, rule_)


def _size(low: float, high: float) -> float:
    return max(abs(low), abs(high))


@rule("num/any-order-sum")
def product_of(inflate: Inflation, items: Sequence[Payload]) -> Payload:
    """The product in any order: each of ``n - 1`` roundings changes it by a factor of at most ``1 + u``, and none does
    where the bits of all items together fit."""
    spreads = [as_interval(each) for each in items]
    nan, rule_ = marks(spreads)
    if any(x.empty for x in spreads) or (any(map(vanishing, spreads)) and any(map(unbounded, spreads))):
        return make(INF, -INF, True, rule_)
    sizes = [(0.0 if x.lo <= 0 <= x.hi else min(abs(x.lo), abs(x.hi)), max(abs(x.lo), abs(x.hi))) for x in spreads]
    growth = sum(math.log2(big) for _, big in sizes if big > 1)
    decay = sum(math.log2(small) for small, _ in sizes if 0 < small < 1)
    negative, either_sign = False, False
    for x in spreads:
        either_sign = either_sign or x.lo < 0 < x.hi
        negative ^= x.hi <= 0 and x.lo < 0
    limit = math.log2(inflate.largest)
    calm = growth <= limit - 1 and decay >= math.log2(inflate.normal) + 1
    roundings = 0 if calm and exact_products(spreads, inflate.precision) else len(items)
    low = product_end([s for s, _ in sizes], roundings, inflate.precision, up=False)
    high = product_end([b for _, b in sizes], roundings, inflate.precision, up=True)
    vanishes = decay < math.log2(inflate.normal) + 1 or any(small == 0 for small, _ in sizes)
    shrinks = any(small == 0 < big for small, big in sizes) and not any(map(vanishing, spreads))
    if shrinks or decay < math.log2(inflate.normal) + 1:  # partial products may lose all their bits, then grow again
        low = 0.0
        high = high + len(items) * inflate.least * 2.0 ** min(1000.0, max(growth, 0.0))
    if growth > limit - 1:
        high = INF
        nan = nan or not inflate.infinite
        if not (inflate.infinite or inflate.nan):  # the greatest number, times all that is less than 1
            low = min(low, inflate.largest * 2.0**decay * (1 - 2.0**-inflate.precision) ** len(items))
    nan = nan or (vanishes and high == INF)
    lo, hi = (-high, high) if either_sign else (-high, -low) if negative else (low, high)
    return make(lo, hi, nan and inflate.nan, rule_)


@rule("num/nan-in-extremes", "num/empty-reduction")
def extreme_of(items: Sequence[Payload], greatest: bool, neutral: float) -> Payload:
    """``maximum`` or ``minimum`` of many: a NaN may win, or be dropped together with what it won against before; then
    ``neutral``, with which a fold may begin, is what is left."""
    if not items:
        return poison("num/empty-reduction")
    if numbers(items):
        return max(items) if greatest else min(items)
    spreads = [as_interval(each) for each in items]
    nan, rule_ = marks(spreads)
    if nan:
        return joined([*items, math.nan, neutral])
    kept = [x for x in spreads if not x.empty]
    if not kept:
        return poison(rule_ or "num/empty-reduction")
    pick = max if greatest else min
    return make(pick(x.lo for x in kept), pick(x.hi for x in kept), False, rule_)


def candidates(items: Sequence[Interval], greatest: bool) -> list[int]:
    """Positions at which the first extreme may lie: NaNs, and what no other number surely beats."""
    bounds = [(x.lo, x.hi) if greatest else (-x.hi, -x.lo) for x in items]
    later: list[float] = []
    best = -INF
    for k in reversed(range(len(items))):
        lo, hi = bounds[k]
        later.append(best)
        if lo <= hi and not items[k].nan and items[k].rule is None:
            best = max(best, lo)
    later.reverse()
    found, earlier = [], -INF
    started = False
    for k, ((lo, hi), after) in enumerate(zip(bounds, later, strict=True)):
        number = lo <= hi
        if items[k].nan or (number and hi >= after and (hi > earlier or not started)):
            found.append(k)
        if number and not items[k].nan and items[k].rule is None:
            earlier, started = max(earlier, lo), True
    return found


def ranked(items: Sequence[Interval], descending: bool) -> list[tuple[int, int]]:
    """For each item the least and greatest rank that it can have in a stable sort of numbers."""
    ranks = []
    for k, x in enumerate(items):
        before = after = 0
        for j, y in enumerate(items):
            if j == k:
                continue
            first, second = (y, x) if not descending else (x, y)
            # surely before: smaller in every case, or never greater and earlier in position
            if first.hi < second.lo or (
                first.hi == second.lo and (j < k) and first.lo == first.hi == second.lo == second.hi
            ):
                before += 1
            elif second.hi < first.lo or (first.lo == first.hi == second.lo == second.hi and j > k):
                after += 1
        ranks.append((before, len(items) - 1 - after))
    return ranks


__all__ = ["Interval", "Sums", "candidates", "extreme_of", "first_poison", "product_of", "ranked"]
