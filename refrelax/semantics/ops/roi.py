"""Regions of interest: boxes of an image, divided into cells of which each gives one value.

A region is a row ``(batch, x1, y1, x2, y2)``. Its position is computed in the regions' dtype.

Spec: ``spec/ops/roi.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops import layout as L
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    known_dims,
    of_rank,
    rank,
    short,
    tensor,
    tensor_value,
    with_dims,
)
from refrelax.semantics.ops.conv import spread
from refrelax.semantics.ops.definition import DeduceRule, Deduction, Evaluation, OpDef
from refrelax.semantics.ops.sampling import (
    Tap,
    by_integer,
    by_integers,
    floor_index,
    linear,
    muladd,
    mulsub,
    near,
    weighted,
)
from refrelax.semantics.values import Tensor, Value
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
        h, w = (D.imm(n) for n in spread(A.int_list(call, "pooled_size"), 2))
        found = L.known(layout, "NCHW")
        return with_dims(found.from_plain_dims([own[0], found.to_plain_dims(dims)[1], h, w]), x.dtype, x.vdevice)

    return deduce


@rule("op.vision.roi/batch-range")
def _image(e: Evaluation, rois: Tensor, i: int, batches: int) -> int | None:
    """The image that region ``i`` lies in; ``None`` for none."""
    g = e.numerics.at("int64")
    payload = g.cast(rois[i, 0], rois.dtype)
    if e.numerics.poison_rule(payload) is not None:
        return None
    found = e.numerics.to_index(payload, "int64")
    return found if 0 <= found < batches else None


NO_IMAGE = poison("op.vision.roi/batch-range")


@rule("op.vision.roi/float-dtype")
def _operands(e: Evaluation, args: tuple[Value, ...]) -> tuple[Tensor, Tensor]:
    x, rois = tensor_value(args[0]), tensor_value(args[1])
    if not dtypes.is_float(rois.dtype) or not dtypes.is_float(x.dtype):
        raise unspecified("op.vision.roi/float-dtype", f"{x.dtype} data, {rois.dtype} regions", e.span)
    return x, rois


# --- roi_align -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Side:
    """A region along one axis: where it starts, and the extent of a cell; payloads."""

    start: Payload
    cell: Payload


def _side(f: Arithmetic, low: Payload, high: Payload, call: Call, pooled: int) -> _Side:
    """``aligned`` keeps the extent as it is; else it is at least 1."""
    scale = f.lit(A.real(call, "spatial_scale"))
    start = f.mul(low, scale)
    whole = f.either(
        lambda: f.sub(f.mul(high, scale), start),
        lambda: mulsub(f, high, scale, start),
        lambda: f.neg(mulsub(f, low, scale, f.mul(high, scale))),
    )
    if not A.flag(call, "aligned"):
        whole = f.maximum(whole, f.lit(1))
    return _Side(start, f.div(whole, f.lit(pooled)))


def _sample_position(f: Arithmetic, side: _Side, p: int, k: int, count: int) -> Payload:
    """``start + p * cell + (k + 1/2) * cell / count``."""
    first = muladd(f, f.lit(p), side.cell, side.start)
    middle, n = f.lit(k + Fraction(1, 2)), f.lit(count)
    return f.either(
        lambda: f.add(first, f.div(f.mul(middle, side.cell), n)),
        lambda: muladd(f, middle, f.div(side.cell, n), first),
    )


class _Align:
    """A call of ``roi_align`` on one pair of tensors."""

    def __init__(self, e: Evaluation, call: Call, x: Tensor, rois: Tensor) -> None:
        self.e, self.call, self.x, self.rois = e, call, x, rois
        self.layout = L.known(A.text(call, "layout"), "NCHW")
        self.size = self.layout.plain_shape(x.shape)
        self.pooled = spread(A.int_list(call, "pooled_size"), 2)
        self.f, self.out = e.numerics.at(rois.dtype), e.numerics.at(x.dtype)
        self.sides: dict[int, tuple[_Side, _Side]] = {}

    def sides_of(self, i: int) -> tuple[_Side, _Side]:
        """Region ``i`` along height and width."""
        if i not in self.sides:
            x1, y1, x2, y2 = (self.rois[i, k] for k in range(1, 5))
            h, w = self.pooled
            self.sides[i] = _side(self.f, y1, y2, self.call, h), _side(self.f, x1, x2, self.call, w)
        return self.sides[i]

    def element(self, *index: int) -> Payload:
        i, c, *at = self.layout.to_plain(index)
        b = _image(self.e, self.rois, i, self.size[0])
        if b is None:
            return NO_IMAGE
        sides, ratio = self.sides_of(i), A.integer(self.call, "sample_ratio")
        if ratio > 0:
            return self.combined(b, c, sides, at, (ratio, ratio))
        ceil, g = self.f.math("ceil"), self.e.numerics.at("int64")
        counts = [g.cast(ceil(side.cell), self.f.dtype) for side in sides]
        most = [range(2 * n + 2) for n in self.size[2:]]
        return by_integers(self.e, self.out, counts, most, lambda n: self.combined(b, c, sides, at, n))

    @rule("op.vision.roi_align/no-samples")
    def combined(self, b: int, c: int, sides: tuple[_Side, _Side], at: list[int], counts: tuple[int, ...]) -> Payload:
        """The mean or the greatest of ``counts`` samples a cell."""
        out, total = self.out, counts[0] * counts[1]
        if total <= 0 or min(counts) < 0:
            return out.lit(0) if A.text(self.call, "mode") == "avg" else poison("op.vision.roi_align/no-samples")
        self.e.spend(total)
        lines = [
            [_sample_position(self.f, side, p, k, n) for k in range(n)]
            for side, p, n in zip(sides, at, counts, strict=True)
        ]
        items = [self.sample(b, c, spot) for spot in product(*lines)]
        if A.text(self.call, "mode") == "max":
            return out.reduce("maximum", items)
        n = out.lit(total)
        return out.either(
            lambda: out.div(out.reduce("add", items), n), lambda: out.reduce("add", [out.div(a, n) for a in items])
        )

    def sample(self, b: int, c: int, spot: tuple[Payload, ...]) -> Payload:
        """The data at a position: 0 more than 1 outside, else linear between the elements around it."""
        f, out, numerics = self.f, self.out, self.e.numerics
        outside = numerics.truth(False)
        inner = []
        for p, m in zip(spot, self.size[2:], strict=True):
            outside = numerics.any_of(outside, numerics.any_of(f.less(p, f.lit(-1)), f.less(f.lit(m), p)))
            inner.append(f.minimum(f.maximum(p, f.lit(0)), f.lit(m - 1)))
        bases = [floor_index(self.e, f, p) for p in inner]
        around = [near(m, 1) for m in self.size[2:]]
        value = by_integers(self.e, out, bases, around, lambda ks: self.mixed(b, c, inner, ks), out.lit(0))
        return out.select(outside, out.lit(0), value)

    def mixed(self, b: int, c: int, at: list[Payload], base: tuple[int, ...]) -> Payload:
        """The weighted sum of the four elements around a position; what lies outside the data is 0."""
        f, out = self.f, self.out
        taps = []
        for p, k in zip(at, base, strict=True):
            pair = linear(f, p, k)
            taps.append(pair if f.dtype == out.dtype else [Tap(tap.at, out.cast(tap.weight, f.dtype)) for tap in pair])

        def load(spot: tuple[int, ...]) -> Payload:
            inside = all(0 <= q < m for q, m in zip(spot, self.size[2:], strict=True))
            return self.x[self.layout.from_plain((b, c, *spot))] if inside else out.lit(0)

        return weighted(out, taps, load)


@rule("op.vision.roi/float-dtype")
def evaluate_roi_align(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """A cell of a region is the mean (or the greatest) of samples of the data, linear between its elements.

    Coordinates are scaled by ``spatial_scale``; a cell has ``sample_ratio`` samples an axis, or as many as its extent
    rounded up, in the middle of equal parts. A sample more than 1 outside the data is 0.
    """
    x, rois = _operands(e, args)
    align = _Align(e, call, x, rois)
    shape = align.layout.shape((rois.shape[0], align.size[1], *align.pooled))
    return e.tabulate(x.dtype, shape, align.element)


# --- roi_pool --------------------------------------------------------------------------------------------------------


def _whole(e: Evaluation, f: Arithmetic, at: Payload, scale: Payload) -> Payload:
    """``floor(at * scale + 1/2)`` as int64."""
    return floor_index(e, f, muladd(f, at, scale, f.lit(Fraction(1, 2))))


def _bounds(e: Evaluation, f: Arithmetic, start: int, end: int, p: int, pooled: int, m: int) -> tuple[int, int]:
    """The elements of cell ``p``: from and up to, within the data."""
    extent = f.div(f.lit(max(end - start + 1, 1)), f.lit(pooled))
    g = e.numerics.at("int64")
    first = e.numerics.to_index(floor_index(e, f, f.mul(f.lit(p), extent)), "int64")
    last = e.numerics.to_index(g.cast(f.math("ceil")(f.mul(f.lit(p + 1), extent)), f.dtype), "int64")
    return min(max(first + start, 0), m), min(max(last + start, 0), m)


def evaluate_roi_pool(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """A cell of a region is the greatest element in it, 0 if there is none.

    Corners are scaled and rounded, half up; the region includes both. Cell ``p`` of ``q`` spans
    ``[floor(p * n / q), ceil((p + 1) * n / q))`` of its ``n`` elements.
    """
    x, rois = _operands(e, args)
    f, out, pooled = e.numerics.at(rois.dtype), e.numerics.at(x.dtype), spread(A.int_list(call, "pooled_size"), 2)
    scale, (batches, channels, height, width) = f.lit(A.real(call, "spatial_scale")), x.shape

    def side(i: int, axis: int, p: int, m: int, value: Callable[[range], Payload]) -> Payload:
        ends = [_whole(e, f, rois[i, k], scale) for k in (2 - axis, 4 - axis)]
        around = range(-1, m + 1)

        def known(start: int) -> Payload:
            return by_integer(
                e, out, ends[1], around, lambda end: value(range(*_bounds(e, f, start, end, p, pooled[axis], m)))
            )

        return by_integer(e, out, ends[0], around, known)

    def element(i: int, c: int, ph: int, pw: int) -> Payload:
        b = _image(e, rois, i, batches)
        if b is None:
            return NO_IMAGE

        def greatest(rows: range, columns: range) -> Payload:
            items = [x[b, c, h, w] for h in rows for w in columns]
            return out.reduce("maximum", items) if items else out.lit(0)

        return side(i, 0, ph, height, lambda rows: side(i, 1, pw, width, lambda cols: greatest(rows, cols)))

    return e.tabulate(x.dtype, (rois.shape[0], channels, *pooled), element)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.vision.roi_align", _deduce(("NCHW", "NHWC"), ("avg", "max")), evaluate_roi_align, PAGE),
    OpDef("relax.vision.roi_pool", _deduce(("NCHW",), ()), evaluate_roi_pool, PAGE),
)
