"""Elementwise work on blocks that stay near: what groups of bindings call (``fast_groups.py``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_.memory import fresh

NEAR = 1 << 16
"""Elements of a block."""

NEAR_UPPER = 1 << 15
"""The same for bfloat16, whose roundings go over a block often."""


class _Kinds(dict[str, Any]):
    """NumPy's dtypes by name: a name is slow to read, and NumPy has one object for each of its own."""

    def __missing__(self, name: str) -> Any:
        self[name] = found = np.dtype(name)
        return found


KINDS = _Kinds()


def together(arrays: Sequence[Any]) -> tuple[int, ...]:
    """The shape of some arrays broadcast together: mostly that of each."""
    shape: tuple[int, ...] = arrays[0].shape if arrays else ()
    for each in arrays:
        if each.shape != shape:
            if len(arrays) <= 32:  # (many times quicker than by the shapes)
                return np.broadcast(*arrays).shape
            return np.broadcast_shapes(*[each.shape for each in arrays])
    return shape


def blocked(
    step: Callable[..., None],
    operands: Sequence[Any],
    made: Sequence[str],
    scratch: Sequence[str],
    over: Any = None,
    near: int = NEAR,
) -> tuple[Any, ...]:
    """Call ``step(*operands, *results, *scratch)`` block by block; gives the results, of the shape of all operands
    together. ``over``: memory for the only result, an operand or like one; ``near``: elements of a block."""
    shape = together(operands)
    size = prod(shape)
    if over is not None and over.shape == shape and over.dtype is KINDS[made[0]] and over.flags.writeable:
        results: tuple[Any, ...] = (over,)
    elif len(made) == 1:
        results = (fresh(shape, KINDS[made[0]]),)
    else:
        results = tuple([fresh(shape, KINDS[dtype]) for dtype in made])
    if size <= 2 * near:
        if scratch:
            step(*operands, *results, *pieces(shape, scratch))
        else:
            step(*operands, *results)
        return results
    parts = [*operands, *results]
    if all((p.shape == shape and p.flags.c_contiguous) or not p.ndim for p in parts):
        parts, shape = [p.reshape(-1) if p.ndim else p for p in parts], (size,)
    rows = shape[0]
    count = max(1, near * rows // size)
    spare = pieces((min(count, rows), *shape[1:]), scratch)
    cut = [p.ndim == len(shape) and p.shape[0] == rows for p in parts]
    for first in range(0, rows, count):
        part = slice(first, first + count)
        now = [p[part] if c else p for p, c in zip(parts, cut, strict=True)]
        step(*now, *[t[: min(count, rows - first)] for t in spare])
    return results


APART = 192
"""Bytes between pieces, so that those of one size do not begin at the same place of a page."""


def pieces(shape: tuple[int, ...], dtypes: Sequence[str]) -> list[Any]:
    """Scratch memory, all of it one piece: what is too small to be kept is taken from the kernel each time."""
    kinds = [KINDS[dtype] for dtype in dtypes]
    if len(kinds) < 2:
        return [fresh(shape, kind) for kind in kinds]
    size, starts, end = prod(shape), [], 0
    for kind in kinds:
        starts.append(end)
        end += (size * kind.itemsize + APART + 63) & -64
    room = fresh((end,), np.uint8)
    return [np.ndarray(shape, kind, room, start) for kind, start in zip(kinds, starts, strict=True)]


class Reshaped:
    """An array that is to be seen in another shape, by what copies it anyway."""

    __slots__ = ("array", "shape")

    def __init__(self, array: Any, shape: Any) -> None:
        self.array, self.shape = array, shape.dims

    @property
    def dtype(self) -> Any:
        return self.array.dtype

    def place(self, slot: Any) -> None:
        """Copy it to ``slot``, which has its shape."""
        try:
            seen = np.reshape(slot, self.array.shape, copy=False)
        except (TypeError, ValueError):  # NumPy before 2.1, or a slot that cannot be seen so
            slot[...] = self.array.reshape(self.shape)
            return
        seen[...] = self.array


@lru_cache(maxsize=64)
def _filled(data: bytes, dtype: Any, count: int) -> Any:
    found = np.full(count, np.frombuffer(data, dtype)[0])
    found.flags.writeable = False
    return found


def filled(number: Any, like: Any) -> Any:
    """``number`` as often as ``like`` has elements in its last axis: NumPy's extremes are slow against one number."""
    if like.ndim == 0 or like.shape[-1] < 64 or like.shape[-1] > 1 << 20:
        return number
    return _filled(number.tobytes(), number.dtype, like.shape[-1])


INTEGERS = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def where(mask: Any, a: Any, b: Any, out: Any) -> None:
    """``out = a where mask else b``, by bits: NumPy's own branches at every element."""
    if out.size < 1024:
        out[...] = np.where(mask, a, b)
        return
    kind = INTEGERS[out.itemsize]
    if a.ndim == b.ndim == 0 and mask.shape == out.shape:
        first, second = (np.asarray(each).reshape(1).view(kind)[0] for each in (a, b))
        whole = out.view(kind)
        np.negative(mask.view(np.int8), out=whole, casting="unsafe")
        whole &= first ^ second
        whole ^= second
        return
    chosen = mask.astype(kind)
    np.negative(chosen, out=chosen)
    b = b.view(kind)
    apart = np.bitwise_xor(a.view(kind), b)
    apart = np.bitwise_and(apart, chosen, out=apart if apart.shape == out.shape else None)
    np.bitwise_xor(apart, b, out=out.view(kind))


def power(a: Any, b: Any, out: Any = None) -> Any:
    """``a ** b`` of floats. Where one exponent of a half belongs to many elements NumPy takes their roots, which are
    others of -0 and of -infinity."""
    halves = np.equal(b, b.dtype.type(0.5))
    if not halves.any():
        return np.power(a, b, out=out)
    endless, nothing = halves & np.isneginf(a), halves & (a == 0)
    found = np.asarray(np.power(a, b, out=out))
    np.copyto(found, np.inf, where=endless)
    np.copyto(found, 0, where=nothing)
    return found


_ABOVE = (
    -2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05, -7.34990630326855e-04,
    -2.95459980854025e-03, -1.60960333262415e-02,
)  # fmt: skip
_BELOW = (
    -1.45660718464996e-05,
    -2.13374055278905e-04,
    -1.68282697438203e-03,
    -7.37332916720468e-03,
    -1.42647390514189e-02,
)


NEAR_WIDE = 1 << 13
"""Numbers of binary64 of which several arrays stay near."""


def erf(x: Any, out: Any) -> None:
    """The error function at float32, within 1.6 units in the last place: a rational function of ``x`` clamped to
    [-4, 4] (the one of Eigen and XLA), here in binary64."""
    if x.size > 2 * NEAR_WIDE and x.flags.c_contiguous and out.flags.c_contiguous and x.shape == out.shape:
        cells, into = x.reshape(-1), out.reshape(-1)
        for first in range(0, x.size, NEAR_WIDE):
            erf(cells[first : first + NEAR_WIDE], into[first : first + NEAR_WIDE])
        return
    y = np.clip(np.atleast_1d(x), np.float32(-4), np.float32(4)).astype(np.float64)
    square = y * y
    above, below = square * _ABOVE[0], square * _BELOW[0]
    for total, numbers in ((above, _ABOVE), (below, _BELOW)):
        for number in numbers[1:-1]:
            total += number
            total *= square
        total += numbers[-1]
    above *= y
    above /= below
    out[...] = above.reshape(out.shape)


_ODDS = (
    1.5957698822021484, 0.07266587764024734, -6.460215081460774e-05, -0.00011100371921202168, 8.041270120884292e-06,
    -2.793947828649834e-07, 4.402398001701613e-09, -1.8916960012327344e-11,
)  # fmt: skip
_TURNED = tuple(np.array(-number, np.float32) for number in reversed(_ODDS))
_BOUNDS = np.array(-10, np.float32), np.array(10, np.float32)

NEAR_ODDS = 1 << 14
"""Numbers of which an array and its squares stay near."""


def odds(x: Any, out: Any) -> None:
    """``log((1 - p) / p)`` for the share ``p`` of a normal distribution below ``x``, so that ``x * p`` is
    ``x / (1 + exp(odds))``, at float32: an odd polynomial whose ``p`` is within 5e-8 up to 5.3 (fitted by least squares
    with turned weights), and which grows without a turn up to 10, where ``exp`` overflows."""
    if x.size > 2 * NEAR_ODDS and x.flags.c_contiguous and out.flags.c_contiguous and x.shape == out.shape:
        cells, into = x.reshape(-1), out.reshape(-1)
        for first in range(0, x.size, NEAR_ODDS):
            odds(cells[first : first + NEAR_ODDS], into[first : first + NEAR_ODDS])
        return
    low, high = (filled(bound, x) for bound in _BOUNDS)
    near = np.minimum(x, high)
    np.maximum(near, low, out=near)
    square = near * near
    np.multiply(square, _TURNED[0], out=out)
    for number in _TURNED[1:-1]:
        out += number
        out *= square
    out += _TURNED[-1]
    out *= near
