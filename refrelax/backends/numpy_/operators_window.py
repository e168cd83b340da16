"""Operators over sliding windows: convolution and pooling, of one to three spatial axes.

An array is brought to the plain layout (batch, channel, space), padded, and seen through one strided view a tap.
``bits`` adds tap by tap in the defined order; ``fast`` collects the taps into columns and multiplies matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from math import prod
from typing import Any

import numpy as np

from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_ import exact
from refrelax.backends.numpy_.narrow import narrowed, widened
from refrelax.backends.numpy_.operands import NARROW, Attrs, Run, is_float, literal, met, plain
from refrelax.backends.numpy_.reductions import reduce
from refrelax.errors import unspecified
from refrelax.running.arrays import numpy_dtype
from refrelax.syntax import bits

DATA = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
KERNEL = {1: "OIW", 2: "OIHW", 3: "OIDHW"}


@cache
def order(layout: str, plain_layout: str) -> tuple[int, ...]:
    """The axes of ``layout`` in the order of the plain one."""
    if sorted(layout) != sorted(plain_layout):
        raise Unsupported(f"the layout {layout}")
    return tuple(layout.index(c) for c in plain_layout)


def to_plain(x: Any, layout: str, plain_layout: str) -> Any:
    return x if layout == plain_layout else np.transpose(x, order(layout, plain_layout))


def from_plain(x: Any, layout: str, plain_layout: str) -> Any:
    """``x``, new memory, in ``layout``."""
    return np.ascontiguousarray(x if layout == plain_layout else np.transpose(x, order(plain_layout, layout)))


def taps(
    x: Any, kernel: Sequence[int], strides: Sequence[int], dilation: Sequence[int], counts: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Every position in the window with the elements that all windows have there, in increasing order."""
    for at in product(*(range(k) for k in kernel)):
        cut = tuple(
            slice(t * d, t * d + (n - 1) * s + 1 if n else t * d, s)
            for t, d, s, n in zip(at, dilation, strides, counts, strict=True)
        )
        yield at, x[(..., *cut)]


def padded(x: Any, before: Sequence[int], after: Sequence[int], fill: Any) -> Any:
    """Space grown on both sides."""
    if not any(before) and not any(after):
        return x
    widths = [(0, 0)] * (x.ndim - len(before)) + list(zip(before, after, strict=True))
    shape = [n + a + b for n, (a, b) in zip(x.shape, widths, strict=True)]
    result = np.empty_like(x, shape=shape)  # in the order of memory that x has
    result.fill(fill)
    result[tuple(slice(a, a + n) for n, (a, _) in zip(x.shape, widths, strict=True))] = x
    return result


# --- convolution -----------------------------------------------------------------------------------------------------


def _conv(n: int) -> Run:
    def run(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
        x, w = args
        dtype = numpy_dtype(attrs["out_dtype"]) if attrs["out_dtype"] not in (None, "", "void") else x.dtype
        if fast and dtype.name in NARROW and x.dtype == w.dtype == dtype:
            wide = run({**attrs, "out_dtype": "float32"}, (widened(x), widened(w)), fast)
            return narrowed(wide, dtype)
        meeting = met(x.dtype, w.dtype)
        x, w = (exact.converted(exact.converted(v, meeting), dtype) for v in (x, w))
        x, w = to_plain(x, attrs["data_layout"], DATA[n]), to_plain(w, attrs["kernel_layout"], KERNEL[n])
        groups = attrs["groups"]
        if x.shape[1] != w.shape[1] * groups or w.shape[0] % groups:
            raise unspecified("op.conv/channels-run", f"{x.shape} and {w.shape}")
        before, after = attrs["padding"][:n], attrs["padding"][n:]
        counts = [
            (m - d * (k - 1) - 1 + p + q) // s + 1
            for m, k, p, q, d, s in zip(
                x.shape[2:], w.shape[2:], before, after, attrs["dilation"], attrs["strides"], strict=True
            )
        ]
        grown = padded(x, before, after, 0)
        apart = list(attrs["strides"]) == list(w.shape[2:]) and set(attrs["dilation"]) == {1}
        if plain(fast, x) and apart and groups == 1 and prod(w.shape[2:]) >= MANY and x.size and min(counts) > 0:
            return from_plain(_patches(grown, w, counts), attrs["out_layout"] or attrs["data_layout"], DATA[n])
        views = list(taps(grown, w.shape[2:], attrs["strides"], attrs["dilation"], counts))
        if plain(fast, x) and views and groups == 1 and attrs["data_layout"].endswith("C"):
            found = np.moveaxis(_rows(views, x.shape[0], w, counts), -1, 1)
            return from_plain(found, attrs["out_layout"] or attrs["data_layout"], DATA[n])
        found = (_columns if plain(fast, x) and views else _tap_by_tap)(views, x.shape[0], w, groups, counts)
        return from_plain(found, attrs["out_layout"] or attrs["data_layout"], DATA[n])

    return run


Views = list[tuple[tuple[int, ...], Any]]


def _tap_by_tap(views: Views, batch: int, w: Any, groups: int, counts: Sequence[int]) -> Any:
    """Input channels outermost, then the taps: the defined order."""
    per_group, inputs = w.shape[0] // groups, w.shape[1]
    first = np.arange(w.shape[0]) // max(per_group, 1) * inputs
    space = (1,) * len(counts)
    total = np.zeros((batch, w.shape[0], *counts), dtype=w.dtype)
    for i in range(inputs):
        for at, view in views:
            total = total + view[:, first + i] * w[(slice(None), i, *at)].reshape(1, -1, *space)
    return total


def _columns(views: Views, batch: int, w: Any, groups: int, counts: Sequence[int]) -> Any:
    """Columns of taps times the kernel, one product of matrices a group."""
    columns = np.stack([view for _, view in views], axis=2) if len(views) > 1 else np.ascontiguousarray(views[0][1])
    columns = columns.reshape(batch, groups, w.shape[1] * len(views), prod(counts))
    kernel = w.reshape(groups, w.shape[0] // groups, w.shape[1] * len(views))
    return np.matmul(kernel[None], columns).reshape(batch, w.shape[0], *counts)


MANY = 9
"""Taps that are more work to stack than to move as patches."""


def _patches(x: Any, w: Any, counts: Sequence[int]) -> Any:
    """Windows that lie side by side: each is a row of a matrix, moved once."""
    n, kernel = len(counts), w.shape[2:]
    cells = x[(..., *(slice(0, c * k) for c, k in zip(counts, kernel, strict=True)))]
    cells = cells.reshape(*x.shape[:2], *(e for c, k in zip(counts, kernel, strict=True) for e in (c, k)))
    order = [0, *range(2, 2 + 2 * n, 2), 1, *range(3, 3 + 2 * n, 2)]
    rows = np.transpose(cells, order).reshape(x.shape[0] * prod(counts), x.shape[1] * prod(kernel))
    found = (rows @ w.reshape(w.shape[0], -1).T).reshape(x.shape[0], *counts, w.shape[0])
    return np.moveaxis(found, -1, 1)


def _rows(views: Views, batch: int, w: Any, counts: Sequence[int]) -> Any:
    """Rows of taps times the kernel, where channels are the last axis of memory: (batch, space, channel)."""
    rows = np.stack([np.moveaxis(view, 1, -1) for _, view in views], axis=-2)
    kernel = np.moveaxis(w, (0, 1), (-1, -2)).reshape(len(views) * w.shape[1], w.shape[0])
    return (rows.reshape(batch * prod(counts), len(kernel)) @ kernel).reshape(batch, *counts, w.shape[0])


# --- pooling ---------------------------------------------------------------------------------------------------------


def pooled_extent(size: int, taps_: int, stride: int, dilation: int, before: int, after: int, ceil: bool) -> int:
    """The number of windows along an axis."""
    room = size + before + after - dilation * (taps_ - 1) - 1
    if not ceil:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count - 1 if (count - 1) * stride >= size + before else count


def _pool(n: int, largest: bool) -> Run:
    def run(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
        x = to_plain(args[0].astype(np.uint8) if args[0].dtype == np.bool_ else args[0], attrs["layout"], DATA[n])
        kernel, strides, dilation = attrs["pool_size"], attrs["strides"], attrs["dilation"]
        before, after = attrs["padding"][:n], attrs["padding"][n:]
        size = x.shape[2:]
        geometry: list[tuple[int, int, int, int, int, int]] = list(
            zip(size, kernel, strides, dilation, before, after, strict=True)
        )
        counts = [pooled_extent(*each, attrs["ceil_mode"]) for each in geometry]
        reach = [(c - 1) * s + d * (k - 1) + 1 for c, (_, k, s, d, _, _) in zip(counts, geometry, strict=True)]
        more = [max(r - p - m, 0) for r, (m, _, _, _, p, _) in zip(reach, geometry, strict=True)]
        fill = lowest(x.dtype) if largest else 0
        space = padded(x, before, more, fill)
        if largest:
            total = by_axes(np.maximum if plain(fast, x) else exact.maximum, space, kernel, strides, dilation, counts)
        else:
            if plain(fast, x) or x.dtype.kind in "iu":  # (integers wrap: their sums have no order)
                total = by_axes(np.add, space, kernel, strides, dilation, counts)
            else:
                total = np.zeros((*x.shape[:2], *counts), dtype=x.dtype)
                for _, view in taps(space, kernel, strides, dilation, counts):
                    total = total + view
            end = [m + (q if attrs["count_include_pad"] else 0) for m, q in zip(size, after, strict=True)]
            low = [-p if attrs["count_include_pad"] else 0 for p in before]
            count = _covered(tuple(geometry), tuple(counts), tuple(low), tuple(end), x.dtype)
            total = exact.truncated_divide(total, count)
        found = from_plain(total.astype(args[0].dtype, copy=False), attrs["out_layout"] or attrs["layout"], DATA[n])
        return found.copy() if np.may_share_memory(found, args[0]) else found  # (windows of one element are views)

    return run


def by_axes(
    fold: Callable[[Any, Any], Any], x: Any, kernel: Sequence[int], strides: Sequence[int], dilation: Sequence[int],
    counts: Sequence[int],
) -> Any:  # fmt: skip
    """What every window folds to, one axis after the other, which is less work than element by element; for what may be
    folded in any order."""
    for axis, (k, s, d, n) in enumerate(zip(kernel, strides, dilation, counts, strict=True), x.ndim - len(kernel)):
        lead = (slice(None),) * axis
        if k == 1:
            x = x[(*lead, slice(0, (n - 1) * s + 1 if n else 0, s))]
            continue
        total: Any = None
        for t in range(k):
            view = x[(*lead, slice(t * d, t * d + (n - 1) * s + 1 if n else t * d, s))]
            if total is None:
                total = view
            elif t > 1 and isinstance(fold, np.ufunc):
                fold(total, view, out=total)
            else:
                total = fold(total, view)
        x = total
    return x


@lru_cache(maxsize=256)
def _covered(
    geometry: tuple[Any, ...], counts: tuple[int, ...], low: tuple[int, ...], end: tuple[int, ...], kind: Any
) -> Any:
    """How many positions of each window lie between ``low`` and ``end``, at least 1."""
    total = np.ones((), dtype=np.int64)
    for (_, k, s, d, p, _), count, least, most in zip(geometry, counts, low, end, strict=True):
        spots = np.arange(count)[:, None] * s - p + np.arange(k)[None, :] * d
        total = total[..., None] * ((spots >= least) & (spots < most)).sum(axis=1)
    return exact.cast(np.maximum(total, 1), kind)


def lowest(dtype: Any) -> Any:
    """What loses to every element."""
    if not is_float(dtype):
        return np.iinfo(dtype).min
    infinite = bits.FORMATS[dtype.name].specials == "ieee"
    return literal(dtype, float("-inf") if infinite else -bits.largest_finite(dtype.name))


LANES = 1 << 14
"""Elements that may be summed in lanes; NumPy sums more of them in pairs, which errs less."""


def _adaptive(n: int) -> Run:
    def run(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
        x = to_plain(args[0], attrs["layout"], DATA[n])
        wanted = attrs["output_size"] if attrs["output_size"] is not None else list(x.shape[2:])
        wanted = wanted * n if len(wanted) == 1 else wanted
        size = x.shape[2:]
        if plain(fast, x) and x.size and all(q and m % q == 0 for m, q in zip(size, wanted, strict=True)):
            split = [e for m, q in zip(size, wanted, strict=True) for e in (q, m // q)]
            if prod(wanted) == 1 and prod(size) <= LANES and x.flags.c_contiguous:
                total = np.einsum("ij->i", x.reshape(-1, prod(size))) / x.dtype.type(prod(size))
                found = total.reshape(*x.shape[:2], *wanted)
            else:
                found = x.reshape(*x.shape[:2], *split).mean(axis=tuple(range(3, 3 + 2 * n, 2)), dtype=x.dtype)
            return from_plain(found, attrs["out_layout"] or attrs["layout"], DATA[n])
        result: Any = np.zeros((*x.shape[:2], *wanted), dtype=x.dtype)
        for y in product(*(range(q) for q in wanted)):
            spans: list[Any] = [
                slice(p * m // q, -(-(p + 1) * m // q)) for p, m, q in zip(y, x.shape[2:], wanted, strict=True)
            ]
            cells = x[(..., *spans)].reshape(*x.shape[:2], -1) if x.size else np.zeros((*x.shape[:2], 0), x.dtype)
            count = exact.cast(np.array(max(cells.shape[-1], 1)), x.dtype)
            result[(..., *y)] = exact.truncated_divide(reduce("add", cells, [2], fast=fast), count)
        return from_plain(result, attrs["out_layout"] or attrs["layout"], DATA[n])

    return run


OPERATORS: dict[str, Run] = {
    **{f"relax.nn.conv{n}d": _conv(n) for n in (1, 2, 3)},
    **{f"relax.nn.max_pool{n}d": _pool(n, largest=True) for n in (1, 2, 3)},
    **{f"relax.nn.avg_pool{n}d": _pool(n, largest=False) for n in (1, 2, 3)},
    **{f"relax.nn.adaptive_avg_pool{n}d": _adaptive(n) for n in (1, 2, 3)},
}
