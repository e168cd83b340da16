"""Quantisation of mode ``fast`` at float32: some elements at a time, with one scale for all or one a position."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_.blocks import NEAR, filled
from refrelax.backends.numpy_.memory import fresh
from refrelax.backends.numpy_.operators import OPERATORS

NARROW_INTEGERS = {"int8": (-128.0, 127.0), "uint8": (0.0, 255.0), "int16": (-32768.0, 32767.0)}

Piece = tuple[Any, Any, Any, Any]
"""Elements, where their results go, and their scale and zero point."""


def quantize(x: Any, scale: Any, zero: Any, **attrs: Any) -> Any:
    out = attrs["out_dtype"]
    if (
        out not in NARROW_INTEGERS
        or type(x) is not np.ndarray
        or x.dtype != np.float32
        or not _fit(x, scale, zero, attrs)
    ):
        return OPERATORS["relax.quantize"](attrs, (x, scale, zero), True)
    low, high = (np.array(each, np.float32) for each in NARROW_INTEGERS[out])
    result = fresh(x.shape, out)
    for part, cells, size, point in _pieces(x, result, scale, zero, attrs["axis"]):
        t = np.divide(part, size)
        np.rint(t, out=t)
        t += point
        np.minimum(t, filled(high, t), out=t)
        np.maximum(t, filled(low, t), out=t)
        np.copyto(cells, t, casting="unsafe")
    return result


def dequantize(x: Any, scale: Any, zero: Any, **attrs: Any) -> Any:
    """Of integers of at most 16 bits, whose differences float32 holds."""
    usual = attrs["out_dtype"] == "float32" and type(x) is np.ndarray and x.dtype.name in NARROW_INTEGERS
    if not usual or not _fit(x, scale, zero, attrs):
        return OPERATORS["relax.dequantize"](attrs, (x, scale, zero), True)
    if zero.dtype.itemsize > 2 and zero.size and max(int(zero.max()), -int(zero.min())) > 1 << 22:
        return OPERATORS["relax.dequantize"](attrs, (x, scale, zero), True)
    result = fresh(x.shape, np.float32)
    for part, t, size, point in _pieces(x, result, scale, zero, attrs["axis"]):
        np.copyto(t, part)
        t -= point
        t *= size
    return result


def _fit(x: Any, scale: Any, zero: Any, attrs: dict[str, Any]) -> bool:
    """Whether the parameters are arrays of the usual dtypes, one number each or one a position of the axis."""
    if not x.flags.c_contiguous or type(scale) is not np.ndarray or type(zero) is not np.ndarray:
        return False
    if scale.dtype != np.float32 or zero.dtype.kind not in "iu" or zero.dtype.isbuiltin != 1:
        return False
    if scale.size == zero.size == 1:
        return True
    extent = x.shape[attrs["axis"] % x.ndim] if x.ndim else 1
    return all(each.size == 1 or each.shape == (extent,) for each in (scale, zero))


def _pieces(x: Any, result: Any, scale: Any, zero: Any, axis: int) -> Iterator[Piece]:
    point = zero.astype(np.float32)
    if scale.size == zero.size == 1:
        flat, cells, size, point = x.reshape(-1), result.reshape(-1), scale.reshape(()), point.reshape(())
        for first in range(0, len(flat), NEAR):
            yield flat[first : first + NEAR], cells[first : first + NEAR], size, point
        return
    axis %= x.ndim
    lead, count, tail = prod(x.shape[:axis]), x.shape[axis], prod(x.shape[axis + 1 :])
    each, into = x.reshape(lead, count, tail), result.reshape(lead, count, tail)
    size, point = scale.reshape(-1, 1), point.reshape(-1, 1)
    sizes, points = (np.broadcast_to(p, (count, 1)) for p in (size, point))
    step, leads = max(1, NEAR // max(tail, 1)), max(1, NEAR // max(count * tail, 1))
    for at in range(0, lead, leads):
        if step >= count:
            yield each[at : at + leads], into[at : at + leads], size, point
            continue
        for first in range(0, count, step):
            part = slice(first, first + step)
            yield each[at, part], into[at, part], sizes[part], points[part]
