"""Hypothesis strategies and helpers that the tests of the readings share."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.enclosure import contains
from refrelax.semantics.numbers.poison import Poison
from refrelax.syntax import bits

FLOATS = (
    "float64",
    "float32",
    "bfloat16",
    "float16",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3fnuz",
    "float4_e2m1fn",
)
ALL_FLOATS = tuple(bits.FORMATS)
IEEE, ENCLOSURE = reading("ieee"), reading("enclosure")


def patterns(dtype: str) -> st.SearchStrategy[int]:
    """Bit patterns of a float dtype: everything, with ordinary magnitudes more often than a uniform choice gives."""
    width = bits.FORMATS[dtype].width
    ordinary = st.floats(-16, 16, allow_subnormal=False).map(lambda x: bits.encode(dtype, x))
    return st.one_of(ordinary, st.integers(0, (1 << width) - 1))


def values(dtype: str) -> st.SearchStrategy[float]:
    """Payloads of a float dtype under ``ieee``."""
    return patterns(dtype).map(lambda p: IEEE.at(dtype).from_bits(p))


def ordinary(dtype: str) -> st.SearchStrategy[float]:
    """Finite payloads of moderate size."""
    return st.floats(-16, 16).map(lambda x: IEEE.at(dtype).lit(x))


def same(a: Any, b: Any) -> bool:
    """Equal payloads of ``ieee``: numbers with their sign of zero, NaN with NaN, poison by rule."""
    if isinstance(a, Poison) or isinstance(b, Poison):
        return a is b
    if isinstance(a, float) and isinstance(b, float):
        return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return a is b or (isinstance(a, int) and isinstance(b, int) and a == b)


def held(enclosed: Any, dtype: str, payload: Any) -> bool:
    """Whether an enclosure holds a payload of ``ieee`` (poison: the enclosure says so)."""
    if isinstance(payload, Poison):
        return ENCLOSURE.poison_rule(enclosed) is not None
    return contains(enclosed, dtype, getattr(payload, "number", payload))
