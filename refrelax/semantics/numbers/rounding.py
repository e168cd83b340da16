"""Rounding of doubles and of exact rationals to a float dtype, once. Spec: ``spec/02-values.md``, ``num/round-once``.

An operation on formats of at most 24 significant bits may be computed in binary64 and rounded again: for ``+ - * /``
and ``sqrt`` the second rounding is innocuous when ``53 >= 2 p + 2`` (Figueroa 1995). Everything else is rounded from
the exact value, or from a double rounded to odd.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from functools import cache

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.poison import poison
from refrelax.syntax import bits

STRUCT_CODES = {"float16": "e", "float32": "f"}
"""Formats for which ``struct`` rounds a double correctly; it raises ``OverflowError`` beyond the largest."""

Rounder = Callable[[float], Payload]


@cache
def largest(dtype: str) -> float:
    """The greatest finite value."""
    return float(bits.largest_finite(dtype))


@cache
def smallest(dtype: str) -> float:
    """The least positive value."""
    f = bits.FORMATS[dtype]
    return math.ldexp(1.0, (1 - f.bias - f.mantissa_bits) if f.signed else -f.bias)


@cache
def smallest_normal(dtype: str) -> float:
    """The least positive value with a full mantissa."""
    f = bits.FORMATS[dtype]
    return math.ldexp(1.0, (1 - f.bias) if f.signed else -f.bias)


@cache
def has_infinity(dtype: str) -> bool:
    return bits.FORMATS[dtype].specials == "ieee"


@cache
def has_nan(dtype: str) -> bool:
    return bits.FORMATS[dtype].specials != "none"


@rule("num/round-once", "num/no-nan")
def round_careful(dtype: str, value: float) -> Payload:
    """Any double in ``dtype``, by way of the bit pattern; NaN is poison ``num/no-nan`` where the format has none."""
    if value != value and not has_nan(dtype):
        return poison("num/no-nan")
    return bits.decode(dtype, bits.encode(dtype, value))


@cache
def rounder(dtype: str) -> Rounder:
    """The function that rounds a double to ``dtype``, ties to even."""
    if dtype == "float64":
        return lambda value: value
    code = STRUCT_CODES.get(dtype)
    if code is not None:
        return _struct_rounder(code)
    if not bits.FORMATS[dtype].signed:
        return lambda value: round_careful(dtype, value)
    return _magic_rounder(dtype)


def _struct_rounder(code: str) -> Rounder:
    pack, unpack = struct.Struct(code).pack, struct.Struct(code).unpack

    def to_format(value: float) -> Payload:
        try:
            return unpack(pack(value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)

    return to_format


def _magic_rounder(dtype: str) -> Rounder:
    """Adds and subtracts one and a half times the unit that makes binary64 drop the bits below the target's last
    place.
    """
    f = bits.FORMATS[dtype]
    least = 1 - f.bias - f.mantissa_bits
    # indexed by the exponent of ``frexp``; negative exponents reach the list from its end
    magic = [0.0] * 2200
    for exponent in range(-1080, 1025):
        unit = max(exponent - f.mantissa_bits - 1, least)
        magic[exponent] = math.ldexp(1.5, min(unit + 52, 1022))
    frexp, copysign, limit = math.frexp, math.copysign, largest(dtype)
    keeps_zero_sign = f.specials != "fnuz"

    def to_format(value: float) -> Payload:
        unit = magic[frexp(value)[1]]
        result = (value + unit) - unit
        if -limit <= result <= limit and keeps_zero_sign:
            return copysign(result, value)
        return round_careful(dtype, value)

    return to_format


def round_fraction(dtype: str, value: int | Fraction) -> float:
    """An exact rational in ``dtype``; zero becomes +0."""
    if dtype == "float64":
        try:
            return value.numerator / value.denominator
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    return bits.decode(dtype, bits.encode(dtype, value))


def to_odd(value: float, error: float) -> float:
    """``value + error`` (the pair of an exact sum) rounded to odd in binary64, so that a further rounding is
    correct.
    """
    if error == 0 or not math.isfinite(value):
        return value
    mantissa = int(math.ldexp(abs(math.frexp(value)[0]), 53))
    if mantissa & 1:
        return value
    return math.nextafter(value, math.inf if error > 0 else -math.inf)


def two_sum(a: float, b: float) -> tuple[float, float]:
    """``a + b`` as a rounded sum and its exact error (Knuth); meaningful while nothing overflows."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)
