"""The reading ``sampled``: a random legal implementation, reproducible by its seed.

Any order and association, fused multiply-adds and wider accumulation inside reductions; results of elementary
functions off by permitted ulps; a NaN or the other operand from ``maximum``. The law: every result lies in
``enclosure``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import Random
from typing import Any, Literal
from typing import cast as as_type

from refrelax.rules import rule
from refrelax.semantics.numbers import elementary
from refrelax.semantics.numbers.base import Base
from refrelax.semantics.numbers.bounds import OF_ONE, PERMITTED_ULPS, permitted_ulps
from refrelax.semantics.numbers.floats import Floats
from refrelax.semantics.numbers.ieee import Bools, Ieee
from refrelax.semantics.numbers.integers import Integers
from refrelax.semantics.numbers.interface import Arithmetic, Numerics, Payload, ReduceOp
from refrelax.semantics.numbers.interval_functions import Inflation
from refrelax.semantics.numbers.partial import Partial
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.rounding import has_infinity
from refrelax.semantics.numbers.special import exact_at_zero, special
from refrelax.syntax import bits, dtypes

WIDER = {"float16": ("float32", "float64"), "bfloat16": ("float32", "float64"), "float32": ("float64",)}
"""Formats in which an implementation may accumulate beyond what is promised."""


class Loose(Base):
    """Folds in a random tree, collects partial results."""

    in_order = False

    random: Random

    def tree(self, op: ReduceOp, items: Iterable[Payload]) -> Payload:
        """The items combined in a random order and association."""
        combine, start = self.folding(op)
        pool = list(items)
        if not pool:
            return start if start is not None else poison("num/empty-reduction")
        self.random.shuffle(pool)
        chain = self.random.random() < 0.3
        while len(pool) > 1:
            k = 0 if chain else self.random.randrange(len(pool) - 1)
            pool[k : k + 2] = [combine(pool[k], pool[k + 1])]
        return pool[0]

    def reduce(self, op: ReduceOp, items: Iterable[Payload], acc: str | None = None) -> Payload:
        promised = acc or self.dtype
        wide = self.random.choice((promised, *WIDER.get(promised, ()))) if op in ("add", "mul") else promised
        home: Any = self.numerics.at(wide)
        pool = [home.cast(each, promised) for each in items]
        return self.cast(home.tree(op, pool), wide)

    def either(self, *forms: Callable[[], Payload]) -> Payload:
        return self.random.choice(forms)()

    def forms(self, *functions: Callable[..., Payload], last_holds: bool = False) -> Callable[..., Payload]:
        return lambda *xs: self.either(*[partial(each, *xs) for each in functions])

    def accumulate(self, op: ReduceOp, partial: Payload, item: Payload) -> Payload:
        if isinstance(partial, Partial) and partial.op != op:
            partial = self.settle(partial)
        return Partial(op, partial, item)

    def settle(self, partial: Payload) -> Payload:
        if not isinstance(partial, Partial):
            return partial
        if partial.settled is None:
            partial.settled = self.reduce(partial.op, [self.settle(each) for each in partial.items()])
        return partial.settled


class SampledFloats(Loose, Floats):
    """One float dtype of a random implementation."""

    def __init__(self, numerics: Numerics, dtype: str, random: Random) -> None:
        super().__init__(numerics, dtype)
        self.random = random
        self.inflate = Inflation(dtype)

    def math(self, name: str) -> Callable[[Payload], Payload]:
        correct = super().math(name)
        if PERMITTED_ULPS[name] <= 0.5:
            return correct
        return lambda a: self._off(name, correct(a), isinstance(a, Poison) or _fixed(name, a))

    def math2(self, name: str) -> Callable[[Payload, Payload], Payload]:
        correct = super().math2(name)
        if PERMITTED_ULPS[name] <= 0.5:
            return correct

        def apply(a: Payload, b: Payload) -> Payload:
            known = (
                isinstance(a, Poison)
                or isinstance(b, Poison)
                or elementary.special2(name, a, b) is not None
                or math.isinf(a)
                or math.isinf(b)
            )
            return self._off(name, correct(a, b), known)

        return apply

    @rule("num/permitted-ulps")
    def _off(self, name: str, result: Payload, known: bool) -> Payload:
        """A number at most the permitted ulps away (one less, for the correctly rounded one is itself off by half of
        one).
        """
        if known or isinstance(result, Poison) or not math.isfinite(result) or not bits.FORMATS[self.dtype].signed:
            return result
        ulps = permitted_ulps(name, self.inflate.precision) - 0.5
        steps, reach = self.random.randint(0, int(ulps)), ulps * self.inflate.ulp(result)
        first = result
        up = self.random.random() < 0.5
        for _ in range(steps):
            moved = elementary.step(self.dtype, result, up)
            if isinstance(moved, Poison) or moved != moved or (math.isinf(moved) and not has_infinity(self.dtype)):
                break
            if result >= 0 > moved or (name in OF_ONE and result <= 0 < moved) or abs(moved - first) > reach:
                break
            result = moved
        return result

    def maximum(self, a: Payload, b: Payload) -> Payload:
        return self._nan_or_other(a, b, super().maximum)

    def minimum(self, a: Payload, b: Payload) -> Payload:
        return self._nan_or_other(a, b, super().minimum)

    def _nan_or_other(self, a: Payload, b: Payload, plain: Callable[[Payload, Payload], Payload]) -> Payload:
        result = plain(a, b)
        if isinstance(result, Poison) or result == result:
            return result
        return self.random.choice((a, b))

    def dot(self, a: Iterable[Payload], b: Iterable[Payload], source: str, acc: str | None = None) -> Payload:
        promised = acc or self.dtype
        wide = self.random.choice((promised, *WIDER.get(promised, ())))
        home: Any = self.numerics.at(wide)
        cast: Any = self.numerics.at(promised)
        pairs = [
            (home.cast(cast.cast(x, source), promised), home.cast(cast.cast(y, source), promised))
            for x, y in zip(a, b, strict=True)
        ]
        if self.random.random() < 0.5 or dtypes.kind(wide) != "float":
            return self.cast(home.tree("add", [home.mul(x, y) for x, y in pairs]), wide)
        self.random.shuffle(pairs)
        total = home.zero
        for x, y in pairs:
            total = home.fma(x, y, total) if self.random.random() < 0.7 else home.add(total, home.mul(x, y))
        return self.cast(total, wide)

    def argreduce(self, op: Literal["maximum", "minimum"], items: Sequence[Payload]) -> Payload:
        numbers = [k for k, each in enumerate(items) if isinstance(each, Poison) or each == each]
        if len(numbers) == len(items) or not numbers or self.random.random() < 0.5:
            return super().argreduce(op, items)
        place = super().argreduce(op, [items[k] for k in numbers])
        return place if isinstance(place, Poison) else numbers[place]


class SampledIntegers(Loose, Integers):
    """One integer dtype: every order gives the same."""

    def __init__(self, numerics: Numerics, dtype: str, random: Random) -> None:
        super().__init__(numerics, dtype)
        self.random = random


class SampledBools(Loose, Bools):
    """``bool``: every order gives the same."""

    def __init__(self, numerics: Numerics, dtype: str, random: Random) -> None:
        super().__init__(numerics, dtype)
        self.random = random


def _fixed(name: str, a: float) -> bool:
    """Whether the result is exactly known (zero, infinity or NaN) and may not be off."""
    known = special(name, a)
    return known is not None and (known != known or math.isinf(known) or math.isinf(a) or exact_at_zero(a, known))


class Sampled(Ieee):
    """The ``Numerics`` of one random implementation."""

    name = "sampled"
    collects = True

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed
        self.random = Random(seed)

    def __reduce__(self) -> tuple[object, ...]:
        return sampled, (self.seed,)

    def _make(self, dtype: str) -> Arithmetic:
        exact = super()._make(dtype)
        match dtypes.kind(dtype):
            case "float":
                return as_type(Arithmetic, SampledFloats(self, dtype, self.random))
            case "bool":
                return as_type(Arithmetic, SampledBools(self, dtype, self.random))
            case "int" | "uint":
                return as_type(Arithmetic, SampledIntegers(self, dtype, self.random))
        return exact


def sampled(seed: int = 0) -> Numerics:
    """A random legal implementation; the same seed gives the same one."""
    return Sampled(seed)
