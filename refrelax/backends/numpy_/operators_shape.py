"""Operators that make, cut, repeat and rearrange arrays."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import isfinite, prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_ import exact
from refrelax.backends.numpy_.memory import fresh
from refrelax.backends.numpy_.operands import Attrs, Run, array, extents, is_float, literal, number, number_of, within
from refrelax.backends.numpy_.reductions import reduce
from refrelax.errors import unspecified
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.values import Shape

# --- making ----------------------------------------------------------------------------------------------------------


def arange(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    """``rounded``: the elements are counted in float32, where a float stands among names."""
    numbers = [number(v) for v in args]
    if not all(map(isfinite, numbers)) or numbers[2] == 0:
        raise unspecified("op.arange/zero-step", "a step of 0, or no number")
    start, stop, step = map(Fraction, numbers)
    count = _rounded_count(*numbers) if attrs.get("rounded") else max(0, -((start - stop) // step))
    dtype = numpy_dtype(attrs["dtype"])
    if is_float(dtype):
        return literal(dtype, start) + exact.cast(np.arange(count), dtype) * literal(dtype, step)
    return (int(start) + np.arange(count, dtype=np.int64) * int(step)).astype(dtype)


def _rounded_count(*numbers: int | float) -> int:
    with np.errstate(all="ignore"):
        start, stop, step = (exact.cast(np.array(each), np.float32) for each in numbers)
        count = np.ceil((stop - start) / step)
    if not np.isfinite(count):
        raise unspecified("num/cast-range", "a count of elements that is no number")
    return max(0, int(count))


def full_like(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    dtype = numpy_dtype(attrs["dtype"]) if attrs["dtype"] else args[0].dtype
    return np.broadcast_to(exact.cast(array(args[1]).reshape(()), dtype), args[0].shape).copy()


def _diagonal(shape: tuple[int, ...], k: int, dtype: Any) -> Any:
    return np.eye(shape[0], shape[1], k).astype(dtype)


def eye(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    n, m, k = (int(number(v)) for v in args)
    return _diagonal((n, m), k, numpy_dtype(attrs["dtype"]))


def eye_like(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    dtype = numpy_dtype(attrs["dtype"]) if attrs["dtype"] else args[0].dtype
    return _diagonal(args[0].shape, int(number(args[1])), dtype)


TRIANGLE, WHOLE = 64, 1 << 17
"""Rows of a triangle that are written at a time; elements of a matrix whose triangle is written at once."""


def _triangle(lower: bool) -> Run:
    def run(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
        x = args[0]
        rows, columns = x.shape[-2:]
        k = max(-rows, min(int(number(args[1])), columns))  # (NumPy counts from k on)
        zero = np.zeros((), x.dtype)
        if x.ndim == 2 and x.size <= WHOLE:
            kept = np.tri(rows, columns, k - (not lower), dtype=bool)
            return np.where(kept, x, zero) if lower else np.where(kept, zero, x)
        result = fresh(x.shape, x.dtype)
        for first in range(0, rows, TRIANGLE):  # what a few rows keep, what they lose, and a triangle between
            part = slice(first, min(first + TRIANGLE, rows))
            low = min(max(first + k + lower, 0), columns)
            high = min(max(part.stop + k, low), columns)
            for cut, own in ((slice(0, low), lower), (slice(high, None), not lower)):
                result[..., part, cut] = x[..., part, cut] if own else zero
            kept = np.tri(part.stop - first, high - low, first + k - low - (not lower), dtype=bool)
            result[..., part, low:high] = np.where(kept == lower, x[..., part, low:high], zero)
        return result

    return run


# --- cutting and joining ---------------------------------------------------------------------------------------------


def split(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    """Cut at indices, or into sections of ``ceil(n / sections)``."""
    (x,), cuts = args, attrs["indices_or_sections"]
    axis = attrs["axis"] % x.ndim
    n = x.shape[axis]
    if isinstance(cuts, list):
        edges = [0, *(min(max(cut, 0), n) for cut in cuts), n]
    else:
        size = -(-n // cuts)
        edges = [*(size * s for s in range(cuts)), n]
        if edges[-2] > n:
            raise unspecified("op.split/sections", f"{n} elements do not make {cuts} sections")
    if len(edges) == 2:
        return x.copy()
    lead = (slice(None),) * axis
    return tuple(x[(*lead, slice(a, max(a, b)))].copy() for a, b in pairwise(edges))


def stack(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    return np.stack(list(args[0]), axis=attrs["axis"] or 0)


def strided_slice(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x = args[0]
    axes, begin, end = (extents(v) for v in args[1:4])
    strides = extents(args[4]) if len(args) > 4 else (1,) * len(axes)
    bounds = {axis % x.ndim: each for axis, *each in zip(axes, begin, end, strides, strict=True)}
    return sliced(x, bounds, bool(attrs["assume_inbound"]), bool(attrs.get("view")))


def dynamic_strided_slice(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x = args[0]
    columns = [[int(e) for e in np.asarray(v)] for v in args[1:4]]
    return sliced(x, dict(enumerate([list(each) for each in zip(*columns, strict=True)])), False)


def sliced(x: Any, bounds: dict[int, list[int]], inbound: bool, view: bool = False) -> Any:
    """``x[begin:end:stride]`` on some axes; bounds are clamped unless they are promised to lie inside. ``view``: the
    result may be memory of ``x``."""
    whole = x
    for axis, (a, b, s) in bounds.items():
        n = x.shape[axis]
        if s == 0:
            raise unspecified("op.strided_slice/zero-stride-run", "a stride of 0")
        if inbound and not (0 <= a <= n and 0 <= b <= n):
            raise unspecified("op.strided_slice/inbound", f"[{a}, {b}) of {n} elements")
        low, high = (-1, n - 1) if s < 0 else (0, n)
        a, b = ((v if inbound else min(max(v + n if v < 0 else v, low), high)) for v in (a, b))
        if (s < 0 and a >= n > 0) or min(a, b + 1) < 0:  # promised to lie inside, and does not
            x = np.take(x, np.arange(a, b, s), axis=axis)
            continue
        cut = slice(a, max(a, b), s) if s > 0 else slice(a, None if b < 0 else min(a, b), s)
        x = x[(slice(None),) * axis + (cut if n else slice(0, 0),)]
    return x if view or (x is not whole and x.base is None) else x.copy()


def squeeze(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    """Without the chosen axes of extent 1."""
    (x,), axis = args, attrs["axis"]
    chosen = range(x.ndim) if axis is None else [a % x.ndim for a in (axis if isinstance(axis, list) else [axis])]
    return x.reshape([n for k, n in enumerate(x.shape) if k not in chosen or n != 1]).copy()


def repeat(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    return np.repeat(args[0], attrs["repeats"], axis=attrs["axis"])


def flip(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    (x,), axis = args, attrs["axis"] % args[0].ndim
    result = fresh(x.shape, x.dtype)
    np.copyto(result, x[(slice(None),) * axis + (slice(None, None, -1),)])
    return result


def meshgrid(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    parts = [v.reshape(-1) for v in args[0]]
    return tuple(v.copy() for v in np.meshgrid(*parts, indexing=attrs["indexing"] or "ij"))


def pad(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    """A border of ``pad_value``, or of mirrored, nearest or wrapped elements."""
    (x,), widths = args, attrs["pad_width"]
    before, after = widths[::2], widths[1::2]
    mode = attrs["pad_mode"]
    if any(n + a + b < 0 for n, a, b in zip(x.shape, before, after, strict=True)):
        raise unspecified("op.nn.pad/range", f"{x.shape} by {widths}")
    fill = number_of(x.dtype, attrs["pad_value"])
    reach = {"constant": 1 << 62, "reflect": -1, "replicate": 1 << 62, "circular": 0}[mode]
    few = all(0 <= w <= n + min(reach, (1 << 62) - n) for n, pair in zip(x.shape, zip(before, after)) for w in pair)
    if few and (x.size or mode == "constant"):
        return _bordered(x, before, after, mode, fill)
    outside = np.zeros([n + a + b for n, a, b in zip(x.shape, before, after, strict=True)], dtype=bool)
    for axis, (a, extent) in enumerate(zip(before, outside.shape, strict=True)):
        n = x.shape[axis]
        at = _source(np.arange(extent) - a, n, mode)
        shape = [1] * x.ndim
        shape[axis] = extent
        outside = outside | ((at < 0) | (at >= n)).reshape(shape)
        if n:
            x = np.take(x, np.clip(at, 0, n - 1), axis=axis)
        else:
            x = np.zeros([*x.shape[:axis], extent, *x.shape[axis + 1 :]], dtype=x.dtype)
    return np.where(outside, fill, x) if mode == "constant" else x


def _bordered(x: Any, before: Sequence[int], after: Sequence[int], mode: str, fill: Any) -> Any:
    """The border as slices, of one number or of the elements near it, axis by axis."""
    result = fresh(tuple(n + a + b for n, a, b in zip(x.shape, before, after, strict=True)), x.dtype)
    spots = [slice(a, a + n) for n, a in zip(x.shape, before, strict=True)]
    result[tuple(spots)] = x
    for axis in reversed(range(x.ndim)):  # later axes are whole
        n, a, b = x.shape[axis], before[axis], after[axis]
        own = result[(*spots[:axis], ...)]
        lead = (slice(None),) * axis

        def at(start: int, stop: int, step: int = 1, own: Any = own, lead: Any = lead) -> Any:
            return own[(*lead, slice(start, None if step < 0 and stop < 0 else stop, step))]

        ends = ((0, a), (a + n, a + n + b))
        match mode:
            case "constant":
                given: tuple[Any, Any] = (fill, fill)
            case "replicate":
                given = (at(a, a + 1), at(a + n - 1, a + n))
            case "circular":
                given = (at(n, a + n), at(a, a + b))
            case _:
                given = (at(2 * a, a, -1), at(a + n - 2, a + n - 2 - b, -1))
        for (start, stop), value in zip(ends, given, strict=True):
            if start < stop:
                at(start, stop)[...] = value
    return result


def _source(p: Any, n: int, mode: str) -> Any:
    match mode:
        case "reflect":
            return np.where(p < 0, -p, np.where(p >= n, 2 * n - 2 - p, p))
        case "replicate":
            return np.clip(p, 0, n - 1)
        case "circular":
            return p % n if n else p
        case _:
            return p


def pixel_shuffle(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    (x,), r = args, attrs["upscale_factor"]
    *lead, c, h, w = x.shape
    k = len(lead)
    cells = x.reshape(*lead, c // (r * r), r, r, h, w)
    moved = np.transpose(cells, [*range(k), k, k + 3, k + 1, k + 4, k + 2])
    return moved.copy().reshape(*lead, c // (r * r), h * r, w * r)


def one_hot(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, on, off = args
    axis, dtype = attrs["axis"], numpy_dtype(on.dtype)
    axis = axis + x.ndim + 1 if axis < 0 else axis
    depth, inner = attrs["depth"], axis == x.ndim
    if inner and x.size and depth and within(x, depth):
        other = literal(dtype, off.value)
        result = np.zeros((*x.shape, depth), dtype)
        if other.tobytes().strip(b"\0"):
            result.fill(other)
        spots = np.arange(0, result.size, depth)
        spots += x.reshape(-1).astype(np.int64, copy=False)
        result.reshape(-1)[spots] = literal(dtype, on.value)
        return result
    keys = np.arange(attrs["depth"]).reshape([-1 if k == axis else 1 for k in range(x.ndim + 1)])
    hit = np.expand_dims(x.astype(np.int64), axis) == keys
    return np.where(hit, literal(dtype, on.value), literal(dtype, off.value)).astype(dtype)


# --- sums that undo broadcasting, shapes as values -------------------------------------------------------------------


def collapse(x: Any, shape: tuple[int, ...], fast: bool) -> Any:
    """The sum over the axes that broadcasting ``shape`` would have added or stretched."""
    lead = x.ndim - len(shape)
    if lead < 0 or any(m not in (1, n) for n, m in zip(x.shape[lead:], shape, strict=True)):
        raise unspecified("op.collapse_sum/extents", f"{x.shape} to {shape}")
    axes = [k for k, n in enumerate(x.shape) if k < lead or (n != 1 and shape[k - lead] == 1)]
    return reduce("add", x, axes, True, fast).reshape(shape)


def tensor_to_shape(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    return Shape(tuple(int(e) for e in np.asarray(args[0]).reshape(-1)))


OPERATORS: dict[str, Run] = {
    "relax.arange": arange,
    "relax.full_like": full_like,
    "relax.eye": eye,
    "relax.eye_like": eye_like,
    "relax.tril": _triangle(True),
    "relax.triu": _triangle(False),
    "relax.split": split,
    "relax.stack": stack,
    "relax.strided_slice": strided_slice,
    "relax.dynamic_strided_slice": dynamic_strided_slice,
    "relax.squeeze": squeeze,
    "relax.repeat": repeat,
    "relax.tile": lambda c, a, _f: np.tile(a[0], c["repeats"]),
    "relax.flip": flip,
    "relax.meshgrid": meshgrid,
    "relax.nn.pad": pad,
    "relax.nn.pixel_shuffle": pixel_shuffle,
    "relax.nn.batch_flatten": lambda _c, a, _f: a[0].reshape(a[0].shape[0], prod(a[0].shape[1:])).copy(),
    "relax.one_hot": one_hot,
    "relax.collapse_sum_like": lambda _c, a, fast: collapse(a[0], a[1].shape, fast),
    "relax.collapse_sum_to": lambda _c, a, fast: collapse(a[0], extents(a[1]), fast),
    "relax.size": lambda _c, a, _f: np.array(a[0].size, dtype=np.int64),
    "relax.shape_to_tensor": lambda _c, a, _f: np.array(extents(a[0]), dtype=np.int64),
    "relax.tensor_to_shape": tensor_to_shape,
    "relax.wrap_param": lambda c, a, _f: exact.cast(a[0], numpy_dtype(c["dtype"])),
    "relax.builtin.stop_lift_params": lambda _c, a, _f: a[0],
    "relax.grad.no_grad": lambda _c, a, _f: a[0],
    "relax.grad.start_checkpoint": lambda _c, a, _f: a[0],
    "relax.grad.end_checkpoint": lambda _c, a, _f: a[0],
    "relax.nn.dropout": lambda _c, a, _f: (a[0].copy(), np.ones_like(a[0])),
}
