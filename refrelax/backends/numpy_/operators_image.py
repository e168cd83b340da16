"""Transposed convolutions and resizing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil, floor, prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_ import exact
from refrelax.backends.numpy_.blocks import NEAR
from refrelax.backends.numpy_.memory import fresh
from refrelax.backends.numpy_.operands import Attrs, Run, extents, literal, met, number_of, plain
from refrelax.backends.numpy_.operators_window import DATA, from_plain, order, to_plain
from refrelax.errors import unspecified
from refrelax.running.arrays import numpy_dtype

TRANSPOSED = {1: "IOW", 2: "IOHW", 3: "IODHW"}

# --- transposed convolution ------------------------------------------------------------------------------------------


def _transposed(n: int) -> Run:
    """Every element spreads over the window that begins at its position times the stride."""

    def run(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
        x, w = args
        meeting = met(x.dtype, w.dtype)
        dtype = numpy_dtype(attrs["out_dtype"]) if attrs["out_dtype"] not in (None, "", "void") else x.dtype
        x, w = (exact.converted(exact.converted(v, meeting), dtype) for v in (x, w))
        x, w = to_plain(x, attrs["data_layout"], DATA[n]), to_plain(w, attrs["kernel_layout"], TRANSPOSED[n])
        attrs = {**attrs, **{key: _spread(attrs[key], n) for key in ("strides", "dilation", "output_padding")}}
        groups, strides, dilation = attrs["groups"], attrs["strides"], attrs["dilation"]
        if x.shape[1] != w.shape[0] or w.shape[0] % groups:
            raise unspecified("op.conv_transpose/channels-run", f"{x.shape} and {w.shape}")
        before, after, extra = attrs["padding"][:n], attrs["padding"][n:], attrs["output_padding"]
        geometry = list(zip(x.shape[2:], w.shape[2:], strides, dilation, before, after, extra, strict=True))
        wanted = [(r - 1) * s - p - q + d * (t - 1) + e + 1 for r, t, s, d, p, q, e in geometry]
        if any(extent < 0 for extent in wanted):
            raise unspecified("ev/negative-extent", f"a result of shape {wanted}")
        reach = [max((r - 1) * s + d * (t - 1) + 1, 0) if r and t else 0 for r, t, s, d, _, _, _ in geometry]
        room = [max(a, p + m) for a, p, m in zip(reach, before, wanted, strict=True)]
        total: Any = np.zeros((x.shape[0], groups, w.shape[1], *room), dtype=dtype)
        spread = _by_products if plain(fast, x) else _one_by_one
        if x.size and w.size:
            spread(total, x.reshape(x.shape[0], groups, -1, *x.shape[2:]), w.reshape(groups, -1, *w.shape[1:]), attrs)
        cut = tuple(slice(p, p + m) for p, m in zip(before, wanted, strict=True))
        found = total[(..., *cut)].reshape(x.shape[0], groups * w.shape[1], *wanted)
        return from_plain(found, attrs["out_layout"] or attrs["data_layout"], DATA[n])

    return run


def _spread(values: list[int], n: int) -> list[int]:
    """One number stands for all axes."""
    return values * n if len(values) == 1 else values


def _places(attrs: Attrs, size: Sequence[int], taps: Sequence[int]) -> list[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Every tap, with the positions of the result that the elements reach by it, in increasing order."""
    found = []
    for at in product(*(range(t) for t in taps)):
        each = zip(at, attrs["dilation"], attrs["strides"], size, strict=True)
        found.append((at, tuple(slice(t * d, t * d + (r - 1) * s + 1, s) for t, d, s, r in each)))
    return found


def _one_by_one(total: Any, x: Any, w: Any, attrs: Attrs) -> None:
    """Input channels outermost, then the taps: the defined order."""
    space = (1,) * (x.ndim - 3)
    for i in range(x.shape[2]):
        for at, place in _places(attrs, x.shape[3:], w.shape[3:]):
            tap = w[(slice(None), i, slice(None), *at)]  # by group and output channel
            total[(..., *place)] += x[:, :, i, None] * tap.reshape(1, *tap.shape, *space)


def _by_products(total: Any, x: Any, w: Any, attrs: Attrs) -> None:
    """One product of matrices a tap."""
    cells = np.ascontiguousarray(x).reshape(*x.shape[:3], prod(x.shape[3:]))
    for at, place in _places(attrs, x.shape[3:], w.shape[3:]):
        kernel = w[(slice(None), slice(None), slice(None), *at)].transpose(0, 2, 1)
        total[(..., *place)] += np.matmul(kernel, cells).reshape(*x.shape[:2], w.shape[2], *x.shape[3:])


# --- resizing --------------------------------------------------------------------------------------------------------

HALF = Fraction(1, 2)


def position(mode: str, p: int, m: int, q: int, start: float, end: float) -> Fraction:
    """Where position ``p`` of ``q`` lies among ``m`` positions of the data."""
    scale = Fraction(m, q)
    if mode == "align_corners":
        return Fraction((m - 1) * p, q - 1) if q > 1 else Fraction(0)
    if mode == "asymmetric":
        return scale * p
    if mode == "tf_half_pixel_for_nn":
        return (p + HALF) * scale
    if mode == "tf_crop_and_resize":
        first, last = Fraction(start), Fraction(end)
        if q <= 1:
            return HALF * (first + last) * (m - 1)
        return first * (m - 1) + p * (last - first) * Fraction(m - 1, q - 1)
    return Fraction(0) if mode == "pytorch_half_pixel" and q <= 1 else (p + HALF) * scale - HALF


def nearest(rounding: str, mode: str, at: Fraction) -> int:
    """The position that ``nearest_neighbor`` takes."""
    chosen = rounding or ("round" if mode == "align_corners" else "floor")
    forms: dict[str, Any] = {
        "round": round,
        "ceil": ceil,
        "floor": floor,
        "round_prefer_floor": lambda v: ceil(v - HALF),
    }
    forms["round_prefer_ceil"] = lambda v: floor(v + HALF)
    return int(forms[chosen](at))


@dataclass(frozen=True)
class Axis:
    """One axis of a resize: what decides the positions of the data that count for each of the result."""

    method: str
    mode: str
    rounding: str
    alpha: float
    exclude: int
    size: int
    new: int
    start: float
    end: float

    def spots(self) -> list[Fraction]:
        return [position(self.mode, p, self.size, self.new, self.start, self.end) for p in range(self.new)]

    def around(self, at: Fraction) -> list[tuple[int, Fraction]]:
        """The positions of the data that count at ``at``, moved into the data, with their weights."""
        base = floor(at)
        if self.method == "nearest_neighbor":
            found = [(nearest(self.rounding, self.mode, at), Fraction(1))]
        elif self.method == "linear":
            found = [(base, 1 - (at - base)), (base + 1, at - base)]
        else:
            found = self._cubic(at)
        return [(min(max(p, 0), self.size - 1), weight) for p, weight in found]

    def _cubic(self, at: Fraction) -> list[tuple[int, Fraction]]:
        base, a = floor(at), Fraction(self.alpha)
        t = at - base
        weights = [
            a * (t**3 - 2 * t**2 + t), (a + 2) * t**3 - (3 + a) * t**2 + 1,
            -(a + 2) * t**3 + (3 + 2 * a) * t**2 - a * t, a * t**2 - a * t**3,
        ]  # fmt: skip
        found = [(base - 1 + k, weight) for k, weight in enumerate(weights)]
        if self.exclude:
            found = [(p, weight if 0 <= p < self.size else Fraction(0)) for p, weight in found]
            total = sum(weight for _, weight in found)
            found = [(p, weight / total) for p, weight in found]
        return found


def _axis(attrs: Attrs, size: int, new: int, start: float, end: float) -> Axis:
    mode, rounding = attrs["coordinate_transformation_mode"], attrs["rounding_method"]
    return Axis(attrs["method"], mode, rounding, attrs["cubic_alpha"], attrs["cubic_exclude"], size, new, start, end)


@lru_cache(maxsize=256)
def taps_of(axis: Axis, dtype: Any) -> list[tuple[Any, Any]]:
    """For each tap, the positions of the data and their weights."""
    lines = [axis.around(at) for at in axis.spots()]
    found = []
    for t in range(len(lines[0])):
        weights = np.array([literal(dtype, each[t][1]) for each in lines], dtype)
        found.append((np.array([each[t][0] for each in lines]), weights))
    return found


@lru_cache(maxsize=64)
def matrix_of(axis: Axis, dtype: Any) -> Any:
    """The weighted sums along an axis as a matrix."""
    matrix = np.zeros((axis.new, axis.size), dtype)
    for places, weights in taps_of(axis, dtype):
        np.add.at(matrix, (np.arange(axis.new), places), weights)
    return matrix


@lru_cache(maxsize=256)
def inside(axis: Axis) -> Any:
    """Which positions lie in the data."""
    return np.array([0 <= at <= axis.size - 1 for at in axis.spots()])


def _resize(n: int) -> Run:
    def run(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
        x, new = to_plain(args[0], attrs["layout"], DATA[n]), extents(args[1])
        own, roi = x.shape[2:], attrs["roi"]
        if 0 in own and x.shape[0] * x.shape[1] * prod(new):
            raise unspecified("op.image.resize/empty-data", f"{x.shape} resized to {new}")
        if any(extent < 0 for extent in new):
            raise unspecified("ev/negative-extent", f"a result of shape {new}")
        out = numpy_dtype(attrs["out_dtype"]) if attrs["out_dtype"] else x.dtype
        if not x.size or not prod(new):
            shape: Any = (*x.shape[:2], *new)
            return from_plain(np.zeros(shape, out), attrs["layout"], DATA[n])
        axes = [_axis(attrs, m, q, roi[k], roi[n + k]) for k, (m, q) in enumerate(zip(own, new, strict=True))]
        if attrs["method"] == "nearest_neighbor":
            for k, axis in reversed(list(enumerate(axes))):
                x = np.take(x, taps_of(axis, np.dtype(np.float32))[0][0], axis=2 + k)
            found = exact.converted(x, out)
        else:
            acc = np.dtype(np.float64 if x.dtype == np.float64 else np.float32)
            if plain(fast, x) and attrs["coordinate_transformation_mode"] != "tf_crop_and_resize":  # where it lies
                spots = order(attrs["layout"], DATA[n])[2:]
                return exact.converted(_weighted(args[0], axes, spots, fast), out)
            found = exact.converted(_weighted(exact.converted(x, acc), axes, range(2, 2 + n), fast), out)
        if attrs["coordinate_transformation_mode"] == "tf_crop_and_resize":
            for k, axis in enumerate(axes):
                within: Any = inside(axis).reshape([-1] + [1] * (n - k - 1))
                found = np.where(within, found, number_of(out, attrs["extrapolation_value"]))
        return from_plain(found, attrs["layout"], DATA[n])

    return run


def _weighted(x: Any, axes: Sequence[Axis], spots: Sequence[int], fast: bool) -> Any:
    """The weighted sums along each axis, which are the axes ``spots`` of ``x``, the last axis first; ``fast``: as
    products of matrices."""
    quick = plain(fast, x) and bool(np.isfinite(x).all())
    for axis, spot in reversed(list(zip(axes, spots, strict=True))):
        shape = x.shape
        lead, tail = shape[:spot], shape[spot + 1 :]
        if quick and axis.method == "linear" and axis.size >= 32 and prod(tail) >= 16:
            x = _between(x, axis, prod(lead), tail).reshape(*lead, axis.new, *tail)
            continue
        if quick and axis.size <= 1024:
            cells = np.ascontiguousarray(x).reshape(prod(lead), axis.size, prod(tail))
            matrix = matrix_of(axis, x.dtype)
            last = not tail
            cells = cells.reshape(-1, axis.size) @ matrix.T if last else np.matmul(matrix, cells)
            x = cells.reshape(*lead, axis.new, *tail)
            continue
        total = np.zeros((*lead, axis.new, *tail), x.dtype)
        for places, weights in taps_of(axis, x.dtype):
            total = total + np.take(x, places, axis=spot) * weights.reshape([-1] + [1] * len(tail))
        x = total
    return x


def _between(x: Any, axis: Axis, lead: int, tail: Sequence[int]) -> Any:
    """The weighted sums of two rows each, some of the arrays before the axis at a time."""
    cells = np.ascontiguousarray(x).reshape(lead, axis.size, prod(tail))
    result = fresh((lead, axis.new, prod(tail)), x.dtype)
    (low, first), (high, second) = ((places, weights[:, None]) for places, weights in taps_of(axis, x.dtype))
    if prod(tail) < 64:  # so that NumPy has one long loop
        first, second = (np.repeat(weights, prod(tail), axis=1) for weights in (first, second))
    step = max(1, NEAR // (axis.new * prod(tail)))
    spare = fresh((min(step, lead), axis.new, prod(tail)), x.dtype)
    for at in range(0, lead, step):
        part, out = cells[at : at + step], result[at : at + step]
        np.take(part, low, axis=1, out=out, mode="clip")
        out *= first
        other = np.take(part, high, axis=1, out=spare[: len(part)], mode="clip")
        other *= second
        out += other
    return result


OPERATORS: dict[str, Run] = {
    **{f"relax.nn.conv{n}d_transpose": _transposed(n) for n in (1, 2, 3)},
    **{f"relax.image.resize{n}d": _resize(n) for n in (2, 3)},
}
