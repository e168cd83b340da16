"""Norms and softmax of mode ``fast``, some rows at a time, so that what is written is read again while it is near.

Only the order of the sums is other than in the rows of ``operators.py``; they are ``np.einsum``'s, which sums in lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan, prod, sqrt
from typing import Any

import numpy as np

from refrelax.backends.numpy_.narrow import narrowed, rounded, widened

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
"""In which mode ``fast`` calculates as NumPy does."""

SHORT = 1 << 14
"""A row that may be summed in lanes; NumPy sums longer ones in pairs, which errs less."""

NEAR = 1 << 20
"""Elements of a block."""


WHOLE = (slice(None),)


def blocks(rows: int, width: int, near: int = NEAR) -> Sequence[slice]:
    """The rows of a matrix, as many at a time as stay near."""
    if rows * width < 2 * near:
        return WHOLE
    step = max(1, near // width)
    return [slice(first, first + step) for first in range(0, rows, step)]


def as_rows(x: Any, axis: int) -> Any:
    """``x`` as a matrix whose rows are its last axes from ``axis`` on; ``None`` if that is no view, or has no
    element."""
    if not x.flags.c_contiguous or not x.size:
        return None
    if axis == x.ndim - 1:
        return x if axis == 1 else x.reshape(-1, x.shape[axis])
    return x.reshape(-1, prod(x.shape[axis:]))


def trailing(axes: Any, ndim: int) -> int | None:
    """The first of ``axes`` if they are the last ones of an array of rank ``ndim``, in order."""
    if axes == [-1]:
        return ndim - 1
    found = [a % ndim for a in axes] if isinstance(axes, list | tuple) else [axes % ndim]
    return found[0] if found and found == list(range(ndim - len(found), ndim)) else None


SMALL = 1 << 14
"""Elements for which the call costs more than the work."""


def row_sums(x: Any) -> Any:
    return np.add.reduce(x, -1, keepdims=True) if x.size < SMALL else np.einsum("ij->i", x)[:, None]


def row_squares(x: Any) -> Any:
    return VECDOT(x, x)[:, None] if x.size < SMALL else np.einsum("ij,ij->i", x, x)[:, None]


VECDOT: Any = getattr(np, "vecdot", lambda x, y: np.einsum("...j,...j->...", x, y))
"""``np.vecdot`` is new in NumPy 2.0."""


# --- softmax ---------------------------------------------------------------------------------------------------------


def softmax(x: Any, out: Any) -> None:
    """``x`` and ``out``: matrices, which may be the same; of few elements any arrays."""
    for part in WHOLE if x.size < SMALL else blocks(*x.shape):
        rows, t = (x, out) if part is WHOLE[0] else (x[part], out[part])
        np.subtract(rows, np.maximum.reduce(rows, -1, keepdims=True), t)
        np.exp(t, t)
        np.divide(t, row_sums(t), t)


def log_softmax(x: Any, out: Any) -> None:
    for part in WHOLE if x.size < SMALL else blocks(*x.shape):
        t = np.subtract(x[part], np.maximum.reduce(x[part], -1, keepdims=True), out=out[part])
        np.subtract(t, np.log(row_sums(np.exp(t))), out=t)


NARROW_NEAR = 1 << 16
"""The same for narrow elements, which are held in float32."""


def narrow_softmax(x: Any, out: Any, log: bool) -> None:
    """Of matrices of a narrow format: each step but the sum is rounded, as a loop program does that says them."""
    kind = x.dtype
    for part in blocks(x.shape[0], x.shape[1], NARROW_NEAR):
        t = widened(x[part])
        np.subtract(t, np.maximum.reduce(t, -1, keepdims=True), out=t)
        rounded(t, kind, -1)
        raised = np.exp(t, out=None if log else t)
        rounded(raised, kind, 1)
        total = row_sums(raised)
        rounded(total, kind)
        if log:
            np.log(total, out=total)
            rounded(total, kind)
            np.subtract(t, total, out=t)
        else:
            np.divide(t, total, out=t)
        narrowed(t, kind, out[part], -1 if log else 1)


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
    small = x.dtype.type(epsilon)
    for part in blocks(*x.shape):
        t = out[part]
        centred(x[part], small, t)
        if gamma is not None:
            np.multiply(t, gamma, out=t)
        if beta is not None:
            np.add(t, beta, out=t)


NEAR_WIDE = 1 << 15
"""Elements of a block of which some arrays are of binary64."""


def narrow_layer_norm(x: Any, gamma: Any, beta: Any, epsilon: float, out: Any) -> None:
    """Of matrices of a narrow format, ``gamma`` and ``beta`` in float32, or ``None``. Differences from the mean cancel:
    its sum is made in binary64, but the mean is one of float32, as the definition's: what lies between, once it is
    rounded, scaled and shifted, is none of its results. What is normalised is rounded before scale and shift, and so
    are these."""
    count = x.shape[1]
    for part in blocks(x.shape[0], x.shape[1], NEAR_WIDE):
        t = widened(x[part])
        np.subtract(t, (row_sums(t.astype(np.float64)) / count).astype(np.float32), out=t)
        width = row_squares(t)
        width /= np.float32(count)
        width += np.float32(epsilon)
        np.sqrt(width, out=width)
        np.divide(np.float32(1), width, out=width)
        np.multiply(t, width, out=t)
        for number, step in ((gamma, np.multiply), (beta, np.add)):
            if number is not None:
                rounded(t, x.dtype)
                step(t, number, out=t)
        narrowed(t, x.dtype, out[part])


def rms_norm(x: Any, weight: Any, epsilon: float, out: Any) -> None:
    kind = x.dtype.type
    if len(x) == 1:
        rms_norm_of_one(x, weight, epsilon, out)
        return
    for part in blocks(*x.shape):
        rows, t = (x, out) if part is WHOLE[0] else (x[part], out[part])
        square = row_squares(rows)
        square /= kind(x.shape[1])
        square += kind(epsilon)
        np.sqrt(square, square)
        np.divide(kind(1), square, square)
        np.multiply(square, rows, t)
        np.multiply(t, weight, t)


def rms_norm_of_one(x: Any, weight: Any, epsilon: float, out: Any) -> Any:
    """Of one row, whose factor is a number; ``out`` may be ``None``."""
    row = x[0]
    square = float(row.dot(row)) / len(row) + epsilon
    factor = 1.0 / sqrt(square) if square > 0 else nan if square else inf
    found = np.multiply(x, x.dtype.type(factor), out)
    return np.multiply(found, weight, found)


def group_norm(x: Any, gamma: Any, beta: Any, epsilon: float, groups: int, channels: int, out: Any) -> None:
    """``x``: (batch * groups, channels of a group * space); ``gamma`` and ``beta``: one number a channel, or
    ``None``."""
    small, batch = x.dtype.type(epsilon), len(x) // groups
    for part in blocks(batch, x.size // batch):
        rows = part if part is WHOLE[0] else slice(part.start * groups, part.stop * groups)
        centred(x[rows], small, out[rows])
        cells = out[rows].reshape(-1, groups * channels, x.shape[1] // channels)
        if gamma is not None:
            np.multiply(cells, gamma[:, None], out=cells)
        if beta is not None:
            np.add(cells, beta[:, None], out=cells)


NEAR_CHANNELS = 1 << 17
"""Elements that stay near all together."""


def by_channel(x: Any, out: Any) -> tuple[Any, Any]:
    """The mean and the variance of every channel of (batch, channels, space), and the distance from the mean."""
    count = x.dtype.type(x.size // x.shape[1])
    center = np.add.reduce(np.einsum("ncs->nc", x), 0) / count
    if x.size <= NEAR_CHANNELS:
        np.subtract(x, center[:, None], out=out)
        return center, np.add.reduce(np.einsum("ncs,ncs->nc", out, out), 0) / count
    width = np.zeros_like(center)
    for k in range(len(x)):
        t = np.subtract(x[k], center[:, None], out=out[k])
        width += np.einsum("cs,cs->c", t, t)
    return center, width / count


def batch_norm(x: Any, center: Any, root: Any, gamma: Any, beta: Any, out: Any) -> None:
    """``x``: (batch, channels, space), without the ``center`` already where that is ``None``; the rest a column of
    channels, or ``None``."""
    for part in blocks(len(x), x[0].size):
        t = out[part]
        if center is not None:
            np.subtract(x[part], center[:, None], out=t)
        np.divide(t, root[:, None], out=t)
        if gamma is not None:
            np.multiply(t, gamma[:, None], out=t)
        if beta is not None:
            np.add(t, beta[:, None], out=t)
