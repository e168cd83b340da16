"""How rows of the operator tables read their arguments and attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.values import Prim, Shape
from refrelax.syntax import bits, dtypes

Attrs = dict[str, Any]
"""The attributes of a call as plain Python values: lists, numbers, strings, ``None``."""

Run = Callable[[Attrs, Sequence[Any], bool], Any]
"""``run(attributes, arguments, fast)``."""

SMALL_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
"""The formats in which mode ``fast`` calculates as NumPy does."""

NARROW = ("float16", "bfloat16")
"""The formats that mode ``fast`` calculates in float32, rounded once: elementary functions, sums, norms."""


def axes_of(attrs: Attrs, name: str, ndim: int) -> list[int]:
    """A list of axes (``None``: all), none negative."""
    value = attrs[name]
    if value is None:
        return list(range(ndim))
    return sorted(a % ndim for a in (value if isinstance(value, list) else [value]))


def array(value: Any) -> Any:
    """A tensor, or a prim value as the tensor of shape (1,) that it is among operands."""
    return np.array([value.value], dtype=numpy_dtype(value.dtype)) if isinstance(value, Prim) else value


def extents(value: Any) -> tuple[int, ...]:
    """A shape argument: a ``Shape``, or a tuple of prim values."""
    dims = value.dims if isinstance(value, Shape) else value
    return tuple(int(d.value) if isinstance(d, Prim) else int(d) for d in dims)


def number(value: Any) -> Any:
    """A prim value as the Python number it is."""
    return value.value if isinstance(value, Prim) else value


def literal(like: Any, value: Any) -> Any:
    """A number (also a ``Fraction``) rounded once to the dtype of ``like``, as an array of rank 0."""
    kind = np.dtype(like.dtype if hasattr(like, "dtype") else like)
    if kind in SMALL_FLOATS and type(value) is float:
        return np.array(value, kind)
    if not is_float(kind):
        return np.array(value).astype(kind)
    pattern = bits.encode(kind.name, value)
    return np.array([pattern], dtype=f"uint{8 * kind.itemsize}").view(kind).reshape(())


def number_of(kind: Any, value: int | float) -> Any:
    """A number of an attribute at any dtype: at bool whether it is not 0, at an integer dtype truncated, and beyond
    that 0, which the operator's loops have there."""
    if is_float(kind):
        return literal(kind, value)
    if kind == np.bool_:
        return np.array(value != 0)
    low, high = dtypes.integer_range(np.dtype(kind).name)
    return np.array(int(value) if isfinite(value) and low <= int(value) <= high else 0, kind)


def is_float(kind: Any) -> bool:
    """Whether a NumPy dtype is a float format, those of ml_dtypes included."""
    return dtypes.is_float(np.dtype(kind).name)


def met(a: Any, b: Any) -> Any:
    """The dtype in which two operands meet: bool gives way, then integers, then the narrower, then the signed."""

    def rank(kind: Any) -> tuple[bool, bool, int, bool]:
        name = np.dtype(kind).name
        return kind != np.bool_, dtypes.is_float(name), np.dtype(kind).itemsize, dtypes.kind(name) == "uint"

    return max(a, b, key=rank)


def plain(fast: bool, x: Any) -> bool:
    """Whether NumPy's own functions will do for ``x``."""
    return fast and x.dtype in SMALL_FLOATS


def within(index: Any, n: int) -> bool:
    """Whether all of some positions, at least one, are of ``n``: one look, at negative numbers as great ones. (Where
    the greatest stands is told in a third of the time that a reduction takes to begin.)"""
    unsigned = UNSIGNED.get(index.dtype)
    if unsigned is not None and index.ndim:
        cells = index.view(unsigned)
        return bool(cells.item(cells.argmax()) < n)
    return bool(index.min() >= 0 and index.max() < n)


UNSIGNED = {np.dtype(np.int32): np.dtype(np.uint32), np.dtype(np.int64): np.dtype(np.uint64)}
