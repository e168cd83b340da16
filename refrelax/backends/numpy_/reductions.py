"""Reductions over axes of arrays: in the defined order (``bits``) or as NumPy likes (``fast``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_ import exact
from refrelax.backends.numpy_.operands import NARROW, literal
from refrelax.lower.legalize.scalars import greatest, least
from refrelax.syntax import bits
from refrelax.syntax.scalars import Literal

FOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "maximum": exact.maximum,
    "minimum": exact.minimum,
}

_FAST: dict[str, Callable[..., Any]] = {"add": np.sum, "mul": np.prod, "maximum": np.max, "minimum": np.min}

_STARTS = {"add": 0, "mul": 1}


def lines_first(x: Any, axes: Sequence[int]) -> Any:
    """``x`` with the reduced axes moved to the front and flattened to one, in increasing index order."""
    kept = [a for a in range(x.ndim) if a not in axes]
    moved = np.transpose(x, [*axes, *kept])
    count = prod(x.shape[a] for a in axes)
    return moved.reshape(count, *(x.shape[a] for a in kept)) if axes else moved[None]


def reduce(op: str, x: Any, axes: Sequence[int], keepdims: bool = False, fast: bool = False) -> Any:
    """``op`` over ``axes``; the extreme of nothing, which is any value, is what its loop starts from."""
    axes = sorted(a % x.ndim for a in axes)
    if fast and x.dtype in (np.float32, np.float64) and (x.size or op in _STARTS):
        return _FAST[op](x, axis=tuple(axes), keepdims=keepdims)
    if fast and x.dtype.name in NARROW and (x.size or op in _STARTS):
        return np.asarray(_FAST[op](x.astype(np.float32), axis=tuple(axes), keepdims=keepdims)).astype(x.dtype)
    if x.dtype.kind in "iu" and x.dtype.isbuiltin == 1 and (x.size or op in _STARTS):  # they wrap, in any order
        kind = {"dtype": x.dtype} if op in _STARTS else {}
        return np.asarray(_FAST[op](x, axis=tuple(axes), keepdims=keepdims, **kind))
    lines = lines_first(x, axes)
    if op in _STARTS:
        total = np.full(lines.shape[1:], _STARTS[op], dtype=x.dtype)
        rest = lines
    elif len(lines) == 0:
        total, rest = np.full(lines.shape[1:], start(op, x.dtype), dtype=x.dtype), lines
    else:
        total, rest = lines[0].copy(), lines[1:]
    fold = FOLDS[op]
    for line in rest:
        total = fold(total, line)
    total = np.asarray(total, dtype=x.dtype)
    if keepdims:
        return total.reshape([1 if a in axes else e for a, e in enumerate(x.shape)])
    return total


def start(op: str, dtype: Any) -> Any:
    """The number from which an extreme starts."""
    first = (least if op == "maximum" else greatest)(np.dtype(dtype).name).node
    assert isinstance(first, Literal)
    return literal(dtype, bits.decode(first.dtype, first.bits))


def matmul(a: Any, b: Any, dtype: Any, fast: bool = False) -> Any:
    """Batched product accumulated in ``dtype``: one step of the reduction at a time, or one GEMM."""
    if fast and a.dtype == b.dtype == dtype and dtype in (np.float32, np.float64):
        return np.matmul(a, b)
    row, column = a.ndim == 1, b.ndim == 1
    narrow = all(x.dtype.isbuiltin == 1 and np.can_cast(x.dtype, dtype, "safe") for x in (a, b))
    whole = (a[None, :] if row else a, b[:, None] if column else b) if narrow else ()
    a, b = exact.converted(a, dtype), exact.converted(b, dtype)
    a, b = (a[None, :] if row else a), (b[:, None] if column else b)
    if (found := _of_integers(*(whole or (a, b)), dtype)) is not None:
        total = found
    elif fast and np.dtype(dtype).name in NARROW:
        total = np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(dtype)
    else:
        shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1])
        total = np.zeros(shape, dtype=dtype)
        b = np.ascontiguousarray(b)  # one row a step
        for k in range(a.shape[-1]):
            total = total + a[..., :, k, None] * b[..., k, None, :]
    if row:
        total = total[..., 0, :]
    return total[..., 0] if column else total


def _of_integers(a: Any, b: Any, dtype: Any) -> Any:
    """A product of integers by floats that hold every sum that there is on the way, so that it is exact; ``None`` where
    none do."""
    if np.dtype(dtype).kind not in "iu" or np.dtype(dtype).isbuiltin != 1 or not a.size or not b.size:
        return None
    most = a.shape[-1]
    for x in (a, b):
        most *= BYTE[x.dtype.kind] if x.itemsize == 1 else max(int(x.max()), -int(x.min()))
    if most >= 1 << 53:
        return None
    kind = np.float32 if most < 1 << 24 else np.float64
    product = np.matmul(a.astype(kind), b.astype(kind))
    return product.astype(dtype) if most < 1 << 31 and dtype in (np.int32, np.int64) else _wrapped(product, dtype)


BYTE = {"i": 128, "u": 255, "b": 1}
"""The greatest number of a byte, or the least without its sign."""


def _wrapped(product: Any, dtype: Any) -> Any:
    return product.astype(np.int64).astype(dtype)


def argreduce(op: str, x: Any, axis: int | None, keepdims: bool) -> Any:
    """The first position of the extreme, int64; a NaN is the extreme. Of nothing: what the loops of it give, -1."""
    flat = x.reshape(-1) if axis is None else x
    along = 0 if axis is None else axis % x.ndim
    if flat.shape[along] == 0:
        result = np.full([e for a, e in enumerate(flat.shape) if a != along], -1, dtype=np.int64)
    else:
        result = (np.argmax if op == "maximum" else np.argmin)(flat, axis=along).astype(np.int64)
    if keepdims:
        return result.reshape([1] * x.ndim) if axis is None else np.expand_dims(result, along)
    return result


def softmax(x: Any, axis: int, fast: bool, log: bool = False) -> Any:
    """``exp(x - max) / sum`` along ``axis``, or its logarithm."""
    top = reduce("maximum", x, [axis], keepdims=True, fast=fast)
    shifted = x - top
    if fast and not log:
        np.exp(shifted, out=shifted)
        shifted /= reduce("add", shifted, [axis], keepdims=True, fast=True)
        return shifted
    raised = np.exp(shifted) if fast else exact.elementary("exp", shifted)
    total = reduce("add", raised, [axis], keepdims=True, fast=fast)
    if not log:
        return raised / total
    return shifted - (np.log(total) if fast else exact.elementary("log", total))
