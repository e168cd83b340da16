"""Comparing outcomes of runs, for the properties."""

from __future__ import annotations

from typing import Any

from refrelax.running.arrays import Tensor
from refrelax.syntax import bits, dtypes


def same_bits(a: Any, b: Any) -> bool:
    """Equal bits wherever ``a`` is determined; any NaN equals any NaN."""
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same_bits, a, b))
    if not isinstance(a, Tensor):
        return bool(a == b or (a != a and b != b))
    if not isinstance(b, Tensor) or a.dtype != b.dtype or a.shape != b.shape:
        return False
    pairs = zip(a.patterns(), b.patterns(), strict=True)
    return all(x is None or x == y or _both_nan(a.dtype, x, y) for x, y in pairs)


def _both_nan(dtype: str, x: int, y: int | None) -> bool:
    if not dtypes.is_float(dtype) or y is None:
        return False
    a, b = bits.decode(dtype, x), bits.decode(dtype, y)
    return a != a and b != b


def within(permitted: Any, found: Any) -> bool:
    """Whether a value lies in an enclosure, part by part."""
    if isinstance(permitted, tuple):
        return isinstance(found, tuple) and len(permitted) == len(found) and all(map(within, permitted, found))
    if isinstance(permitted, Tensor):
        return permitted.contains(found)
    return bool(permitted == found or (permitted != permitted and found != found))
