"""Many elements at once under ``enclosure``: what floats, integers and bools have in common, and the floats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Literal

from refrelax.rules import rule
from refrelax.semantics.numbers import interval_ends, intsets
from refrelax.semantics.numbers.base import Base
from refrelax.semantics.numbers.interface import Numerics, Payload, ReduceOp
from refrelax.semantics.numbers.interval_floats import IntervalFloats
from refrelax.semantics.numbers.interval_reductions import (
    Sums,
    candidates,
    extreme_of,
    first_poison,
    numbers,
    product_of,
    ranked,
)
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval, joined, with_rule
from refrelax.semantics.numbers.partial import Partial
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.syntax import dtypes


class Collecting(Base):
    """``begin``, ``accumulate`` and ``settle`` that collect; ``pick`` and ``either`` that join."""

    in_order = False

    def join(self, payloads: Iterable[Payload]) -> Payload:
        """The least payload that holds every member of each."""
        raise NotImplementedError

    def everything(self, rule: str | None = None) -> Payload:
        """All that the dtype can hold."""
        raise NotImplementedError

    def assemble(self, parts: Sequence[Payload], source: str, start: int) -> Payload:
        wide = [each for each in parts if isinstance(each, (Interval, intsets.Ints, intsets.TruthSet))]
        if not wide or any(isinstance(each, Poison) for each in parts):
            return super().assemble(parts, source, start)
        if len(parts) == 1 and start == 0 and dtypes.bits(source) == dtypes.bits(self.dtype):
            return self.reinterpret(wide[0], source)
        return self.everything(next((each.rule for each in wide if each.rule), None))

    def pick(self, items: Sequence[Payload], index: Payload) -> Payload:
        if isinstance(index, (int, Poison)):
            return super().pick(items, index)
        places = intsets.as_ints(index)
        found = [each for k, each in enumerate(items) if places.has(k)]
        return self.join([*found, *([poison(places.rule)] if places.rule else [])])

    def either(self, *forms: Callable[[], Payload]) -> Payload:
        return self.join([form() for form in forms])

    def forms(self, *functions: Callable[..., Payload], last_holds: bool = False) -> Callable[..., Payload]:
        return lambda *xs: self.either(*[partial(each, *xs) for each in functions])

    def begin(self, op: ReduceOp, init: Payload) -> Payload:
        return init

    def accumulate(self, op: ReduceOp, partial: Payload, item: Payload) -> Payload:
        if isinstance(partial, Partial) and partial.op != op:
            partial = self.settle(partial)
        return Partial(op, partial, item)

    def settle(self, partial: Payload) -> Payload:
        if not isinstance(partial, Partial):
            return partial
        if partial.settled is None:
            items = [self.settle(each) for each in partial.items()]
            partial.settled = self.settled(partial.op, items)
        return partial.settled

    def settled(self, op: ReduceOp, items: list[Payload]) -> Payload:
        """The value of a collected reduction; the first of ``items`` is what it started from."""
        return self.reduce(op, items)


class ManyFloats(IntervalFloats, Collecting):
    """``IntervalFloats`` with reductions, order and choice."""

    def __init__(self, numerics: Numerics, dtype: str) -> None:
        super().__init__(numerics, dtype)
        self._sum = interval_ends.summing(dtype, self.inflate.precision, self.inflate.largest)

    def join(self, payloads: Iterable[Payload]) -> Payload:
        return joined(payloads)

    def either(self, *forms: Callable[[], Payload]) -> Payload:
        if len(forms) != 2:
            return joined([form() for form in forms])
        a, b = forms[0](), forms[1]()
        if a.__class__ is b.__class__ is Interval and not (a.nan or b.nan or a.rule or b.rule):
            return Interval(a.lo if a.lo < b.lo else b.lo, a.hi if a.hi > b.hi else b.hi)
        return joined((a, b))

    def forms(self, *functions: Callable[..., Payload], last_holds: bool = False) -> Callable[..., Payload]:
        if last_holds and self.inflate.signed:  # (what has no zero and no sign adds nothing in any order)
            return functions[-1]
        if len(functions) != 2:
            return super().forms(*functions)
        first, second = functions

        def both(*xs: Payload) -> Payload:  # ``either``, written out
            a, b = first(*xs), second(*xs)
            if a.__class__ is b.__class__ is Interval and not (a.nan or b.nan or a.rule or b.rule):
                return Interval(a.lo if a.lo < b.lo else b.lo, a.hi if a.hi > b.hi else b.hi)
            return joined((a, b))

        return both

    @rule("num/any-order-sum", "num/empty-reduction")
    def reduce(self, op: ReduceOp, items: Iterable[Payload], acc: str | None = None) -> Payload:
        pool = items if items.__class__ is list else list(items)
        if op == "add" and acc is None:
            found = self._sum(pool)
            if found is not None:
                return found
        return self._reduce(op, pool, acc, False)

    def settled(self, op: ReduceOp, items: list[Payload]) -> Payload:
        first = items[0]
        if op == "add" and first.__class__ is float and first == 0:
            items = items[1:]
        return self._reduce(op, items, None, True)

    def _reduce(self, op: ReduceOp, items: list[Payload], acc: str | None, unrounded: bool) -> Payload:
        if acc is None and items and op in ("maximum", "minimum") and numbers(items):
            return max(items) if op == "maximum" else min(items)
        spoiled = first_poison(items)
        if spoiled is not None:
            return spoiled
        home: Any = self if acc is None or acc == self.dtype else self.numerics.at(acc)
        match op:
            case "add" if not home.inflate.signed:
                return self._of_no_zero(items)
            case "add":
                lo, hi, nan, mark = Sums(home.inflate).total(items, unrounded)
                return self.fit(lo, hi, nan, mark)
            case "mul":
                value = product_of(home.inflate, items) if len(items) > 1 else items[0] if items else home.one
                return self.cast(value, home.dtype)
            case "maximum" | "minimum":
                return self.cast(extreme_of(items, op == "maximum", home.neutral(op)), home.dtype)
        return self.no(f"reduce {op}")

    @rule("num/any-order-sum")
    def dot(self, a: Iterable[Payload], b: Iterable[Payload], source: str, acc: str | None = None) -> Payload:
        home: Any = self if acc is None or acc == self.dtype else self.numerics.at(acc)
        left, right = list(a), list(b)
        if source != home.dtype:
            left, right = [home.cast(x, source) for x in left], [home.cast(y, source) for y in right]
        spoiled = first_poison([*left, *right])
        if spoiled is not None:
            return spoiled
        if isinstance(home, ManyFloats) and not home.inflate.signed:
            return self._of_no_zero([*left, *right])
        if not isinstance(home, ManyFloats):
            return self.cast(home.dot(left, right, home.dtype), home.dtype)
        lo, hi, nan, mark = Sums(home.inflate).products(left, right)
        return self.fit(lo, hi, nan, mark)

    def neutral(self, op: ReduceOp) -> float:
        """The least number of the dtype for ``maximum``, the greatest for ``minimum``; an infinity if it has one."""
        last = INF if self.inflate.infinite else self.inflate.largest
        return last if op == "minimum" else -last if self.inflate.signed else self.inflate.least

    def _of_no_zero(self, items: Sequence[Payload]) -> Payload:
        """A sum in a format without a zero (e8m0): it starts at the least number, and each step may double it, so that
        no bound on rounding errors holds."""
        return self.everything(next((mark for x in items if (mark := as_interval(x).rule)), None))

    def argreduce(self, op: Literal["maximum", "minimum"], items: Sequence[Payload]) -> Payload:
        spoiled = first_poison(items)
        if spoiled is not None:
            return spoiled
        if not items:
            return poison("num/empty-reduction")
        spreads = [as_interval(each) for each in items]
        mark = next((x.rule for x in spreads if x.rule), None)
        return intsets.some(candidates(spreads, op == "maximum") or range(len(items)), mark)

    def order(self, items: Sequence[Payload], descending: bool = False) -> tuple[list[Payload], list[Payload]]:
        spoiled = first_poison(items)
        if spoiled is not None:
            return [spoiled] * len(items), [spoiled] * len(items)
        spreads = [as_interval(each) for each in items]
        mark = next((x.rule for x in spreads if x.rule), None)
        count = len(items)
        if any(x.nan for x in spreads):
            # plain ``<`` is no order with a NaN among the items: every arrangement is open
            hull = joined(items)
            return [hull] * count, [intsets.between(0, count - 1, mark)] * count
        lows = sorted((x.lo for x in spreads), reverse=descending)
        highs = sorted((x.hi for x in spreads), reverse=descending)
        values = [with_rule(joined([lo, hi]), mark) for lo, hi in zip(lows, highs, strict=True)]
        ranks = ranked(spreads, descending)
        places = [[k for k, (first, last) in enumerate(ranks) if first <= place <= last] for place in range(count)]
        return values, [intsets.some(found or range(count), mark) for found in places]


__all__ = ["INF", "Collecting", "Interval", "ManyFloats"]
