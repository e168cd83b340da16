"""Sets of floating-point results: an interval, perhaps a NaN, perhaps poison.

Under ``enclosure`` a float payload is a Python float (the one permitted result), ``Poison``, or an ``Interval``. Ends
are numbers that bound the members; the sign of zero is not kept. ``lo > hi`` means that no number is a member.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.poison import OpaquePayload, Poison, poison

INF = math.inf


class Interval(OpaquePayload):
    """``[lo, hi]``, with NaN if ``nan``, and with the poison of ``rule`` unless it is ``None``."""

    __slots__ = ("hi", "lo", "nan", "rule")

    def __init__(self, lo: float, hi: float, nan: bool = False, rule: str | None = None) -> None:
        self.lo = lo
        self.hi = hi
        self.nan = nan
        self.rule = rule

    @property
    def empty(self) -> bool:
        """Whether no number is a member."""
        return self.lo > self.hi

    def __repr__(self) -> str:
        extra = ("|NaN" if self.nan else "") + (f"|{self.rule}" if self.rule else "")
        return f"[{self.lo!r}, {self.hi!r}]{extra}"


def as_interval(a: Payload) -> Interval:
    """Any float payload as an interval; definite poison is the empty interval with its rule."""
    kind = a.__class__
    if kind is float:
        return Interval(INF, -INF, True) if a != a else Interval(a, a)
    if kind is Interval:
        return a  # type: ignore[no-any-return]
    if isinstance(a, Poison):
        return Interval(INF, -INF, False, a.rule)
    raise TypeError(f"{type(a).__name__} is no float payload")


def narrow(a: Interval) -> Payload:
    """The simplest payload for an interval."""
    if a.rule is None:
        if not a.nan:
            if a.lo == a.hi:
                return a.lo
        elif a.lo > a.hi:
            return math.nan
    elif a.lo > a.hi and not a.nan:
        return poison(a.rule)
    return a


def make(lo: float, hi: float, nan: bool = False, rule: str | None = None) -> Payload:
    """``narrow(Interval(…))``."""
    if lo == hi and rule is None and not nan:
        return lo
    return narrow(Interval(lo, hi, nan, rule))


def joined(payloads: Iterable[Payload]) -> Payload:
    """The least payload that holds every member of each."""
    lo, hi, nan = INF, -INF, False
    rule: str | None = None
    for each in payloads:
        if each.__class__ is float:
            if each < lo:
                lo = each
            if each > hi:
                hi = each
            nan = nan or each != each
            continue
        held = each if each.__class__ is Interval else as_interval(each)
        if held.lo < lo:
            lo = held.lo
        if held.hi > hi:
            hi = held.hi
        nan, rule = nan or held.nan, rule or held.rule
    return make(lo, hi, nan, rule)


def with_rule(a: Payload, rule: str | None) -> Payload:
    """``a``, which may also be poison under ``rule``."""
    if rule is None or isinstance(a, Poison):
        return a
    x = as_interval(a)
    return make(x.lo, x.hi, x.nan, x.rule or rule)


def vanishing(a: Interval) -> bool:
    """Whether its numbers are zeros."""
    return a.lo == 0 == a.hi


def unbounded(a: Interval) -> bool:
    """Whether its numbers are one infinity."""
    return a.lo == INF or a.hi == -INF


def spoils(a: Interval, b: Interval) -> bool:
    """Whether every product is 0 · inf, and so NaN, whatever is added to it."""
    return (vanishing(a) and unbounded(b)) or (vanishing(b) and unbounded(a))


def product_ends(a: Interval, b: Interval) -> tuple[float, float, bool]:
    """Least and greatest product of doubles and whether 0 · inf occurs; both intervals hold numbers."""
    least, greatest = INF, -INF
    clash = (a.lo <= 0 <= a.hi and (b.hi == INF or b.lo == -INF)) or (
        b.lo <= 0 <= b.hi and (a.hi == INF or a.lo == -INF)
    )
    for x in (a.lo, a.hi):
        for y in (b.lo, b.hi):
            product = x * y
            if product != product:
                product = 0.0  # 0 · inf: the numbers next to it give products from zero on
            least, greatest = min(least, product), max(greatest, product)
    return least, greatest, clash


def members(*operands: Any) -> bool:
    """Whether every operand has a number among its members."""
    return all(each.lo <= each.hi for each in operands)
