"""The reading ``strict``: ``enclosure``, narrowed by what the field's standards fix though Relax leaves it open.

For a judge that wants to know whether an implementation also keeps IEEE 754-2019, the array API and ONNX. It never
changes ``ieee``. What it fixes, and on whose word, is the table ``FIXED``.

The sign of a zero is part of a result here: a float ``0.0`` or ``-0.0`` stands for itself, the interval ``[0, 0]`` for
a zero of either sign.

Spec: ``spec/02-values.md``, *The strict profile*.
"""

# ruff: noqa: E501
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, reduce
from typing import Any, Literal
from typing import cast as as_type

from refrelax.rules import rule
from refrelax.semantics.numbers import intsets
from refrelax.semantics.numbers.enclosure import Enclosure
from refrelax.semantics.numbers.interface import Arithmetic, Numerics, Payload, ReduceOp, Truth
from refrelax.semantics.numbers.interval_floats import chosen
from refrelax.semantics.numbers.interval_integers import IntervalIntegers
from refrelax.semantics.numbers.interval_many import ManyFloats
from refrelax.semantics.numbers.interval_reductions import candidates, first_poison
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval, joined
from refrelax.semantics.numbers.intsets import Ints
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.syntax import dtypes

FIXED: tuple[tuple[str, str, str], ...] = (
    ("`maximum`, `minimum`, `clip`, `relu`, `max`, `min` with a NaN", "NaN", "IEEE 754-2019 §9.6 `maximum`, `minimum`; array API `maximum`, `clip`, `max`"),
    ("`argmax`, `argmin` with a NaN", "the position of the first NaN", "array API: the first occurrence of the extreme, which is NaN"),
    ("the sign of a zero that one operation gives", "that of the operation", "IEEE 754-2019 §6.3, and §9.2.1 for functions"),
    ("a negative index of `take`, `gather_elements`, `gather_nd`", "counts from the end, once", "ONNX `Gather`, `GatherElements`, `GatherND`"),
    ("`clz` of zero", "the width", "C23 §7.18.3 `stdc_leading_zeros`"),
    ("`squeeze` of an axis that turns out to have another extent than 1", "no value", "array API `squeeze`: an error is raised"),
    ("`reshape` to what turns out to be another number of elements", "no value", "ONNX `Reshape`: both have the same number of elements"),
)  # fmt: skip
"""What is fixed: where Relax leaves it open, the result, the source."""

WITHOUT_VALUE = {"op.squeeze/extent-one": "array API `squeeze`", "op.reshape/element-count-run": "ONNX `Reshape`"}
"""Rules that leave a run open which has no value on the word of a standard: what returns one is outside. How it ends
instead is not fixed, so no reading says it."""

EITHER_ZERO = Interval(0.0, 0.0)


def is_strict(numerics: Numerics) -> bool:
    """Whether operators follow the table as well."""
    return numerics.name == "strict"


def sign_kept(payload: Payload, observed: float) -> bool:
    """Whether an observed zero has the sign that a payload of ``strict`` fixes (true for whatever is no zero)."""
    fixed = payload.__class__ is float and payload == 0 and observed == 0
    return not fixed or math.copysign(1.0, payload) == math.copysign(1.0, observed)


class StrictFloats(ManyFloats):
    """``ManyFloats`` whose extremes propagate NaNs and whose zeros have signs."""

    signed_zeros = True

    def legal(self, a: Payload) -> Payload:
        found = super().legal(a)
        return EITHER_ZERO if isinstance(a, Interval) and found.__class__ is float and found == 0 else found

    def join(self, payloads: Iterable[Payload]) -> Payload:
        items = list(payloads)
        found = joined(items)
        if found.__class__ is not float or found != 0:
            return found
        same = all(x.__class__ is float for x in items) and len({math.copysign(1.0, x) for x in items}) == 1
        return found if same else EITHER_ZERO

    def select(self, truth: Truth, a: Payload, b: Payload) -> Payload:
        return a if truth is TRUE else b if truth is FALSE else chosen(truth, a, b, self.join)

    def either(self, *forms: Callable[[], Payload]) -> Payload:
        return self.join([form() for form in forms])

    def forms(self, *functions: Callable[..., Payload], last_holds: bool = False) -> Callable[..., Payload]:
        if last_holds and self.inflate.signed:
            return functions[-1]
        return lambda *xs: self.join([form(*xs) for form in functions])

    def order(self, items: Sequence[Payload], descending: bool = False) -> tuple[list[Payload], list[Payload]]:
        values, places = super().order(items, descending)
        if all(each.__class__ is float for each in items):
            return values, places
        return [EITHER_ZERO if each.__class__ is float and each == 0 else each for each in values], places

    @rule("num/strict")
    def _extreme(self, a: Payload, b: Payload, pick: Callable[..., float], plain: Callable[..., Payload]) -> Payload:
        if isinstance(a, Poison) or isinstance(b, Poison):
            return a if isinstance(a, Poison) else b
        if a.__class__ is float and b.__class__ is float and a == a and b == b:
            zeros = a == 0 and b == 0 and math.copysign(1.0, a) != math.copysign(1.0, b)
            return EITHER_ZERO if zeros else plain(a, b)
        x, y = as_interval(a), as_interval(b)
        nan, mark = x.nan or y.nan, x.rule or y.rule
        if x.empty or y.empty:
            return self.legal(Interval(INF, -INF, nan, mark))
        return self.legal(Interval(pick(x.lo, y.lo), pick(x.hi, y.hi), nan, mark))

    def _reduce(self, op: ReduceOp, items: list[Payload], acc: str | None, unrounded: bool) -> Payload:
        if op == "mul" and len(items) > 1:  # a zero that several operations lead to
            found = super()._reduce(op, items, acc, unrounded)
            return EITHER_ZERO if found.__class__ is float and found == 0 else found
        if op not in ("maximum", "minimum") or not items or first_poison(items) is not None:
            return super()._reduce(op, items, acc, unrounded)
        home: Any = self if acc is None or acc == self.dtype else self.numerics.at(acc)
        return self.cast(reduce(getattr(home, op), items), home.dtype)

    @rule("num/strict")
    def argreduce(self, op: Literal["maximum", "minimum"], items: Sequence[Payload]) -> Payload:
        spoiled = first_poison(items)
        if spoiled is not None or not items:
            return poison("num/empty-reduction") if spoiled is None else spoiled
        spreads = [as_interval(each) for each in items]
        mark = next((x.rule for x in spreads if x.rule), None)
        certain = next((k for k, x in enumerate(spreads) if x.nan and x.empty), None)
        maybe = [k for k, x in enumerate(spreads) if x.nan and (certain is None or k <= certain)]
        if certain is None:
            maybe += candidates([Interval(x.lo, x.hi, False, x.rule) for x in spreads], op == "maximum")
        return intsets.some(sorted(set(maybe)) or range(len(items)), mark)


class StrictIntegers(IntervalIntegers):
    """``IntervalIntegers`` with the number of leading zeros of zero."""

    def __init__(self, numerics: Numerics, dtype: str) -> None:
        super().__init__(numerics, dtype)
        leave = self.clz

        @rule("num/strict")
        def clz(a: Payload) -> Payload:
            found = leave(a)
            if isinstance(found, Poison) and found.rule == "num/clz-of-zero":
                return self.width
            if isinstance(found, Ints) and found.rule == "num/clz-of-zero":
                return intsets.between(found.lo, self.width, None)
            return found

        self.clz = clz  # type: ignore[method-assign]


class Strict(Enclosure):
    """The ``Numerics`` of this reading; one object, from ``strict()``."""

    name = "strict"

    def __reduce__(self) -> tuple[object, ...]:
        return strict, ()

    def _make(self, dtype: str) -> Arithmetic:
        if dtypes.lanes(dtype) == 1 and dtypes.kind(dtype) == "float":
            return as_type(Arithmetic, StrictFloats(self, dtype))
        if dtypes.lanes(dtype) == 1 and dtypes.is_integer(dtype):
            return as_type(Arithmetic, StrictIntegers(self, dtype))
        return super()._make(dtype)


@cache
@rule("num/strict")
def strict() -> Numerics:
    """The reading itself."""
    return Strict()


__all__ = ["FIXED", "WITHOUT_VALUE", "is_strict", "sign_kept", "strict"]
