"""Norms and softmax of mode ``fast``, some rows at a time, so that what is written is read again while it is near.

Only the order of the sums is other than in the rows of ``operators.py``; they are ``np.einsum``'s, which sums in lanes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from refrelax.backends.numpy_.operands import literal

NEAR = 1 << 20
"""Elements of a block."""


def blocks(rows: int, width: int) -> Iterator[slice]:
    """The rows of a matrix, as many at a time as stay near."""
    step = max(1, NEAR // max(width, 1))
    if rows < 2 * step:
        yield slice(0, rows)
        return
    for first in range(0, rows, step):
        yield slice(first, first + step)


def as_rows(x: Any, axis: int) -> Any:
    """``x`` as a matrix whose rows are its last axes from ``axis`` on; ``None`` if that is no view, or has no
    element."""
    if not x.flags.c_contiguous or not x.size:
        return None
    width = 1
    for extent in x.shape[axis:]:
        width *= extent
    return x.reshape(-1, width)


def trailing(axes: Any, ndim: int) -> int | None:
    """The first of ``axes`` if they are the last ones of an array of rank ``ndim``, in order."""
    found = [a % ndim for a in axes] if isinstance(axes, list | tuple) else [axes % ndim]
    return found[0] if found and found == list(range(ndim - len(found), ndim)) else None


def row_sums(x: Any) -> Any:
    return np.einsum("ij->i", x)[:, None]


def row_squares(x: Any) -> Any:
    return np.einsum("ij,ij->i", x, x)[:, None]


# --- softmax ---------------------------------------------------------------------------------------------------------


def softmax(x: Any, out: Any) -> None:
    """``x`` and ``out``: matrices, which may be the same."""
    for part in blocks(*x.shape):
        t = np.subtract(x[part], x[part].max(1, keepdims=True), out=out[part])
        np.exp(t, out=t)
        np.divide(t, row_sums(t), out=t)


def log_softmax(x: Any, out: Any) -> None:
    for part in blocks(*x.shape):
        t = np.subtract(x[part], x[part].max(1, keepdims=True), out=out[part])
        np.subtract(t, np.log(row_sums(np.exp(t))), out=t)


# --- norms -----------------------------------------------------------------------------------------------------------


def centred(x: Any, epsilon: Any, out: Any) -> None:
    """``(x - mean) * rsqrt(variance + epsilon)`` of the rows of a block."""
    count = x.dtype.type(x.shape[1])
    np.subtract(x, row_sums(x) / count, out=out)
    width = row_squares(out)
    width /= count
    width += epsilon
    np.sqrt(width, out=width)
    np.divide(x.dtype.type(1), width, out=width)
    np.multiply(out, width, out=out)


def layer_norm(x: Any, gamma: Any, beta: Any, epsilon: float, out: Any) -> None:
    """``gamma``, ``beta``: a row, or ``None``."""
    small = literal(x, epsilon)
    for part in blocks(*x.shape):
        t = out[part]
        centred(x[part], small, t)
        if gamma is not None:
            np.multiply(t, gamma, out=t)
        if beta is not None:
            np.add(t, beta, out=t)


def rms_norm(x: Any, weight: Any, epsilon: float, out: Any) -> None:
    small, count = literal(x, epsilon), x.dtype.type(x.shape[1])
    for part in blocks(*x.shape):
        square = row_squares(x[part])
        square /= count
        square += small
        np.sqrt(square, out=square)
        np.divide(x.dtype.type(1), square, out=square)
        t = np.multiply(square, x[part], out=out[part])
        np.multiply(t, weight, out=t)


def group_norm(x: Any, gamma: Any, beta: Any, epsilon: float, groups: int, channels: int, out: Any) -> None:
    """``x``: (batch * groups, channels of a group * space); ``gamma`` and ``beta``: one number a channel, or
    ``None``."""
    small, batch = literal(x, epsilon), len(x) // groups
    for part in blocks(batch, x.size // batch):
        rows = slice(part.start * groups, part.stop * groups)
        centred(x[rows], small, out[rows])
        cells = out[rows].reshape(-1, groups * channels, x.shape[1] // channels)
        if gamma is not None:
            np.multiply(cells, gamma[:, None], out=cells)
        if beta is not None:
            np.add(cells, beta[:, None], out=cells)


def batch_norm(x: Any, center: Any, root: Any, gamma: Any, beta: Any, out: Any) -> None:
    """``x``: (batch, channels, space); the rest a column of channels, or ``None``."""
    for part in blocks(len(x), x[0].size):
        t = np.subtract(x[part], center[:, None], out=out[part])
        np.divide(t, root[:, None], out=t)
        if gamma is not None:
            np.multiply(t, gamma[:, None], out=t)
        if beta is not None:
            np.add(t, beta[:, None], out=t)
