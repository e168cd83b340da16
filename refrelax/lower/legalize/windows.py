"""Convolution and pooling: reduce axes over channels and taps; padding by ``T.if_then_else``.

Programs are written over the plain layouts (batch, channel, space); the layouts of the call rename coordinates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from refrelax.lower.legalize.elementwise import Legalizer
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.scalars import (
    TRUE,
    Scalar,
    all_of,
    cast,
    if_then_else,
    index,
    least,
    lit,
    maximum,
    minimum,
    product,
    select,
)
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.binary import promote
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import as_int

_ITEM = re.compile(r"([A-Z])|([0-9]+)([a-z])")


@dataclass(frozen=True, slots=True)
class Layout:
    """``NCHW4c``: per axis a letter; for a small letter its extent."""

    axes: tuple[str, ...]
    inner: Mapping[str, int]

    @staticmethod
    def of(name: str) -> Layout:
        found = [m.groups() for m in _ITEM.finditer(name)]
        axes = tuple(big or small for big, _, small in found)
        return Layout(axes, {small: int(size) for _, size, small in found if small})

    def plain(self, at: Sequence[Scalar]) -> dict[str, Scalar]:
        """Coordinates by capital letter, from an index of a tensor in this layout."""
        own = dict(zip(self.axes, at, strict=True))
        return {
            a: own[a] * self.inner[a.lower()] + own[a.lower()] if a.lower() in self.inner else own[a]
            for a in self.axes
            if a.isupper()
        }

    def index(self, plain: Mapping[str, Scalar]) -> list[Scalar]:
        """The index of a tensor in this layout."""
        result = []
        for a in self.axes:
            p, size = plain[a.upper()], self.inner.get(a.lower())
            result.append(p if size is None else p % size if a.islower() else p // size)
        return result

    def dims(self, x: Array) -> dict[str, Scalar]:
        """Extents by capital letter."""
        own = dict(zip(self.axes, x.dims, strict=True))
        return {a: own[a] * self.inner.get(a.lower(), 1) for a in self.axes if a.isupper()}


SPACE = {1: "W", 2: "HW", 3: "DHW"}


def _each(values: list[int], n: int) -> list[int]:
    return values * n if len(values) == 1 else values


def _padding(s: Site, n: int) -> tuple[list[int], list[int]]:
    values = A.int_list(s.call, "padding")
    both = values * (2 * n) if len(values) == 1 else values * 2 if len(values) == n else values
    return both[:n], both[n:]


def _inside(positions: Sequence[Scalar], sizes: Sequence[Scalar], check: Sequence[bool]) -> Scalar:
    """Whether the checked positions lie in the data."""
    return all_of([
        (p >= 0) & (p < m) for p, m, wanted in zip(positions, sizes, check, strict=True) if wanted
    ])  # fmt: skip


def _read(x: Array, at: list[Scalar], inside: Scalar, outside: Scalar) -> Scalar:
    return x[at] if inside is TRUE else if_then_else(inside, x[at], outside)


# --- convolution -----------------------------------------------------------------------------------------------------


def _conv_transpose(n: int) -> Legalizer:
    """``sum over i, k with y + padding - k * dilation = p * stride of x[b, i, p] * w[i, o, k]``."""

    def legalize(s: Site) -> None:
        x, w = s.array(0), s.array(1)
        layouts = A.text(s.call, "data_layout"), A.text(s.call, "kernel_layout"), A.text(s.call, "out_layout", "")
        data, kernel, result = Layout.of(layouts[0]), Layout.of(layouts[1]), Layout.of(layouts[2] or layouts[0])
        size, taps, space = data.dims(x), kernel.dims(w), SPACE[n]
        strides, dilation = (_each(A.int_list(s.call, name), n) for name in ("strides", "dilation"))
        (before, _), groups = _padding(s, n), A.integer(s.call, "groups")
        s.same(size["C"], taps["I"], "lo/equal-extents")
        channels, per_group = taps["I"] // groups, taps["O"]
        dtype, meeting = s.out.dtype, promote(x.dtype, w.dtype)

        def item(*at: Scalar) -> Scalar:
            out, (c, *tap) = result.plain(at[: s.out.ndim]), at[s.out.ndim :]
            group = out["C"] // per_group if groups > 1 else index(0)
            channel, inner = group * channels + c, (out["C"] % per_group if groups > 1 else out["C"])
            moved = [out[a] + pad - k * by for a, pad, k, by in zip(space, before, tap, dilation, strict=True)]
            spots = [m // stride for m, stride in zip(moved, strides, strict=True)]
            hit = all_of([(m % stride).equals(0) for m, stride in zip(moved, strides, strict=True) if stride > 1])
            inside = _inside(spots, [size[a] for a in space], [True] * n)
            where = data.index({"N": out["N"], "C": channel, **dict(zip(space, spots, strict=True))})
            weight = w[kernel.index({"I": channel, "O": inner, **dict(zip(space, tap, strict=True))})]
            wide = cast(dtype, cast(meeting, x[where])) * cast(dtype, cast(meeting, weight))
            return if_then_else(inside if hit is TRUE else hit & inside, wide, lit(dtype, 0))

        s.k.reduce(s.out, [channels, *(taps[a] for a in space)], "Add", lit(dtype, 0), item)

    return legalize


# --- pooling ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Windows:
    """The geometry of a pooling call: where tap ``k`` of output ``y`` lies, and whether that is data."""

    s: Site
    n: int

    @property
    def x(self) -> Array:
        return self.s.array(0)

    def layouts(self) -> tuple[Layout, Layout]:
        name = A.text(self.s.call, "layout")
        return Layout.of(name), Layout.of(A.text(self.s.call, "out_layout", "") or name)

    def numbers(self, name: str) -> list[int]:
        return _each(A.int_list(self.s.call, name), self.n)

    def sizes(self) -> list[Scalar]:
        dims = self.layouts()[0].dims(self.x)
        return [dims[a] for a in SPACE[self.n]]

    def checked(self) -> list[bool]:
        """Axes whose windows may reach outside the data."""
        before, after = _padding(self.s, self.n)
        ceil = A.flag(self.s.call, "ceil_mode")
        return [a > 0 or b > 0 or ceil for a, b in zip(before, after, strict=True)]

    def firsts(self, out: Mapping[str, Scalar]) -> list[Scalar]:
        """The first position of the window of an output."""
        before, _ = _padding(self.s, self.n)
        return [out[a] * s - p for a, s, p in zip(SPACE[self.n], self.numbers("strides"), before, strict=True)]

    def element(self, at: Sequence[Scalar], outside: Scalar) -> Scalar:
        """The element of a window, or ``outside``; ``at`` is an index of the result, then the taps."""
        data, result = self.layouts()
        cut = len(at) - self.n
        out, tap = result.plain(at[:cut]), at[cut:]
        spots = [f + k * d for f, k, d in zip(self.firsts(out), tap, self.numbers("dilation"), strict=True)]
        where = data.index({"N": out["N"], "C": out["C"], **dict(zip(SPACE[self.n], spots, strict=True))})
        return _read(self.x, where, _inside(spots, self.sizes(), self.checked()), outside)

    def counted(self, at: Sequence[Scalar], padded: bool) -> Scalar:
        """How many positions of a window lie in the data, or in data and padding."""
        _, result = self.layouts()
        _, after = _padding(self.s, self.n)
        total = index(1)
        columns = zip(self.firsts(result.plain(at)), self.sizes(), self.numbers("pool_size"),
                      self.numbers("dilation"), after, self.checked(), strict=True)  # fmt: skip
        for first, size, taps, by, extra, checked in columns:
            total = total * (_along(first, size, taps, by, extra if padded else None) if checked else taps)
        return total


def _along(first: Scalar, size: Scalar, taps: int, by: int, extra: int | None) -> Scalar:
    """How many of ``first, first + by, …`` lie in ``[0, size)``, or with ``extra`` below ``size + extra``."""
    if by == 1:
        end = minimum(first + taps, size if extra is None else size + extra)
        return maximum(end - (maximum(first, 0) if extra is None else first), 0)
    total = index(0)
    for k in range(taps):
        spot = first + k * by
        holds = spot < size + extra if extra is not None else (spot >= 0) & (spot < size)
        total = total + select(holds, index(1), index(0))
    return total


def _max_pool(n: int) -> Legalizer:
    def legalize(s: Site) -> None:
        windows, start = _Windows(s, n), least(s.out.dtype)
        lengths = [index(k) for k in windows.numbers("pool_size")]
        s.k.reduce(s.out, lengths, "Max", start, lambda *at: windows.element(at, start))

    return legalize


def _avg_pool(n: int) -> Legalizer:
    def legalize(s: Site) -> None:
        windows, dtype, include = _Windows(s, n), s.out.dtype, A.flag(s.call, "count_include_pad")
        if dtype == "bool":
            raise Unfit("no numbers to average")
        zero, lengths = lit(dtype, 0), [index(k) for k in windows.numbers("pool_size")]
        total = s.k.alloc("total", s.out.dims, dtype)
        s.k.reduce(total, lengths, "Add", zero, lambda *at: windows.element(at, zero))

        def element(*i: Scalar) -> Scalar:
            count = windows.counted(i, include)
            return total[i].over(cast(dtype, count if include else maximum(count, 1)))

        s.k.compute(s.out, element)

    return legalize


def _adaptive(n: int) -> Legalizer:
    """``out[y]``: the mean of the data in ``[floor(y * m / q), ceil((y + 1) * m / q))``."""

    def legalize(s: Site) -> None:
        x, dtype, space = s.array(0), s.out.dtype, SPACE[n]
        name = A.text(s.call, "layout")
        data, result = Layout.of(name), Layout.of(A.text(s.call, "out_layout", "") or name)
        size, wanted = data.dims(x), result.dims(s.out)
        if dtypes.kind(dtype) == "bool" or any(as_int(size[a].node) is None for a in space):
            raise Unfit("windows whose greatest length is not known")
        lengths = [_longest(as_int(size[a].node) or 0, as_int(wanted[a].node) or 0) for a in space]

        def span(out: Mapping[str, Scalar], a: str) -> tuple[Scalar, Scalar]:
            m, q = size[a], wanted[a]
            return out[a] * m // q, ((out[a] + 1) * m + (q - 1)) // q

        def item(*at: Scalar) -> Scalar:
            out, tap = result.plain(at[: s.out.ndim]), at[s.out.ndim :]
            spans = [span(out, a) for a in space]
            spots = [low + k for (low, _), k in zip(spans, tap, strict=True)]
            inside = all_of([p < high for p, (_, high) in zip(spots, spans, strict=True)])
            where = data.index({"N": out["N"], "C": out["C"], **dict(zip(space, spots, strict=True))})
            return if_then_else(inside, x[where], lit(dtype, 0))

        total = s.k.alloc("total", s.out.dims, dtype)
        s.k.reduce(total, [index(k) for k in lengths], "Add", lit(dtype, 0), item)

        def element(*i: Scalar) -> Scalar:
            spans = [span(result.plain(i), a) for a in space]
            return total[i].over(cast(dtype, maximum(product([high - low for low, high in spans]), 1)))

        s.k.compute(s.out, element)

    return legalize


def _longest(size: int, wanted: int) -> int:
    """The greatest length of an adaptive window."""
    return max((-(-(y + 1) * size // wanted) - y * size // wanted for y in range(wanted)), default=0)


WINDOWS: Mapping[str, Legalizer] = {
    **{f"relax.nn.conv{n}d_transpose": _conv_transpose(n) for n in SPACE},
    **{f"relax.nn.max_pool{n}d": _max_pool(n) for n in SPACE},
    **{f"relax.nn.avg_pool{n}d": _avg_pool(n) for n in SPACE},
    **{f"relax.nn.adaptive_avg_pool{n}d": _adaptive(n) for n in SPACE},
}
