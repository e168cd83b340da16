"""Integers and bools under ``enclosure``: one value as in ``ieee``, small sets value by value, ranges by their ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, Literal

from refrelax.errors import NoBits
from refrelax.semantics.numbers import ieee as plain_
from refrelax.semantics.numbers.base import careful
from refrelax.semantics.numbers.integers import Integers
from refrelax.semantics.numbers.interface import DIVISIONS, Numerics, Payload, ReduceOp, Truth
from refrelax.semantics.numbers.interval_floats import chosen
from refrelax.semantics.numbers.interval_many import Collecting
from refrelax.semantics.numbers.interval_reductions import candidates, first_poison, ranked
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.intsets import (
    Ints,
    TruthSet,
    any_truth,
    as_ints,
    as_truths,
    between,
    some,
    truths,
    united,
)
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.truth import FALSE, TRUE

PAIRS = 1024
"""How many combinations of members are tried one by one before a range is formed."""

LIFTED = (
    "add", "sub", "mul", "div", "mod", "floordiv", "floormod", "neg", "maximum", "minimum", "fma",
    "bit_and", "bit_or", "bit_xor", "bit_not", "shift_left", "shift_right", "popcount", "clz",
)  # fmt: skip

BY_ENDS: dict[str, Callable[[int, int], int]] = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a,
b: a * b, "maximum": max, "minimum": min}  # fmt: skip
COMPARED = ("less", "less_equal", "equal", "not_equal")


MAY_BE_POISON = {
    "shift_left": "num/shift-range", "shift_right": "num/shift-range", "clz": "num/clz-of-zero",
}  # fmt: skip
"""Operations of which some operands make poison."""


class IntervalIntegers(Integers, Collecting):
    """Arithmetic of one integer dtype on ints, ``Ints`` and ``Poison``."""

    def __init__(self, numerics: Numerics, dtype: str) -> None:
        super().__init__(numerics, dtype)
        single = plain_.ieee().at(dtype)
        for name in LIFTED:
            setattr(self, name, self._lift(name, getattr(single, name)))
        for name in COMPARED:
            setattr(self, name, self._compare(name, getattr(single, name)))
        self._single = single

    def join(self, payloads: Iterable[Payload]) -> Payload:
        return united(payloads)

    def everything(self, rule: str | None = None) -> Payload:
        return between(self.low, self.high, rule)

    def _lift(self, name: str, one: Callable[..., Payload]) -> Callable[..., Payload]:
        by_ends = BY_ENDS.get(name)

        def apply(*operands: Payload) -> Payload:
            for each in operands:
                if each.__class__ is Ints:
                    break
            else:
                return one(*operands)
            if name in DIVISIONS and isinstance(operands[1], Poison):
                return one(1, operands[1])  # ends the run
            for each in operands:
                if isinstance(each, Poison):
                    return each
            sets = [as_ints(each) for each in operands]
            rule = next((each.rule for each in sets if each.rule), None)
            if name in DIVISIONS and sets[1].rule:
                one(1, poison(sets[1].rule))  # ends the run: the divisor may be poison
            if math.prod(each.count for each in sets) <= PAIRS:
                return self._gather((one(*values) for values in product(*(each.listed() for each in sets))), rule)
            if name in DIVISIONS and sets[1].has(0):
                one(1, 0)  # ends the run: some member divides by zero
            if by_ends is None:
                return self.everything(rule or MAY_BE_POISON.get(name))
            ends = [by_ends(a, b) for a in (sets[0].lo, sets[0].hi) for b in (sets[1].lo, sets[1].hi)]
            if min(ends) < self.low or max(ends) > self.high:
                return self.everything(rule)
            return between(min(ends), max(ends), rule)

        return apply

    def _gather(self, results: Iterable[Payload], rule: str | None) -> Payload:
        found = list(results)
        spoiled = first_poison(found)
        if rule is None and spoiled is not None:
            rule = spoiled.rule
        return some((each for each in found if not isinstance(each, Poison)), rule)

    def _compare(self, name: str, one: Callable[[Payload, Payload], Truth]) -> Callable[[Payload, Payload], Truth]:
        def apply(a: Payload, b: Payload) -> Truth:
            if not isinstance(a, Ints) and not isinstance(b, Ints):
                return one(a, b)
            if isinstance(a, Poison) or isinstance(b, Poison):
                return careful(name, a, b)
            x, y = as_ints(a), as_ints(b)
            rule = x.rule or y.rule
            if x.count * y.count <= PAIRS:
                answers = [one(p, q) for p in x.listed() for q in y.listed()]
                return truths(TRUE in _ids(answers), FALSE in _ids(answers), rule)
            certain, excluded = _ORDER[name](x, y)
            return truths(not excluded, not certain, rule)

        return apply

    def math(self, name: str) -> Callable[[Payload], Payload]:
        one = self._single.math(name)
        return lambda a: self._lift("math", one)(a)

    def math2(self, name: str) -> Callable[[Payload, Payload], Payload]:
        one = self._single.math2(name)
        return lambda a, b: self._lift("math2", one)(a, b)

    def select(self, truth: Truth, a: Payload, b: Payload) -> Payload:
        if truth is TRUE:
            return a
        if truth is FALSE:
            return b
        return chosen(truth, a, b, united)

    def isnan(self, a: Payload) -> Truth:
        return truths(False, True, a.rule) if isinstance(a, Ints) else super().isnan(a)

    isinf = isnan

    def isfinite(self, a: Payload) -> Truth:
        return truths(True, False, a.rule) if isinstance(a, Ints) else super().isfinite(a)

    def to_bits(self, a: Payload) -> int:
        if isinstance(a, Ints):
            raise NoBits(f"the enclosure {a} has no bits")
        return super().to_bits(a)

    def reinterpret(self, a: Payload, source: str) -> Payload:
        if isinstance(a, Ints):
            if a.count <= PAIRS:
                return self._gather((super(IntervalIntegers, self).reinterpret(v, source) for v in a.listed()), a.rule)
            return self.everything(a.rule)
        return self.everything(a.rule) if isinstance(a, Interval) else super().reinterpret(a, source)

    def converter(self, source: str) -> Callable[[Payload], Payload]:
        one = super().converter(source)

        def convert(a: Payload) -> Payload:
            if isinstance(a, Interval):
                return self._from_interval(a)
            if isinstance(a, TruthSet):
                return some([*([self.one] if a.true else []), *([0] if a.false else [])], a.rule)
            if isinstance(a, Ints):
                if a.count <= PAIRS:
                    return self._gather(map(one, a.listed()), a.rule)
                inside = self.low <= a.lo and a.hi <= self.high
                return between(a.lo, a.hi, a.rule) if inside else self.everything(a.rule)
            return one(a)

        return convert

    def _from_interval(self, a: Interval) -> Payload:
        if not a.nan and a.rule is None and self.low <= a.lo <= a.hi <= self.high:
            return between(math.trunc(a.lo), math.trunc(a.hi))
        least, most = self.low - 1, self.high + 1
        low, high = min(max(a.lo, least), most), max(min(a.hi, most), least)
        beyond = a.nan or (not a.empty and (math.trunc(low) < self.low or math.trunc(high) > self.high))
        rule = a.rule or ("num/cast-range" if beyond else None)
        if a.empty:
            return poison(rule or "num/cast-range")
        first, last = max(math.trunc(low), self.low), min(math.trunc(high), self.high)
        return between(first, last, rule) if first <= last else poison("num/cast-range")

    # --- many ---------------------------------------------------------------------------------------------------------

    def dot(self, a: Iterable[Payload], b: Iterable[Payload], source: str, acc: str | None = None) -> Payload:
        home: Any = self.numerics.at(acc or self.dtype)
        products = [home.mul(home.cast(x, source), home.cast(y, source)) for x, y in zip(a, b, strict=True)]
        return self.cast(home.reduce("add", products), home.dtype)

    def argreduce(self, op: Literal["maximum", "minimum"], items: Sequence[Payload]) -> Payload:
        if all(isinstance(each, (int, Poison)) for each in items):
            return super().argreduce(op, items)
        spoiled = first_poison(items)
        if spoiled is not None:
            return spoiled
        sets = [as_ints(each) for each in items]
        rule = next((each.rule for each in sets if each.rule), None)
        return some(candidates(_spans(sets), op == "maximum"), rule)

    def order(self, items: Sequence[Payload], descending: bool = False) -> tuple[list[Payload], list[Payload]]:
        if all(isinstance(each, (int, Poison)) for each in items):
            return super().order(items, descending)
        spoiled = first_poison(items)
        if spoiled is not None:
            return [spoiled] * len(items), [spoiled] * len(items)
        sets = [as_ints(each) for each in items]
        rule = next((each.rule for each in sets if each.rule), None)
        lows, highs = sorted((s.lo for s in sets), reverse=descending), sorted((s.hi for s in sets), reverse=descending)
        ranks = ranked(_spans(sets), descending)
        places = [[k for k, (first, last) in enumerate(ranks) if first <= p <= last] for p in range(len(items))]
        values = [between(lo, hi, rule) for lo, hi in zip(lows, highs, strict=True)]
        return values, [some(found or range(len(items)), rule) for found in places]


def _spans(sets: Sequence[Ints]) -> list[Interval]:
    """Integer ranges in the form that ordering takes (ends stay exact Python ints)."""
    return [Interval(each.lo, each.hi, False, each.rule) for each in sets]


def _ids(answers: Iterable[Truth]) -> set[Truth]:
    return set(answers)


_ORDER: dict[str, Callable[[Ints, Ints], tuple[bool, bool]]] = {
    # certainly true, certainly false; only for sets that are too large to be tried
    "less": lambda a, b: (a.hi < b.lo, a.lo >= b.hi),
    "less_equal": lambda a, b: (a.hi <= b.lo, a.lo > b.hi),
    "equal": lambda a, b: (False, a.hi < b.lo or b.hi < a.lo),
    "not_equal": lambda a, b: (a.hi < b.lo or b.hi < a.lo, False),
}


class IntervalBools(plain_.Bools, Collecting):
    """Arithmetic of ``bool`` on truths and ``TruthSet``."""

    def __init__(self, numerics: Numerics, dtype: str) -> None:
        super().__init__(numerics, dtype)
        single = plain_.ieee().at(dtype)
        for name in (
            "add",
            "sub",
            "mul",
            "maximum",
            "minimum",
            "bit_and",
            "bit_or",
            "bit_xor",
            "bit_not",
            "neg",
            *COMPARED,
        ):
            setattr(self, name, lift_truth(getattr(single, name)))

    def join(self, payloads: Iterable[Payload]) -> Payload:
        return any_truth(payloads)

    def everything(self, rule: str | None = None) -> Payload:
        return truths(True, True, rule or "st/byte-of-bool")

    def select(self, truth: Truth, a: Payload, b: Payload) -> Payload:
        if truth is TRUE:
            return a
        if truth is FALSE:
            return b
        return chosen(truth, a, b, any_truth)

    def math(self, name: str) -> Callable[[Payload], Payload]:
        return super().math(name)

    def to_bits(self, a: Payload) -> int:
        if isinstance(a, TruthSet):
            raise NoBits(f"the enclosure {a} has no bits")
        return super().to_bits(a)

    def converter(self, source: str) -> Callable[[Payload], Payload]:
        one = super().converter(source)

        def convert(a: Payload) -> Payload:
            if isinstance(a, Interval):
                zero = a.lo <= 0 <= a.hi
                return truths(a.nan or (not a.empty and not a.lo == a.hi == 0), zero, a.rule)
            if isinstance(a, Ints):
                return truths(a.count > int(a.has(0)), a.has(0), a.rule)
            return one(a)

        return convert

    def reduce(self, op: ReduceOp, items: Iterable[Payload], acc: str | None = None) -> Payload:
        return super().reduce(op, items, acc)

    def argreduce(self, op: Literal["maximum", "minimum"], items: Sequence[Payload]) -> Payload:
        if any(isinstance(each, TruthSet) for each in items):
            as_int: Any = self.numerics.at("int8")
            return as_int.argreduce(op, [as_int.cast(each, "bool") for each in items])
        return super().argreduce(op, items)

    def order(self, items: Sequence[Payload], descending: bool = False) -> tuple[list[Payload], list[Payload]]:
        if any(isinstance(each, TruthSet) for each in items):
            as_int: Any = self.numerics.at("int8")
            values, positions = as_int.order([as_int.cast(each, "bool") for each in items], descending)
            return [self.cast(each, "int8") for each in values], positions
        return super().order(items, descending)


def lift_truth(one: Callable[..., Truth]) -> Callable[..., Truth]:
    """A connective on sets of truths."""

    def apply(*operands: Truth) -> Truth:
        if not any(isinstance(each, TruthSet) for each in operands):
            return one(*operands)
        for each in operands:
            if isinstance(each, Poison):
                return each
        sets = [as_truths(each) for each in operands]
        choices = [[*([TRUE] if s.true else []), *([FALSE] if s.false else [])] for s in sets]
        rule = next((s.rule for s in sets if s.rule), None)
        answers = _ids(one(*values) for values in product(*choices))
        return truths(TRUE in answers, FALSE in answers, rule)

    return apply
