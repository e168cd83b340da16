"""Stores at places, one-hot rows and turned axes of mode ``fast``: the usual ones without a look at anything else.

What comes after a copy of much memory runs with cold caches, so that each line of Python there costs ten times itself.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_.blocks import where as by_bits
from refrelax.backends.numpy_.fast_rows import FLOATS
from refrelax.backends.numpy_.memory import fresh, in_rows
from refrelax.backends.numpy_.operands import within
from refrelax.backends.numpy_.operators import OPERATORS
from refrelax.backends.numpy_.operators_index import as_objects, extremes
from refrelax.semantics.values import Prim

MOST = 1 << 12
"""Bytes of a row that is moved as one object."""

BESIDE = {"strides": [1, 1], "padding": [0, 0, 0, 0], "dilation": [1, 1], "groups": 1, "data_layout": "NCHW",
          "kernel_layout": "OIHW", "out_layout": "NCHW", "out_dtype": None}  # fmt: skip
"""What the attributes of a convolution of single elements say."""


def conv2d(x: Any, w: Any, **attrs: Any) -> Any:
    """Kernels of one element are matrices."""
    if w.shape[2:] == (1, 1) and x.dtype is w.dtype and x.dtype in FLOATS and attrs == BESIDE and x.size:
        n, c, *space = x.shape
        if c == w.shape[1] and x.flags.c_contiguous and w.size:
            found = fresh((n, w.shape[0], prod(space)), x.dtype)
            np.matmul(w.reshape(-1, c), x.reshape(n, c, -1), out=found)
            return found.reshape(n, -1, *space)
    return OPERATORS["relax.nn.conv2d"](attrs, (x, w), True)


INDEX, OF_FLOATS = np.dtype(np.int64), {each.name: each.type for each in FLOATS}


def scatter_nd(x: Any, indices: Any, updates: Any, reduction: str = "update") -> Any:
    """Rows stored at places that are all there."""
    if (
        reduction == "update"
        and indices.ndim == 2
        and indices.shape[1] == 1
        and indices.dtype is INDEX
        and x.dtype is updates.dtype
        and x.ndim
        and updates.shape == (indices.shape[0], *x.shape[1:])
        and updates.size > indices.shape[0] * (MOST // x.itemsize)
        and within(indices, x.shape[0])
    ):
        result = in_rows(x)
        for place, row in zip(indices[:, 0].tolist(), updates, strict=True):
            result[place] = row
        return result
    if (
        reduction == "update"
        and x.ndim == indices.ndim == updates.ndim == 2
        and indices.dtype is INDEX
        and x.dtype is updates.dtype
        and updates.shape == (indices.shape[0], x.shape[1])
        and indices.shape[1] == 1
        and updates.flags.c_contiguous
        and updates.size
        and x.shape[1] * x.itemsize <= MOST
        and within(indices, x.shape[0])
    ):
        rows, places = as_objects(updates), indices[:, 0]
        result = in_rows(x)
        as_objects(result)[places] = rows
        return result
    return whole(OPERATORS["relax.scatter_nd"]({"reduction": reduction}, (x, indices, updates), True))


def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Numbers added at places that are all there, in their order."""
    if (
        accumulate
        and type(indices) is tuple
        and len(indices) == x.ndim == 2
        and x.dtype is values.dtype
        and x.dtype in FLOATS
        and values.size
        and x.size
        and all([i.dtype is INDEX and i.shape == values.shape for i in indices])  # noqa: C419
    ):
        (i, j), (n, m) = indices, x.shape
        if within(i, n) and within(j, m):
            places = i * m
            places += j
            result = in_rows(x)
            np.add.at(result.reshape(-1), places.reshape(-1), np.add(values, 0).reshape(-1))  # (a sum begins at +0)
            return result
    return OPERATORS["relax.index_put"]({"accumulate": accumulate}, (x, indices, values), True)


def prelu(x: Any, alpha: Any, axis: int) -> Any:
    """By factors of at most 1 above 0 it is the greater of ``x`` and the product; else chosen by bits."""
    usual = type(x) is np.ndarray and x.dtype in FLOATS and x.dtype is alpha.dtype and x.ndim and x.flags.c_contiguous
    if not usual or alpha.ndim != 1 or alpha.shape[0] not in (1, x.shape[axis]) or not alpha.size:
        return whole(OPERATORS["relax.nn.prelu"]({"axis": axis}, (x, alpha), True))
    laid = alpha.reshape([-1 if k == axis % x.ndim else 1 for k in range(x.ndim)])
    product = np.multiply(x, laid, out=fresh(x.shape, x.dtype))
    if alpha.min() > 0 and alpha.max() <= 1:
        return np.maximum(x, product, out=product)
    by_bits(np.greater(x, x.dtype.type(0)), x, product, product)
    return product


def one_hot(x: Any, on: Any, off: Any, depth: int, axis: int) -> Any:
    """Rows of zeros but for one number each."""
    kind = OF_FLOATS.get(on.dtype)
    if kind and (axis == -1 or axis == x.ndim) and off.value == 0 < copysign(1, off.value):
        return hot(x, depth, np.array(on.value, kind))
    return whole(OPERATORS["relax.one_hot"]({"depth": depth, "axis": axis}, (x, on, off), True))


def hot(x: Any, depth: int, one: Any) -> Any:
    """Rows of zeros along a new last axis but for ``one`` each, an array of rank 0."""
    if x.dtype is INDEX and x.size and depth > 0 and within(x, depth):
        places = np.arange(0, x.size * depth, depth)
        places += x.reshape(-1)
        result = np.zeros((*x.shape, depth), one.dtype)
        result.reshape(-1)[places] = one
        return result
    on, off = (Prim(one.dtype.name, number) for number in (one.item(), 0.0))
    return whole(OPERATORS["relax.one_hot"]({"depth": depth, "axis": -1}, (x, on, off), True))


def flip(x: Any, axis: int) -> Any:
    result, axis = fresh(x.shape, x.dtype), axis % x.ndim
    np.copyto(result, x[(slice(None),) * axis + (slice(None, None, -1),)])
    return result


def topk(x: Any, k: int, axis: int, **attrs: Any) -> Any:
    """Values of last axes that are long."""
    if attrs["ret_type"] == "values" and type(x) is np.ndarray and x.ndim and k > 0 and axis in (-1, x.ndim - 1):
        if 4 * k < x.shape[-1] and (found := extremes(x, x.ndim - 1, k, attrs["largest"])) is not None:
            return found
    return OPERATORS["relax.topk"]({"k": k, "axis": axis, **attrs}, (x,), True)


def softplus(x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    if type(x) is not np.ndarray or x.dtype not in FLOATS or beta != 1 or not x.ndim:
        return whole(OPERATORS["relax.nn.softplus"]({"beta": beta, "threshold": threshold}, (x,), True))
    t = np.exp(x)
    np.log1p(t, out=t)
    np.copyto(t, x, where=x > x.dtype.type(threshold))
    return t


def slice_scatter(x: Any, source: Any, start: Any, stop: Any, step: Any, axis: int) -> Any:
    """Neighbours along an axis overwritten."""
    first, last = start.value, stop.value
    axis %= x.ndim
    if (
        step.value == 1
        and 0 <= first < last <= x.shape[axis]
        and source.shape == (*x.shape[:axis], last - first, *x.shape[axis + 1 :])
        and source.dtype is x.dtype
    ):
        result = in_rows(x)
        result[(slice(None),) * axis + (slice(first, last),)] = source
        return result
    return OPERATORS["relax.slice_scatter"]({"axis": axis}, (x, source, start, stop, step), True)


def stack(parts: Any, axis: Any = 0) -> Any:
    """Parts of one shape, each in its own place of a new axis."""
    first, axis = parts[0], axis or 0
    same = all([type(p) is np.ndarray and p.dtype is first.dtype and p.shape == first.shape for p in parts])  # noqa: C419
    if not same or not -first.ndim - 1 <= axis <= first.ndim:
        return OPERATORS["relax.stack"]({"axis": axis}, (parts,), True)
    axis %= first.ndim + 1
    result = fresh((*first.shape[:axis], len(parts), *first.shape[axis:]), first.dtype)
    lead = (slice(None),) * axis
    for k, part in enumerate(parts):
        result[(*lead, k)] = part
    return result


def astype(x: Any, dtype: str) -> Any:
    """Between dtypes of NumPy's own, as it does it."""
    kind = KINDS.get(dtype)
    if kind is not None and type(x) is np.ndarray and x.dtype.isbuiltin == 1:
        return x.astype(kind)
    return whole(OPERATORS["relax.astype"]({"dtype": dtype}, (x,), True))


KINDS = {
    name: np.dtype(name)
    for name in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"
    )
}  # fmt: skip


def whole(x: Any) -> Any:
    """NumPy gives scalars where an array of rank 0 is meant."""
    return x if type(x) is np.ndarray else np.asarray(x)


PLACES: dict[str, Callable[..., Any]] = {
    "relax.scatter_nd": scatter_nd,
    "relax.index_put": index_put,
    "relax.one_hot": one_hot,
    "relax.flip": flip,
    "relax.slice_scatter": slice_scatter,
    "relax.stack": stack,
    "relax.topk": topk,
    "relax.astype": astype,
    "relax.nn.conv2d": conv2d,
    "relax.nn.softplus": softplus,
    "relax.nn.prelu": prelu,
}
