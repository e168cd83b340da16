"""Numbers to bit patterns and back, correctly rounded, for every format in ``dtypes``.

Rounding is to nearest, ties to even, from an exact rational, so that no value is ever rounded twice.
Source: IEEE 754-2019 §4.3; the OCP 8-bit and MX formats by their own definitions.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from operator import ne
from typing import Any
from typing import Literal as _Lit

from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Literal


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """A binary floating-point format.

    ``specials``: ``"ieee"`` (all-ones exponent holds infinity and NaNs), ``"fn"`` (no infinity; all-ones magnitude is
    NaN), ``"fnuz"`` (no infinity, no negative zero; the pattern of −0 is NaN), ``"none"`` (neither).
    ``signed`` is false only for ``float8_e8m0fnu``, whose all-ones pattern is NaN and which has no zero.
    """

    exponent_bits: int
    mantissa_bits: int
    bias: int
    specials: _Lit["ieee", "fn", "fnuz", "none"] = "ieee"
    signed: bool = True

    @property
    def width(self) -> int:
        return self.exponent_bits + self.mantissa_bits + int(self.signed)


FORMATS: dict[str, FloatFormat] = {
    "float16": FloatFormat(5, 10, 15),
    "bfloat16": FloatFormat(8, 7, 127),
    "float32": FloatFormat(8, 23, 127),
    "float64": FloatFormat(11, 52, 1023),
    "float8_e3m4": FloatFormat(3, 4, 3),
    "float8_e4m3": FloatFormat(4, 3, 7),
    "float8_e4m3b11fnuz": FloatFormat(4, 3, 11, "fnuz"),
    "float8_e4m3fn": FloatFormat(4, 3, 7, "fn"),
    "float8_e4m3fnuz": FloatFormat(4, 3, 8, "fnuz"),
    "float8_e5m2": FloatFormat(5, 2, 15),
    "float8_e5m2fnuz": FloatFormat(5, 2, 16, "fnuz"),
    "float8_e8m0fnu": FloatFormat(8, 0, 127, "fn", signed=False),
    "float6_e2m3fn": FloatFormat(2, 3, 1, "none"),
    "float6_e3m2fn": FloatFormat(3, 2, 3, "none"),
    "float4_e2m1fn": FloatFormat(2, 1, 1, "none"),
}

Real = int | float | Fraction


def nan_bits(dtype: str) -> int | None:
    """The canonical quiet NaN of a float dtype, or ``None`` if it has none."""
    f = FORMATS[dtype]
    match f.specials:
        case "ieee":
            return ((1 << f.exponent_bits) - 1) << f.mantissa_bits | 1 << (f.mantissa_bits - 1)
        case "fn":
            return (1 << (f.exponent_bits + f.mantissa_bits)) - 1
        case "fnuz":
            return 1 << (f.width - 1)
        case "none":
            return None


@cache
def largest_finite(dtype: str) -> Fraction:
    """The greatest finite value of a float dtype."""
    f = FORMATS[dtype]
    top_exponent = (1 << f.exponent_bits) - 1
    top_mantissa = (1 << f.mantissa_bits) - 1
    if f.specials == "ieee":
        top_exponent -= 1
    elif f.specials == "fn":
        if f.mantissa_bits:
            top_mantissa -= 1
        else:
            top_exponent -= 1
    return Fraction((1 << f.mantissa_bits) + top_mantissa) * Fraction(2) ** (top_exponent - f.bias - f.mantissa_bits)


def has_values_of(dtype: str, source: str) -> bool:
    """Whether a float dtype has every value of ``source``, a float or an integer dtype: zeros of both signs, subnormals
    and, where ``source`` has them, infinities and NaN."""
    f = FORMATS[dtype]
    if f.specials != "ieee":
        return dtype == source
    if not dtypes.is_float(source):
        width = dtypes.bits(source) - (dtypes.kind(source) == "int")
        return width <= f.mantissa_bits + 1 and width <= f.bias
    g = FORMATS[source]
    fine = f.mantissa_bits >= g.mantissa_bits and f.bias + f.mantissa_bits >= g.bias + g.mantissa_bits
    return g.signed and fine and largest_finite(dtype) >= largest_finite(source)


def encode(dtype: str, value: Real) -> int:
    """The bit pattern nearest to ``value``: wraps for integers, rounds to nearest even for floats, ``!= 0`` for bool.

    A float beyond the format's range becomes infinity, or NaN where the format has no infinity, or the largest finite
    value where it has neither.
    """
    match dtypes.kind(dtype):
        case "bool":
            return int(value != 0)
        case "int" | "uint":
            return int(value) & ((1 << dtypes.bits(dtype)) - 1)
        case "float":
            return _encode_float(dtype, value)
        case _:
            raise ValueError(f"{dtype} has no literals")


def has_number(dtype: str, value: Real) -> bool:
    """Whether ``dtype`` has a pattern for ``value``, rounded: of floats all but a NaN in a format that has none."""
    return value == value or (dtypes.kind(dtype) == "float" and nan_bits(dtype) is not None) or dtype == "bool"


def pattern(dtype: str, value: Real) -> int:
    """``encode`` for a number that is given.

    Raises:
        ValueError: ``dtype`` has no NaN, and it is one (``num/no-nan``); or it has no such integer.
    """
    if dtypes.kind(dtype) in ("int", "uint") and value in (math.inf, -math.inf):
        raise ValueError(f"expected an integer of {dtype}, found {value}")
    found = encode(dtype, value)
    if not has_number(dtype, value):
        raise ValueError(f"expected a number of {dtype}, which has no NaN (num/no-nan), found nan")
    if dtypes.kind(dtype) in ("int", "uint") and decode(dtype, found) != value:
        raise ValueError(f"expected an integer of {dtype}, found {str(value)[:40]}")
    return found


def decode(dtype: str, bits: int) -> int | float:
    """The number that a bit pattern of ``dtype`` stands for (exact: every format fits in binary64)."""
    match dtypes.kind(dtype):
        case "bool":
            return bits & 1
        case "uint":
            return bits
        case "int":
            width = dtypes.bits(dtype)
            return bits - (1 << width) if bits >> (width - 1) else bits
        case "float":
            if dtype in WIDE:  # of too many patterns to remember
                return float(struct.unpack(_STRUCT[dtype], struct.pack(_STRUCT_INT[dtype], bits))[0])
            return _decode_float(dtype, bits)
        case _:
            raise ValueError(f"{dtype} has no literals")


def encode_all(dtype: str, values: Sequence[Any]) -> list[int] | None:
    """``encode`` of each, at once: of floats that are no NaN, in a format that Python packs, and of integers. ``None``
    where one is anything else."""
    code, kinds = _STRUCT.get(dtype), set(map(type, values))
    if code is not None and kinds <= {float} and not any(map(math.isnan, values)):
        try:
            packed = struct.pack(f"<{len(values)}{code[1]}", *values)
        except OverflowError:
            return None
        return list(struct.unpack(f"<{len(values)}{_STRUCT_INT[dtype][1]}", packed))
    if kinds <= {int} and dtypes.kind(dtype) in ("int", "uint"):
        mask = (1 << dtypes.bits(dtype)) - 1
        return [each & mask for each in values]
    return None


def decode_all(dtype: str, patterns: Sequence[int]) -> list[int] | list[float]:
    """``decode`` of each."""
    code = _STRUCT.get(dtype)
    if code is None:
        if dtypes.kind(dtype) != "int":
            return [decode(dtype, each) for each in patterns]
        width, sign = dtypes.bits(dtype), 1 << (dtypes.bits(dtype) - 1)
        return [each - (1 << width) if each >= sign else each for each in patterns]
    packed = array(_STRUCT_INT[dtype][1], patterns)
    if dtype == "float16":  # which ``array`` does not have
        found = list(struct.unpack(f"={len(packed)}e", packed))
    else:
        numbers = array(code[1])
        numbers.frombytes(packed.tobytes())
        found = numbers.tolist()
    return [math.nan if each != each else each for each in found] if any(map(ne, found, found)) else found


def literal(dtype: str, value: Real) -> Literal:
    """``value`` as a literal of ``dtype``."""
    return Literal(dtype, encode(dtype, value))


def literal_value(node: Literal) -> int | float:
    """The Python number that a literal stands for."""
    return decode(node.dtype, node.bits)


_STRUCT = {"float16": "<e", "float32": "<f", "float64": "<d"}
_STRUCT_INT = {"float16": "<H", "float32": "<I", "float64": "<Q"}
WIDE = ("float32", "float64")


def json_number(value: bool | int | float) -> bool | int | float | str:
    """A number as JSON has it: ``"nan"``, ``"inf"``, ``"-inf"`` for what JSON cannot spell."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _encode_float(dtype: str, value: Real) -> int:
    if isinstance(value, float):
        if dtype in _STRUCT and not math.isnan(value):
            try:
                return int(struct.unpack(_STRUCT_INT[dtype], struct.pack(_STRUCT[dtype], value))[0])
            except OverflowError:
                return _overflow(dtype, value < 0)
        if math.isnan(value):
            quiet = nan_bits(dtype)
            return quiet if quiet is not None else 0
        if math.isinf(value):
            return _overflow(dtype, value < 0)
        return _round_to_pattern(dtype, *abs(value).as_integer_ratio(), math.copysign(1.0, value) < 0)
    return _round_to_pattern(dtype, abs(value.numerator), value.denominator, value < 0)


def _overflow(dtype: str, negative: bool) -> int:
    f = FORMATS[dtype]
    sign = int(negative and f.signed) << (f.width - 1)
    match f.specials:
        case "ieee":
            return sign | ((1 << f.exponent_bits) - 1) << f.mantissa_bits
        case "none":
            return sign | ((1 << (f.exponent_bits + f.mantissa_bits)) - 1)
        case _:
            quiet = nan_bits(dtype)
            assert quiet is not None
            return quiet if f.specials == "fnuz" else sign | quiet


def _round_to_pattern(dtype: str, numerator: int, denominator: int, negative: bool) -> int:
    """The pattern of a magnitude and a sign. In integers: literals are read, and rounded, very often."""
    f = FORMATS[dtype]
    if not f.signed:  # e8m0: powers of two only
        if negative or numerator == 0:
            quiet = nan_bits(dtype)
            assert quiet is not None
            return quiet if negative else 0
    sign = int(negative and f.signed) << (f.width - 1)
    if numerator == 0:
        return 0 if f.specials == "fnuz" else sign
    exponent = numerator.bit_length() - denominator.bit_length()
    above, below = _times_power(numerator, denominator, -exponent)
    if above < below:
        exponent -= 1
    exponent = max(exponent, 1 - f.bias if f.signed else -f.bias)
    above, below = _times_power(numerator, denominator, f.mantissa_bits - exponent)
    units, rest = divmod(above, below)
    if 2 * rest > below or (2 * rest == below and units & 1):
        units += 1
    # ``units`` carries the hidden bit, so adding it to the shifted exponent also handles subnormals and carries
    pattern = ((exponent + f.bias - 1) << f.mantissa_bits) + units
    if not f.signed:
        pattern = max(pattern, 0)
    if pattern > _largest_pattern(dtype):
        return _overflow(dtype, negative)
    if pattern == 0 and f.specials == "fnuz":
        return 0
    return sign | pattern


def _times_power(numerator: int, denominator: int, power: int) -> tuple[int, int]:
    """``numerator / denominator * 2**power``, as a pair."""
    return (numerator << power, denominator) if power >= 0 else (numerator, denominator << -power)


@cache
def _largest_pattern(dtype: str) -> int:
    """The pattern of ``largest_finite``; patterns of magnitudes are in the order of the magnitudes."""
    f = FORMATS[dtype]
    ones = (1 << (f.exponent_bits + f.mantissa_bits)) - 1
    match f.specials:
        case "ieee":
            return ones - (1 << f.mantissa_bits)
        case "fn":
            return ones - 1
        case "fnuz" | "none":
            return ones


@lru_cache(maxsize=1 << 16)
def _decode_float(dtype: str, bits: int) -> float:
    if dtype in _STRUCT:
        return float(struct.unpack(_STRUCT[dtype], struct.pack(_STRUCT_INT[dtype], bits))[0])
    f = FORMATS[dtype]
    negative = f.signed and bool(bits >> (f.width - 1))
    exponent = bits >> f.mantissa_bits & ((1 << f.exponent_bits) - 1)
    mantissa = bits & ((1 << f.mantissa_bits) - 1)
    all_ones = exponent == (1 << f.exponent_bits) - 1
    if f.specials == "ieee" and all_ones:
        return math.nan if mantissa else (-math.inf if negative else math.inf)
    if f.specials == "fn" and all_ones and mantissa == (1 << f.mantissa_bits) - 1:
        return math.nan
    if f.specials == "fnuz" and bits == 1 << (f.width - 1):
        return math.nan
    if not f.signed:
        return math.ldexp(1.0, exponent - f.bias)
    if exponent == 0:
        value = math.ldexp(mantissa, 1 - f.bias - f.mantissa_bits)
    else:
        value = math.ldexp(mantissa + (1 << f.mantissa_bits), exponent - f.bias - f.mantissa_bits)
    return -value if negative else value
