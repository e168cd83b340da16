"""Floating-point arithmetic under ``ieee``: every operation correctly rounded to the dtype, once.

Payloads are Python floats that the dtype holds exactly. A NaN has no payload bits: it is exported as the canonical
quiet NaN of the format (``num/nan-canonical``). Spec: ``spec/02-values.md``.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from refrelax.rules import rule
from refrelax.semantics.numbers import base, elementary
from refrelax.semantics.numbers.base import CAUGHT, Base, careful
from refrelax.semantics.numbers.interface import Numerics, Payload, Truth
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.real_steps import Ideal, rounded
from refrelax.semantics.numbers.rounding import STRUCT_CODES, Rounder, round_fraction, rounder, to_odd, two_sum
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.syntax import bits, dtypes

EXACT = 2**53
"""Up to which every integer is a number of binary64."""

Binary = Callable[[Payload, Payload], Payload]


def hot(dtype: str, to_format: Rounder) -> tuple[Binary, Binary, Binary]:
    """``add``, ``sub`` and ``mul`` as plain functions."""
    if dtype == "float64":
        return _hot_double()
    if dtype in STRUCT_CODES:
        return _hot_struct(STRUCT_CODES[dtype], to_format)

    def add(a: Payload, b: Payload) -> Payload:
        try:
            return to_format(a + b)
        except CAUGHT:
            return careful("add", a, b)

    def sub(a: Payload, b: Payload) -> Payload:
        try:
            return to_format(a - b)
        except CAUGHT:
            return careful("sub", a, b)

    def mul(a: Payload, b: Payload) -> Payload:
        try:
            return to_format(a * b)
        except CAUGHT:
            return careful("mul", a, b)

    return add, sub, mul


def _hot_double() -> tuple[Binary, Binary, Binary]:
    def add(a: Payload, b: Payload) -> Payload:
        try:
            return a + b
        except CAUGHT:
            return careful("add", a, b)

    def sub(a: Payload, b: Payload) -> Payload:
        try:
            return a - b
        except CAUGHT:
            return careful("sub", a, b)

    def mul(a: Payload, b: Payload) -> Payload:
        try:
            return a * b
        except CAUGHT:
            return careful("mul", a, b)

    return add, sub, mul


def _hot_struct(code: str, to_format: Rounder) -> tuple[Binary, Binary, Binary]:
    """Rounds in place: one function call less than through ``to_format`` (``struct`` keeps it safe between threads)."""
    pack, unpack = struct.Struct(code).pack, struct.Struct(code).unpack

    def add(a: Payload, b: Payload) -> Payload:
        try:
            return unpack(pack(a + b))[0]
        except CAUGHT:
            return careful("add", a, b)
        except OverflowError:
            return to_format(a + b)

    def sub(a: Payload, b: Payload) -> Payload:
        try:
            return unpack(pack(a - b))[0]
        except CAUGHT:
            return careful("sub", a, b)
        except OverflowError:
            return to_format(a - b)

    def mul(a: Payload, b: Payload) -> Payload:
        try:
            return unpack(pack(a * b))[0]
        except CAUGHT:
            return careful("mul", a, b)
        except OverflowError:
            return to_format(a * b)

    return add, sub, mul


def divide(a: float, b: float) -> float:
    """IEEE 754 division of doubles, where Python raises."""
    if b == 0:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def remainder(a: float, b: float) -> float:
    """C's ``fmod``: exact, NaN for an infinite dividend or a zero divisor."""
    if a != a or b != b or math.isinf(a) or b == 0:
        return math.nan
    return math.fmod(a, b)


def floor(a: float) -> float:
    """The greatest integer not above ``a``, as a float that keeps infinities, NaN and the sign of zero."""
    if not math.isfinite(a) or abs(a) >= 2.0**52:
        return a
    return math.copysign(float(math.floor(a)), a)


@rule("num/fma-rounds-once")
def fused(dtype: str, to_format: Rounder, a: float, b: float, c: float) -> Payload:
    """``a * b + c`` rounded once."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return to_format(a * b + c)
    if dtype == "float64":
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        return round_fraction(dtype, exact) if exact else a * b + c
    # the product of two formats of at most 24 bits is exact in binary64
    return to_format(to_odd(*two_sum(a * b, c)))


class Floats(Base):
    """Arithmetic of one floating-point dtype."""

    zero, one = 0.0, 1.0

    def __init__(self, numerics: Numerics, dtype: str) -> None:
        super().__init__(numerics, dtype)
        self.round: Rounder = rounder(dtype)
        self.zero, self.one = self.round(0.0), self.round(1.0)
        self.add, self.sub, self.mul = hot(dtype, self.round)
        self.less, self.less_equal = base.less, base.less_equal
        self.equal, self.not_equal = base.equal, base.not_equal
        self._math: dict[str, Callable[[Payload], Payload]] = {}
        self._math2: dict[str, Callable[[Payload, Payload], Payload]] = {}

    def lit(self, value: int | float | Fraction) -> Payload:
        if isinstance(value, float):
            return self.round(value)
        if value.__class__ is int and -EXACT <= value <= EXACT:
            return self.round(float(value))
        return round_fraction(self.dtype, value)

    def from_bits(self, pattern: int) -> Payload:
        return bits.decode(self.dtype, pattern)

    def to_bits(self, a: Payload) -> int:
        if self.dtype == "bfloat16" and a.__class__ is float and a == a:
            # the payload is a bfloat16 already: it is the upper half of its float32 pattern
            return bits.encode("float32", a) >> 16
        return super().to_bits(a)

    def ideal(self, of: Ideal, *args: Payload) -> Payload:
        for each in args:
            if isinstance(each, Poison):
                return each
        return rounded(of, self.dtype, args)

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    @rule("num/float-division")
    def div(self, a: Payload, b: Payload) -> Payload:
        try:
            return self.round(a / b)
        except ZeroDivisionError:
            return careful("div", a, b) if isinstance(a, Poison) else self.round(divide(a, b))
        except CAUGHT:
            return careful("div", a, b)

    def mod(self, a: Payload, b: Payload) -> Payload:
        if isinstance(a, Poison) or isinstance(b, Poison):  # also where the other alone says that it is NaN
            return careful("mod", a, b)
        try:
            return self.round(remainder(a, b))
        except CAUGHT:
            return careful("mod", a, b)

    def floordiv(self, a: Payload, b: Payload) -> Payload:
        quotient = self.div(a, b)
        return quotient if isinstance(quotient, Poison) else self.round(floor(quotient))

    def floormod(self, a: Payload, b: Payload) -> Payload:
        return self.sub(a, self.mul(self.floordiv(a, b), b))

    def neg(self, a: Payload) -> Payload:
        try:
            return self.round(-a)
        except CAUGHT:
            return careful("neg", a)

    @rule("num/nan-in-extremes")
    def maximum(self, a: Payload, b: Payload) -> Payload:
        try:
            if a > b:
                return a
            if b > a:
                return b
            return a if a != a else b if b != b else a if math.copysign(1.0, a) > 0 else b
        except CAUGHT:
            return careful("maximum", a, b)

    @rule("num/nan-in-extremes")
    def minimum(self, a: Payload, b: Payload) -> Payload:
        try:
            if a < b:
                return a
            if b < a:
                return b
            return a if a != a else b if b != b else a if math.copysign(1.0, a) < 0 else b
        except CAUGHT:
            return careful("minimum", a, b)

    def fma(self, a: Payload, b: Payload, c: Payload) -> Payload:
        try:
            return fused(self.dtype, self.round, a, b, c)
        except CAUGHT:
            return careful("fma", a, b, c)

    # --- elementary functions -----------------------------------------------------------------------------------------

    def math(self, name: str) -> Callable[[Payload], Payload]:
        found = self._math.get(name)
        if found is None:
            correct = elementary.function(name, self.dtype)

            def apply(a: Payload) -> Payload:
                try:
                    return correct(a)
                except CAUGHT:
                    return careful(name, a)

            found = self._math[name] = apply
        return found

    def math2(self, name: str) -> Callable[[Payload, Payload], Payload]:
        found = self._math2.get(name)
        if found is None:
            correct = elementary.function2(name, self.dtype)

            def apply(a: Payload, b: Payload) -> Payload:
                if isinstance(a, Poison) or isinstance(b, Poison):
                    return careful(name, a, b)
                return correct(a, b)

            found = self._math2[name] = apply
        return found

    # --- classification -----------------------------------------------------------------------------------------------

    def isnan(self, a: Payload) -> Truth:
        return a if isinstance(a, Poison) else TRUE if a != a else FALSE

    def isinf(self, a: Payload) -> Truth:
        return a if isinstance(a, Poison) else TRUE if math.isinf(a) else FALSE

    def isfinite(self, a: Payload) -> Truth:
        return a if isinstance(a, Poison) else TRUE if math.isfinite(a) else FALSE

    # --- conversion ---------------------------------------------------------------------------------------------------

    def converter(self, source: str) -> Callable[[Payload], Payload]:
        match dtypes.kind(source):
            case "bool":
                return lambda a: a if isinstance(a, Poison) else self.one if a is TRUE else self.zero
            case "int" | "uint":
                return self._from_integer
            case "float":
                return self._from_float
        return self.no(f"cast from {source}")

    def _from_integer(self, a: Any) -> Payload:
        if isinstance(a, Poison):
            return a
        if -(1 << 53) <= a <= 1 << 53:
            return self.round(float(a))
        return round_fraction(self.dtype, Fraction(a))

    @rule("num/round-once")
    def _from_float(self, a: Any) -> Payload:
        # every format fits in binary64, so the payload is exact and is rounded once
        return a if isinstance(a, Poison) else self.round(a)
