"""Integers of 1 to 64 bits under ``ieee``: two's complement, wrapping. Spec: ``spec/02-values.md``,
``num/int-wrap``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers import base
from refrelax.semantics.numbers.base import CAUGHT, Base, careful
from refrelax.semantics.numbers.interface import Numerics, Payload, ReduceOp
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.syntax import dtypes

Binary = Callable[[Payload, Payload], Payload]


def by_zero(name: str, divisor: Payload = 0) -> Exception:
    """The end of a run that divided an integer by zero, or by poison, which may be zero."""
    what = "zero" if divisor == 0 else f"an element that is open [{divisor.rule}]"
    return unspecified("num/int-division-by-zero", f"{name} of an integer by {what}")


def truncated(a: int, b: int) -> int:
    """The quotient rounded towards zero; raises ``ZeroDivisionError``."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def remainder(a: int, b: int) -> int:
    """What ``truncated`` leaves: the sign of the dividend."""
    return a - truncated(a, b) * b


@rule("num/int-wrap")
def wrapper(dtype: str) -> Callable[[int], int]:
    """The function that reduces an integer into the range of ``dtype``, modulo two to its width."""
    low, high = dtypes.integer_range(dtype)
    span = high - low + 1

    def wrap(value: int) -> int:
        return (value - low) % span + low

    return wrap


def power(base_: int, exponent: int, wrap: Callable[[int], int], span: int) -> int | Poison:
    """``base ** exponent`` modulo the width; a negative exponent is poison ``num/negative-power``."""
    if exponent < 0:
        return poison("num/negative-power")
    return wrap(pow(base_, exponent, span))


def hot(dtype: str) -> tuple[Binary, Binary, Binary]:
    """``add``, ``sub`` and ``mul`` as plain functions: one range check, wrapping only when it fails."""
    low, high = dtypes.integer_range(dtype)
    wrap = wrapper(dtype)

    def add(a: Payload, b: Payload) -> Payload:
        try:
            value = a + b
            return value if low <= value <= high else wrap(value)
        except CAUGHT:
            return careful("add", a, b)

    def sub(a: Payload, b: Payload) -> Payload:
        try:
            value = a - b
            return value if low <= value <= high else wrap(value)
        except CAUGHT:
            return careful("sub", a, b)

    def mul(a: Payload, b: Payload) -> Payload:
        try:
            value = a * b
            return value if low <= value <= high else wrap(value)
        except CAUGHT:
            return careful("mul", a, b)

    return add, sub, mul


class Integers(Base):
    """Arithmetic of one integer dtype; payloads are Python ints inside its range."""

    zero, one, ones = 0, 1, -1

    def __init__(self, numerics: Numerics, dtype: str) -> None:
        super().__init__(numerics, dtype)
        self.width = dtypes.bits(dtype)
        self.low, self.high = dtypes.integer_range(dtype)
        self.wrap = wrapper(dtype)
        self.mask = (1 << self.width) - 1
        self.ones = self.wrap(-1)
        self.one = self.wrap(1)
        self.add, self.sub, self.mul = hot(dtype)
        self.less, self.less_equal = base.less, base.less_equal
        self.equal, self.not_equal = base.equal, base.not_equal

    def lit(self, value: int | float | Fraction) -> Payload:
        return self.wrap(int(value))

    def to_bits(self, a: Payload) -> int:
        if isinstance(a, Poison):
            return super().to_bits(a)
        return int(a) & self.mask

    def from_bits(self, pattern: int) -> Payload:
        return self.wrap(pattern)

    @rule("num/reduction-order", "num/int-wrap")
    def reduce(self, op: ReduceOp, items: Iterable[Payload], acc: str | None = None) -> Payload:
        if op != "add" or acc not in (None, self.dtype):
            return super().reduce(op, items, acc)
        pool = list(items)
        try:
            total = sum(pool)
        except TypeError:  # poison, or a set
            return super().reduce(op, pool, acc)
        return total if self.low <= total <= self.high else self.wrap(total)

    # --- division -----------------------------------------------------------------------------------------------------

    @rule("num/int-division-by-zero", "num/int-wrap")
    def div(self, a: Payload, b: Payload) -> Payload:
        return self._divide("div", truncated, a, b)

    def mod(self, a: Payload, b: Payload) -> Payload:
        return self._divide("mod", remainder, a, b)

    def floordiv(self, a: Payload, b: Payload) -> Payload:
        return self._divide("floordiv", int.__floordiv__, a, b)

    def floormod(self, a: Payload, b: Payload) -> Payload:
        return self._divide("floormod", int.__mod__, a, b)

    def _divide(self, name: str, how: Callable[[int, int], int], a: Payload, b: Payload) -> Payload:
        if isinstance(b, Poison) or b == 0:
            raise by_zero(name, b)
        if isinstance(a, Poison):
            return a
        return self.wrap(how(a, b))

    # --- the rest of arithmetic ---------------------------------------------------------------------------------------

    def neg(self, a: Payload) -> Payload:
        return self.sub(0, a)

    def maximum(self, a: Payload, b: Payload) -> Payload:
        try:
            return a if a >= b else b
        except CAUGHT:
            return careful("maximum", a, b)

    def minimum(self, a: Payload, b: Payload) -> Payload:
        try:
            return a if a <= b else b
        except CAUGHT:
            return careful("minimum", a, b)

    def fma(self, a: Payload, b: Payload, c: Payload) -> Payload:
        return self.add(self.mul(a, b), c)

    def math(self, name: str) -> Callable[[Payload], Payload]:
        match name:
            case "floor" | "ceil" | "round" | "trunc":
                return lambda a: a
            case "abs":
                return self._apply(name, abs)
            case "sign":
                return self._apply(name, lambda a: (a > 0) - (a < 0))
            case "square":
                return lambda a: self.mul(a, a)
        return self.no(name)

    def _apply(self, name: str, function: Callable[[int], int]) -> Callable[[Payload], Payload]:
        def apply(a: Payload) -> Payload:
            try:
                return self.wrap(function(a))
            except CAUGHT:
                return careful(name, a)

        return apply

    def math2(self, name: str) -> Callable[[Payload, Payload], Payload]:
        if name != "pow":
            self.no(name)

        def power_of(a: Payload, b: Payload) -> Payload:
            if isinstance(a, Poison) or isinstance(b, Poison):
                return careful(name, a, b)
            return power(a, b, self.wrap, self.mask + 1)

        return power_of

    # --- bits ---------------------------------------------------------------------------------------------------------

    def bit_and(self, a: Payload, b: Payload) -> Payload:
        try:
            return a & b
        except TypeError:
            return careful("bit_and", a, b)

    def bit_or(self, a: Payload, b: Payload) -> Payload:
        try:
            return a | b
        except TypeError:
            return careful("bit_or", a, b)

    def bit_xor(self, a: Payload, b: Payload) -> Payload:
        try:
            return a ^ b
        except TypeError:
            return careful("bit_xor", a, b)

    def bit_not(self, a: Payload) -> Payload:
        return self._apply("bit_not", int.__invert__)(a)

    @rule("num/shift-range")
    def shift_left(self, a: Payload, b: Payload) -> Payload:
        return self._shift("shift_left", int.__lshift__, a, b)

    @rule("num/shift-range")
    def shift_right(self, a: Payload, b: Payload) -> Payload:
        return self._shift("shift_right", int.__rshift__, a, b)

    def _shift(self, name: str, how: Callable[[int, int], int], a: Payload, b: Payload) -> Payload:
        if isinstance(a, Poison) or isinstance(b, Poison):
            return careful(name, a, b)
        if not 0 <= b < self.width:
            return poison("num/shift-range")
        return self.wrap(how(a, b))

    def popcount(self, a: Payload) -> Payload:
        return self._apply("popcount", lambda x: (x & self.mask).bit_count())(a)

    @rule("num/clz-of-zero")
    def clz(self, a: Payload) -> Payload:
        if not isinstance(a, Poison) and a == 0:
            return poison("num/clz-of-zero")
        return self._apply("clz", lambda x: self.width - (x & self.mask).bit_length())(a)

    # --- conversion ---------------------------------------------------------------------------------------------------

    def converter(self, source: str) -> Callable[[Payload], Payload]:
        match dtypes.kind(source):
            case "bool":
                return lambda a: self.wrap(a.number) if not isinstance(a, Poison) else a
            case "float":
                return self._from_float
            case "int" | "uint":
                return self._from_integer
        return self.no(f"cast from {source}")

    def _from_integer(self, a: Any) -> Payload:
        try:
            return a if self.low <= a <= self.high else self.wrap(a)
        except CAUGHT:
            return careful("cast", a)

    @rule("num/cast-range")
    def _from_float(self, a: Any) -> Payload:
        if isinstance(a, Poison):
            return a
        if not math.isfinite(a):
            return poison("num/cast-range")
        value = math.trunc(a)
        return value if self.low <= value <= self.high else poison("num/cast-range")
