"""Elementary functions, correctly rounded.

For formats of at most 24 bits the double of the C library is used whenever a margin of 32 units of its last place
cannot change the rounding; what is left, and all of float64, is decided by mpmath at growing precision (Ziv's
strategy).

Spec: ``spec/02-values.md``, ``num/correctly-rounded``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from struct import Struct

from refrelax.errors import InternalError
from refrelax.rules import rule
from refrelax.semantics.numbers import multiprecision as mp
from refrelax.semantics.numbers.functions import FUNCTIONS, PRECISE
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.rounding import STRUCT_CODES, Rounder, largest, round_fraction, rounder, smallest
from refrelax.semantics.numbers.special import power_special, special
from refrelax.syntax import bits

BELOW, ABOVE = 1 - 2.0**-48, 1 + 2.0**-48
"""The margin around a double of the C library: 32 units of its last place, far more than any of them is off."""


DOUBLE2: dict[str, Callable[[float, float], float]] = {"pow": math.pow, "atan2": math.atan2, "hypot": math.hypot}


# --- one argument ----------------------------------------------------------------------------------------------------


@cache
@rule("num/correctly-rounded", "num/special-values")
def function(name: str, dtype: str) -> Callable[[float], Payload]:
    """The correctly rounded ``name`` on Python floats that ``dtype`` holds.

    Raises:
        InternalError: ``name`` is not in ``MATH``.
    """
    if name not in FUNCTIONS:
        raise InternalError(f"no elementary function is called {name}")
    to_format, double = rounder(dtype), FUNCTIONS[name].double
    if FUNCTIONS[name].exact:
        return lambda x: to_format(double(x))
    if dtype == "float64":
        if name == "sqrt":
            return lambda x: math.nan if x < 0 else math.sqrt(x)
        return lambda x: slow(name, dtype, x + 0.0 if x else x)
    return _through_double(name, dtype, to_format, double)


def _through_double(
    name: str, dtype: str, to_format: Rounder, double: Callable[[float], float]
) -> Callable[[float], Payload]:
    def apply(x: float) -> Payload:
        try:
            value = double(x)
            result = to_format(value)
            if to_format(value * BELOW) == result == to_format(value * ABOVE):
                return result
        except (ValueError, OverflowError, ZeroDivisionError):
            pass
        return slow(name, dtype, x)

    if dtype not in STRUCT_CODES:
        return apply
    three = Struct(3 * STRUCT_CODES[dtype])
    pack, unpack = three.pack, three.unpack

    def at_once(x: float) -> Payload:
        try:
            value = double(x)
            result, low, high = unpack(pack(value, value * BELOW, value * ABOVE))
            if low == result == high:
                return result
        except (ValueError, OverflowError, ZeroDivisionError):
            pass
        return apply(x)

    return at_once


def slow(name: str, dtype: str, x: float) -> Payload:
    """Special values, then Ziv's strategy."""
    if not isinstance(x, float):
        raise TypeError(f"{type(x).__name__} is no float")
    known = special(name, x)
    if known is not None and not (known == known and abs(known) == math.pi / 2):
        return rounder(dtype)(known)
    if known is not None:
        return ziv(dtype, lambda precision: mp.half_pi(known < 0, precision))
    if name == "log2" and math.frexp(x)[0] == 0.5:
        return rounder(dtype)(float(math.frexp(x)[1] - 1))
    argument = mp.number(x)
    return ziv(dtype, lambda precision: PRECISE[name](argument, precision), FUNCTIONS[name].meets)


@rule("num/correctly-rounded")
def ziv(dtype: str, approximate: Callable[[int], mp.Mpf], sometimes_exact: bool = False) -> Payload:
    """Round a value that is known to any relative precision: raise the precision until the rounding is unambiguous.

    ``approximate(p)`` is off by less than ``2**-p`` of itself. ``sometimes_exact``: the value may lie exactly between
    two numbers of the format, and then a short mantissa is the value itself.
    """
    for precision in (80, 160, 400, 1200, 4000):
        negative, mantissa, exponent = mp.parts(approximate(precision))
        if mantissa == 0 or (sometimes_exact and mantissa.bit_length() <= 64) or precision == 4000:
            return _scaled(dtype, negative, mantissa, exponent)
        mantissa, exponent = mantissa << 8, exponent - 8
        slack = max(1, mantissa >> (precision - 1))
        low = _scaled(dtype, negative, mantissa - slack, exponent)
        if low == _scaled(dtype, negative, mantissa + slack, exponent):
            return low
    raise InternalError("unreachable")


def _scaled(dtype: str, negative: int, mantissa: int, exponent: int) -> Payload:
    """``± mantissa * 2**exponent`` in ``dtype``, rounded once; keeps the sign of a result that underflows."""
    if exponent >= 0:
        value = Fraction(mantissa << min(exponent, 5000))
    else:
        value = Fraction(mantissa, 1 << -exponent)
    result = round_fraction(dtype, value)
    if not negative:
        return result
    return -result if bits.FORMATS[dtype].signed else rounder(dtype)(-1.0)


# --- two arguments ---------------------------------------------------------------------------------------------------


@cache
@rule("num/correctly-rounded", "num/special-values")
def function2(name: str, dtype: str) -> Callable[..., Payload]:
    """The correctly rounded ``name`` of two arguments.

    Raises:
        InternalError: ``name`` is not in ``MATH2``.
    """
    to_format = rounder(dtype)
    match name:
        case "copysign":
            return lambda x, y: to_format(math.copysign(x, y if y == y else 1.0))  # a NaN has no sign of the host's
        case "nextafter":
            return lambda x, y: next_after(dtype, x, y)
        case "fmod":
            return lambda x, y: to_format(_fmod(x, y))
        case "ldexp":
            return lambda x, n: to_format(scaled(x, n))
        case "pow" | "atan2" | "hypot":
            return _through_double2(name, dtype, to_format)
    raise InternalError(f"no elementary function is called {name}")


def _through_double2(name: str, dtype: str, to_format: Rounder) -> Callable[[float, float], Payload]:
    double = DOUBLE2[name]

    def apply(x: float, y: float) -> Payload:
        if dtype != "float64":
            try:
                value = double(x, y)
                result = to_format(value)
                if to_format(value * BELOW) == result == to_format(value * ABOVE):
                    return result
            except (ValueError, OverflowError):
                pass
        return slow2(name, dtype, x, y)

    return apply


def slow2(name: str, dtype: str, x: float, y: float) -> Payload:
    """Special values of two arguments, then Ziv's strategy."""
    known = special2(name, x, y)
    if known is not None:
        return rounder(dtype)(known)
    if name == "atan2" and (x == 0 or y == 0 or math.isinf(x) or math.isinf(y)):
        # a rational multiple of pi: the double says which
        return ziv(dtype, lambda precision: mp.pi_multiple(round(math.atan2(x, y) / (math.pi / 4)), precision))
    first, second = mp.number(x), mp.number(y)
    return ziv(dtype, lambda precision: mp.BINARY[name](first, second, precision), name != "atan2")


def special2(name: str, x: float, y: float) -> float | None:
    """The result of ``pow``, ``atan2`` or ``hypot`` where it needs no approximation, else ``None``."""
    if name == "pow":
        return power_special(x, y)
    if name == "hypot":
        if math.isinf(x) or math.isinf(y):
            return math.inf
        if x != x or y != y:
            return math.nan
        return math.fabs(x) if y == 0 else math.fabs(y) if x == 0 else None
    if x != x or y != y:
        return math.nan
    value = math.atan2(x, y)
    return value if value == 0 and (x == 0 or math.isinf(y)) else None


def _fmod(x: float, y: float) -> float:
    if x != x or y != y or math.isinf(x) or y == 0:
        return math.nan
    return math.fmod(x, y)


def scaled(x: float, n: int) -> float:
    """``x * 2**n`` in binary64."""
    try:
        return math.ldexp(x, n)
    except OverflowError:
        return math.copysign(math.inf, x)


def next_after(dtype: str, x: float, y: float) -> Payload:
    """The neighbour of ``x`` in the direction of ``y``; beyond the largest finite value as rounding does it."""
    if x != x or y != y:
        return rounder(dtype)(math.nan)
    if x == y:
        return rounder(dtype)(y)
    return step(dtype, x, y > x)


def step(dtype: str, x: float, up: bool) -> Payload:
    """The next number of ``dtype`` above (or below) ``x``, which the format holds."""
    if dtype == "float64":
        return math.nextafter(x, math.inf if up else -math.inf)
    if not bits.FORMATS[dtype].signed:
        return rounder(dtype)(x * (2.0 if up else 0.5))
    if math.isinf(x):
        return x if (x > 0) == up else math.copysign(largest(dtype), x)
    if x == 0:
        return bits.decode(dtype, 1) * (1.0 if up else -1.0)
    if abs(x) == largest(dtype) and (x > 0) == up:
        return rounder(dtype)(x * 2)
    unit = max(math.ulp(x) * 2.0 ** (52 - bits.FORMATS[dtype].mantissa_bits), smallest(dtype))
    if (x > 0) == up:
        return x + math.copysign(unit, x)
    if abs(math.frexp(x)[0]) == 0.5 and unit > smallest(dtype):
        unit /= 2  # below a power of two the numbers lie twice as close
    return math.copysign(abs(x) - unit, x)
