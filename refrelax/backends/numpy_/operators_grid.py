"""Sampling an image at the positions of a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_ import exact
from refrelax.backends.numpy_.memory import fresh
from refrelax.backends.numpy_.operands import SMALL_FLOATS, Attrs, Run, is_float, literal, plain
from refrelax.backends.numpy_.operators_window import DATA, from_plain, to_plain
from refrelax.errors import unspecified

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class _Axis:
    """One spatial axis of the data. Every number is rounded once to the grid's dtype, and every step after it."""

    size: int
    corners: bool
    padding: str

    @property
    def span(self) -> int:
        return self.size - 1 if self.corners else self.size

    def place(self, a: Any) -> Any:
        """Where coordinates between -1 and 1 lie."""
        moved = (a + literal(a, 1)) * literal(a, self.span) * literal(a, HALF)
        return moved if self.corners else moved - literal(a, HALF)

    def bring(self, s: Any) -> Any:
        """Positions inside the data that stand for ``s``."""
        if self.padding == "zeros":
            return s
        inner = self._mirrored(s) if self.padding == "reflection" else s
        return exact.minimum(exact.maximum(inner, literal(s, 0)), literal(s, self.size - 1))

    def _mirrored(self, s: Any) -> Any:
        low = Fraction(0) if self.corners else -HALF
        first, last, length = (literal(s, each) for each in (low, low + self.span, self.span))
        if self.span == 0:
            return np.full(s.shape, first, s.dtype)
        far = np.abs(first - s)
        times = _whole(far) // self.span
        extra = far - exact.cast(times * self.span, s.dtype)
        found = np.where(times % 2 == 0, extra + first, (length - extra) + first)
        return np.where((first <= s) & (s <= last), s, found)

    def tap(self, k: Any, padded: bool) -> Any:
        """The elements that positions ``k`` show; some may be none."""
        if padded and self.padding == "border":
            return np.clip(k, 0, self.size - 1)
        if padded and self.padding == "reflection":
            if self.span == 0:
                return np.zeros_like(k)
            p = k % (2 * self.span)
            return np.minimum(p, 2 * self.span - p - (not self.corners))
        return k


def _whole(s: Any) -> Any:
    """The integers at or below positions; of none, any."""
    with np.errstate(invalid="ignore"):
        return np.floor(s if s.dtype in SMALL_FLOATS else s.astype(np.float64)).astype(np.int64)


def _linear(t: Any) -> list[tuple[int, Any]]:
    return [(0, literal(t, 1) - t), (1, t)]


def _cubic(t: Any) -> list[tuple[int, Any]]:
    """Cubic convolution, with -3/4 for its parameter."""
    a = Fraction(-3, 4)
    one, two = literal(t, 1), literal(t, 2)

    def near(u: Any) -> Any:
        return (literal(t, a + 2) * u - literal(t, a + 3)) * u * u + one

    def far(u: Any) -> Any:
        return ((literal(t, a) * u + literal(t, -5 * a)) * u + literal(t, 8 * a)) * u + literal(t, -4 * a)

    return [(-1, far(t + one)), (0, near(t)), (1, near(one - t)), (2, far(two - t))]


METHODS: dict[str, Callable[[Any], list[tuple[int, Any]]]] = {"bilinear": _linear, "bicubic": _cubic}


def grid_sample(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    """``nearest``: one element; else the sum, in row-major order of the taps, of elements times the products of their
    weights; what lies outside of the data is 0."""
    n = 3 if attrs["layout"] == "NCDHW" else 2
    x, grid, method = to_plain(args[0], attrs["layout"], DATA[n]), args[1], attrs["method"]
    if grid.shape[:2] != (x.shape[0], n) or 0 in x.shape[2:]:
        raise unspecified("op.image.grid_sample/extents", f"data {x.shape}, grid {grid.shape}")
    if not is_float(grid.dtype) or (method != "nearest" and x.dtype != grid.dtype):
        raise unspecified("op.image.grid_sample/dtypes", f"{x.dtype.name} data on a {grid.dtype.name} grid")
    axes = [_Axis(size, attrs["align_corners"], attrs["padding_mode"]) for size in x.shape[2:]]
    padded = method == "bicubic"
    at = [axis.place(grid[:, n - 1 - k]) for k, axis in enumerate(axes)]  # by batch and spatial position
    at = at if padded else [axis.bring(s) for axis, s in zip(axes, at, strict=True)]
    if method == "nearest":
        spots = [_whole(np.rint(s.astype(np.float64))) for s in at]
        found, outside = _loaded(x, spots, axes, padded)
        np.copyto(found, np.zeros((), x.dtype), where=outside[:, None])
        return from_plain(found, attrs["layout"], DATA[n])
    bases = [_whole(s) for s in at]
    taps = [METHODS[method](s - exact.cast(base, s.dtype)) for s, base in zip(at, bases, strict=True)]
    finite = plain(fast, x) and bool(np.isfinite(x).all())  # (an element times a weight of 0 is 0)
    total: Any = None
    for each in product(*taps):
        weight = each[0][1]
        for _, more in each[1:]:
            weight = weight * more
        spots = [base + step for base, (step, _) in zip(bases, each, strict=True)]
        cells, outside = _loaded(x, spots, axes, padded)
        zero = np.zeros((), x.dtype)
        if finite:
            weight = np.where(outside, zero, weight)
        else:
            np.copyto(cells, zero, where=outside[:, None])
        cells *= weight[:, None]
        if total is None:
            total = cells if finite else cells + zero  # (a sum begins at +0)
        else:
            total += cells
    return from_plain(total, attrs["layout"], DATA[n])


def _loaded(x: Any, spots: Sequence[Any], axes: Sequence[_Axis], padded: bool) -> tuple[Any, Any]:
    """The elements of all channels at positions, (batch, channel, position …), and which of these are outside: there
    they are any."""
    position, outside = np.zeros(spots[0].shape, np.int64), np.zeros(spots[0].shape, np.bool_)
    for spot, axis in zip(spots, axes, strict=True):
        k = axis.tap(spot, padded)
        outside |= (k < 0) | (k >= axis.size)
        position = position * axis.size + np.clip(k, 0, axis.size - 1)
    cells = x.reshape(*x.shape[:2], prod(x.shape[2:]))
    found = fresh((*x.shape[:2], *position.shape[1:]), x.dtype)
    for b in range(len(x)):
        np.take(cells[b], position[b], axis=1, out=found[b], mode="clip")
    return found, outside


OPERATORS: dict[str, Run] = {"relax.image.grid_sample": grid_sample}
