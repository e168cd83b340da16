"""The elements at which arithmetic goes wrong: zeros of both signs, NaN, infinities, subnormals, extremes, ties."""

from __future__ import annotations

import math
from functools import cache

from refrelax.syntax import bits, dtypes

ELEMENT_DTYPES = (
    "float32", "int32", "bool", "int64", "float16", "float64", "bfloat16", "uint8", "int8", "uint32", "uint64", "int16",
    "uint16", "int4", "uint4", "uint1", "int1", "int7", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz",
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn",
    "float6_e3m2fn", "float4_e2m1fn",
)  # fmt: skip
"""Every float format, and integers of every kind of width."""


@cache
def corners(dtype: str) -> tuple[int, ...]:
    """Bit patterns of ``dtype``, each once, small whole numbers first."""
    match dtypes.kind(dtype):
        case "bool":
            return (1, 0)
        case "float":
            return _floats(dtype)
        case _:
            low, high = dtypes.integer_range(dtype)
            width = dtypes.bits(dtype)
            wanted = (1, 2, 0, -1, 3, high, low, low + 1, high - 1, width, width - 1, high // 2, -7)
            return tuple(dict.fromkeys(bits.encode(dtype, n) for n in wanted if low <= n <= high))


def _floats(dtype: str) -> tuple[int, ...]:
    largest, tiny = bits.largest_finite(dtype), bits.decode(dtype, 1)
    one = bits.encode(dtype, 1.0)
    finite = (1.0, 2.0, 0.5, -1.0, 1.5, 2.5, -2.5, 3.0, -0.0, 0.0, float(largest), -float(largest), tiny, -tiny, 1e-3)
    found = [bits.encode(dtype, x) for x in finite if bits.FORMATS[dtype].signed or math.copysign(1.0, x) > 0]
    found += [one + 1, one - 1]
    if bits.FORMATS[dtype].specials == "ieee":
        found += [bits.encode(dtype, math.inf), bits.encode(dtype, -math.inf)]
    if bits.FORMATS[dtype].specials != "none":
        found.append(bits.encode(dtype, math.nan))
    return tuple(dict.fromkeys(found))


@cache
def plain(dtype: str, limit: int = 4) -> tuple[int, ...]:
    """Small whole numbers from zero on, in range of every axis of more than ``limit`` positions."""
    top = limit if dtypes.kind(dtype) == "float" else min(limit, dtypes.integer_range(dtype)[1] + 1)
    if dtypes.kind(dtype) == "bool":
        return (1, 0)
    return tuple(dict.fromkeys(bits.encode(dtype, n) for n in range(top))) or (0,)


def fill(patterns: tuple[int, ...], count: int, seed: int) -> list[int]:
    """``count`` of them, walked with a stride that meets all, from a place that ``seed`` chooses."""
    size = len(patterns)
    stride = next(k for k in (7, 5, 3, 1) if math.gcd(k, size) == 1)
    return [patterns[(seed * 3 + k * stride + k // size) % size] for k in range(count)]
