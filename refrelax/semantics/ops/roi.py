"""Regions of interest: boxes of an image, divided into cells of which each gives one value.

A region is a row ``(batch, x1, y1, x2, y2)``. Its position is computed in the regions' dtype.

Spec: ``spec/ops/roi.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from operator import index

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops import layout as L
from refrelax.semantics.ops.common import UNKNOWN, arity, known_dims, of_rank, rank, short, tensor, with_dims
from refrelax.semantics.ops.definition import DeduceRule, Deduction, OpDef
from refrelax.semantics.ops.meaning import Array, Index, Meaning, Run, defined
from refrelax.semantics.ops.sampling import Tap, by_integers, floor_index, linear, muladd, mulsub, near, weighted
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import Type

PAGE = "roi"


@rule("op.vision.roi/ranks", "op.vision.roi/five-columns", "op.vision.roi/attributes")
def _deduce(layouts: tuple[str, ...], modes: tuple[str, ...]) -> DeduceRule:
    """One image of the pooled size a region, with the data's channels, in the data's layout."""

    def deduce(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
        arity(d, call, 2)
        x, rois, layout = tensor(d, call, types, 0), tensor(d, call, types, 1), A.text(call, "layout")
        if rank(x) not in (4, UNKNOWN) or rank(rois) not in (2, UNKNOWN):
            d.fail("op.vision.roi/ranks", f"{short(call)} takes data of rank 4 and regions of rank 2")
        if layout not in layouts or (modes and A.text(call, "mode") not in modes):
            d.fail("op.vision.roi/attributes", f"{short(call)}: no layout {layout!r} with these attributes")
        dims, own = known_dims(x), known_dims(rois)
        if own is not None and as_int(own[1]) not in (None, 5):
            d.fail("op.vision.roi/five-columns", f"{short(call)}: a region is a row of 5, found {as_int(own[1])}")
        if dims is None or own is None:
            return of_rank(4, x.dtype, x.vdevice)
        h, w = (D.imm(n) for n in A.int_list(call, "pooled_size"))
        found = L.known(layout, "NCHW")
        return with_dims(found.from_plain_dims([own[0], found.to_plain_dims(dims)[1], h, w]), x.dtype, x.vdevice)

    return deduce


@rule("op.vision.roi/batch-range")
def _in_image(m: Meaning, x: Array, rois: Array, i: Index, value: Callable[[Index], Payload]) -> Payload:
    """``value`` of the image that region ``i`` lies in; poison of none."""
    none = "op.vision.roi/batch-range"

    def known(b: Index) -> Payload:
        return m.choose(m.every((b >= 0, b < x.dims[0])), lambda: value(b), lambda: m.poison(none))

    return m.with_index(x.dtype, m.at("int64").cast(rois[i, 0], rois.dtype), (0, 0), known, rule=none)


@rule("op.vision.roi/float-dtype", "op.common/fits-run")
def _fit(m: Meaning, x: Array, rois: Array) -> None:
    known = dtypes.is_float(rois.dtype) and dtypes.is_float(x.dtype)
    m.require(known, "op.vision.roi/float-dtype", f"{x.dtype} data, {rois.dtype} regions")
    m.require(rois.dims[1] == 5, "op.common/fits-run", f"regions {rois.dims}")


# --- roi_align -------------------------------------------------------------------------------------------------------


def _sides(m: Meaning, call: Call, rois: Array, pooled: Sequence[int]) -> tuple[Array, Array]:
    """Of each region, along height and width, where it starts, and the extent of a cell: at least 1 of all of them
    unless ``aligned``."""
    f = m.at(rois.dtype)
    scale, dims = f.lit(A.real(call, "spatial_scale")), (rois.dims[0], len(pooled))
    starts = m.tensor(dims, rois.dtype, lambda i, axis: f.mul(rois[i, 2 - axis], scale))

    def cell(i: Index, axis: Index) -> Payload:
        low, high, start = rois[i, 2 - axis], rois[i, 4 - axis], starts[i, axis]
        whole = f.either(
            lambda: f.sub(f.mul(high, scale), start),
            lambda: mulsub(f, high, scale, start),
            lambda: f.neg(mulsub(f, low, scale, f.mul(high, scale))),
        )
        if not A.flag(call, "aligned"):
            whole = f.maximum(whole, f.lit(1))
        return f.div(whole, f.lit(m.choose(axis == 0, lambda: pooled[0], lambda: pooled[1])))

    return starts, m.tensor(dims, rois.dtype, cell)


def _sample_position(f: Arithmetic, start: Payload, cell: Payload, p: Index, k: int, count: int) -> Payload:
    """``start + p * cell + (k + 1/2) * cell / count``."""
    first = muladd(f, f.lit(p), cell, start)
    middle, n = f.lit(k + Fraction(1, 2)), f.lit(count)
    return f.either(
        lambda: f.add(first, f.div(f.mul(middle, cell), n)),
        lambda: muladd(f, middle, f.div(cell, n), first),
    )


@rule("op.vision.roi_align/no-samples")
def roi_align(m: Meaning, call: Call, x: Array, rois: Array) -> Array:
    """A cell of a region is the mean (or the greatest) of samples of the data, linear between its elements.

    Coordinates are scaled by ``spatial_scale``; a cell has ``sample_ratio`` samples an axis, or as many as its extent
    rounded up, in the middle of equal parts. A sample more than 1 outside the data is 0.
    """
    _fit(m, x, rois)
    layout, pooled = L.known(A.text(call, "layout"), "NCHW"), A.int_list(call, "pooled_size")
    x, mode, ratio = layout.read(m, x), A.text(call, "mode"), A.integer(call, "sample_ratio")
    f, out, g, size = m.at(rois.dtype), m.at(x.dtype), m.at("int64"), x.dims[2:]
    zero, (starts, cells) = out.lit(0), _sides(m, call, rois, pooled)

    def sample(b: Index, c: Index, spot: tuple[Payload, ...]) -> Payload:
        """The data at a position: 0 more than 1 outside, else linear between the elements around it."""
        outside, inner = m.truth(False), []
        for p, n in zip(spot, size, strict=True):
            outside = m.any_of(outside, m.any_of(f.less(p, f.lit(-1)), f.less(f.lit(n), p)))
            inner.append(f.minimum(f.maximum(p, f.lit(0)), f.lit(n - 1)))

        def mixed(base: tuple[Index, ...]) -> Payload:
            taps = [linear(f, p, k) for p, k in zip(inner, base, strict=True)]
            if f.dtype != out.dtype:
                taps = [[Tap(tap.at, out.cast(tap.weight, f.dtype)) for tap in pair] for pair in taps]
            return weighted(out, taps, lambda at: x.get((b, c, *at), zero))

        bases = [floor_index(m, f, p) for p in inner]
        value = by_integers(m, x.dtype, bases, [(0, n) for n in size], mixed)
        return out.select(outside, zero, value)

    def combined(b: Index, i: Index, c: Index, at: Sequence[Index], counts: tuple[int, ...]) -> Payload:
        """The mean or the greatest of ``counts`` samples of a cell."""
        if min(counts) <= 0:
            return zero if mode == "avg" else m.poison("op.vision.roi_align/no-samples")
        m.charge(counts[0] * counts[1])
        sides = [(starts[i, k], cells[i, k]) for k in (0, 1)]
        lines = [
            [_sample_position(f, *side, p, k, n) for k in range(n)]
            for side, p, n in zip(sides, at, counts, strict=True)
        ]
        items = [sample(b, c, spot) for spot in product(*lines)]
        if mode == "max":
            return out.reduce("maximum", items)
        n = out.lit(len(items))
        return out.either(
            lambda: out.div(out.reduce("add", items), n), lambda: out.reduce("add", [out.div(a, n) for a in items])
        )

    def element(i: Index, c: Index, *at: Index) -> Payload:
        def known(b: Index) -> Payload:
            if ratio > 0:
                return combined(b, i, c, at, (ratio, ratio))
            counts = [g.cast(f.math("ceil")(cells[i, k]), f.dtype) for k in (0, 1)]
            most = [(0, 2 * n + 2) for n in size]
            return by_integers(m, x.dtype, counts, most, lambda found: combined(b, i, c, at, tuple(map(index, found))))

        return _in_image(m, x, rois, i, known)

    return layout.written(m, (rois.dims[0], x.dims[1], *pooled), x.dtype, element)


# --- roi_pool --------------------------------------------------------------------------------------------------------


Bounds = tuple[Index, Index]


def roi_pool(m: Meaning, call: Call, x: Array, rois: Array) -> Array:
    """A cell of a region is the greatest element in it, 0 if there is none.

    Corners are scaled and rounded, half up; the region includes both. Cell ``p`` of ``q`` spans
    ``[floor(p * n / q), ceil((p + 1) * n / q))`` of its ``n`` elements.
    """
    _fit(m, x, rois)
    f, out, g, pooled = m.at(rois.dtype), m.at(x.dtype), m.at("int64"), A.int_list(call, "pooled_size")
    scale, half, ceil = f.lit(A.real(call, "spatial_scale")), f.lit(Fraction(1, 2)), f.math("ceil")

    def bounds(ends: tuple[Index, ...], p: Index, axis: int) -> Bounds:
        """The first of the elements of a cell within the data, and how many there are."""
        start, end = ends
        n = x.dims[2 + axis]
        extent = f.div(f.lit(m.most(end - start + 1, 1)), f.lit(pooled[axis]))
        first = m.index_of(floor_index(m, f, f.mul(f.lit(p), extent)), "int64")
        last = m.index_of(g.cast(ceil(f.mul(f.lit(p + 1), extent)), f.dtype), "int64")
        low, high = (m.least(m.most(each + start, 0), n) for each in (first, last))
        return low, m.most(high - low, 0)

    def element(i: Index, c: Index, *at: Index) -> Payload:
        def side(axis: int, value: Callable[[Bounds], Payload]) -> Payload:
            ends = [floor_index(m, f, muladd(f, rois[i, k], scale, half)) for k in (2 - axis, 4 - axis)]
            around = [near(x.dims[2 + axis], 0)] * len(ends)
            return by_integers(m, x.dtype, ends, around, lambda found: value(bounds(found, at[axis], axis)))

        def greatest(b: Index, rows: Bounds, columns: Bounds) -> Payload:
            items = x.over((b, c, Run(*rows), Run(*columns)))
            return m.choose(rows[1] * columns[1] == 0, lambda: out.lit(0), lambda: out.reduce("maximum", items))

        def known(b: Index) -> Payload:
            return side(0, lambda rows: side(1, lambda columns: greatest(b, rows, columns)))

        return _in_image(m, x, rois, i, known)

    return m.tensor((rois.dims[0], x.dims[1], *pooled), x.dtype, element)


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.vision.roi_align", _deduce(("NCHW", "NHWC"), ("avg", "max")), roi_align, PAGE),
    defined("relax.vision.roi_pool", _deduce(("NCHW",), ()), roi_pool, PAGE),
)
