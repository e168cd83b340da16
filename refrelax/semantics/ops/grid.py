"""Sampling grids: affine grids, and images sampled at the positions of a grid.

A grid holds positions between -1 and 1 along each spatial axis, the last axis of the image first. Positions and
weights are computed in the grid's dtype.

Spec: ``spec/ops/grid.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import index

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops import layout as L
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    known_dims,
    of_rank,
    rank,
    shape_argument,
    short,
    tensor,
    with_dims,
)
from refrelax.semantics.ops.conv import DATA
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import ALL, Array, Index, Meaning, agree, defined, literal
from refrelax.semantics.ops.sampling import Tap, by_integers, floor_index, linear, muladd, mulsub, near, weighted
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call, ShapeExpr
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import Type

PAGE = "grid"

HALF = Fraction(1, 2)

# --- affine_grid -----------------------------------------------------------------------------------------------------


@rule("op.image.affine_grid/size-rank", "op.image.affine_grid/matrix")
def deduce_affine_grid(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Batch, one coordinate a spatial axis, and the size; only the rank where the size is not written in the call."""
    arity(d, call, 2)
    x, size = tensor(d, call, types, 0), shape_argument(d, call, types, 1)
    n = size.ndim if size.values is None else len(size.values)
    if n not in (2, 3):
        d.fail("op.image.affine_grid/size-rank", f"{short(call)}: the size must have rank 2 or 3, found {n}")
    dims = known_dims(x)
    known = [] if dims is None else [as_int(each) for each in dims[1:]]
    if rank(x) not in (3, UNKNOWN) or any(k not in (None, want) for k, want in zip(known, (n, n + 1), strict=False)):
        d.fail("op.image.affine_grid/matrix", f"{short(call)} takes matrices of {n} x {n + 1}, one a batch")
    if dims is None or not isinstance(call.args[1], ShapeExpr):
        return of_rank(n + 2, x.dtype, x.vdevice)
    return with_dims((dims[0], D.imm(n), *call.args[1].values), x.dtype, x.vdevice)


SHORTENED = Fraction(1, 10**7)
"""By how much the points of a grid with corners may stop short of the last one, so that rounding does not pass it."""


def grid_positions(f: Arithmetic, size: int, corners: bool) -> list[Payload]:
    """Where the ``size`` points of an axis lie between -1 and 1: exactly, or by a rounded step from a rounded start."""
    start = Fraction(-1) if corners else Fraction(1, size) - 1
    steps = [Fraction(2, size)]
    if corners:
        steps = [Fraction(2, size - 1), (2 - SHORTENED) / (size - 1)]
    first = f.lit(start)

    def point(k: int) -> Payload:
        forms = [lambda: f.lit(start + k * steps[0])]
        forms += [lambda step=step: muladd(f, f.lit(k), f.lit(step), first) for step in steps]  # type: ignore[misc]
        return f.either(*forms)

    return [point(k) for k in range(size)]


@rule("op.image.affine_grid/extents", "op.image.affine_grid/float-dtype")
def affine_grid(m: Meaning, call: Call, x: Array, size: Sequence[Index]) -> Array:
    """``out[b, r, i] = m[b, r, 0] * x + m[b, r, 1] * y (+ m[b, r, 2] * z) + m[b, r, n]``.

    ``x`` belongs to the last axis of the size. Point ``k`` of ``s`` lies at ``2 * k / (s - 1) - 1`` with
    ``align_corners``, where 2 may be shortened by ``1e-7``; else at ``(2 * k + 1) / s - 1``.
    """
    n, f, corners = len(size), m.at(x.dtype), A.flag(call, "align_corners")
    m.require(dtypes.is_float(x.dtype), "op.image.affine_grid/float-dtype", f"a grid of {x.dtype}")
    least = 2 if corners else 1
    fit = m.every((agree(m, x.dims[1:], (n, n + 1)), *(s >= least for s in size)))
    m.require(fit, "op.image.affine_grid/extents", f"{x.dims} to {size}")
    m.charge(sum(map(index, size)))
    one, pieces = f.lit(1), [m.pieces([1] * index(s)) for s in size]
    lines = [grid_positions(f, index(s), corners) for s in size]

    def element(b: Index, r: Index, *at: Index) -> Payload:
        def point(k: int) -> Payload:
            return pieces[k](at[k], lambda t, _: lines[k][t])

        found = [point(k) for k in reversed(range(n))]
        return f.dot(x.over((b, r, ALL)), [*found, one], x.dtype)

    return m.tensor((x.dims[0], n, *size), x.dtype, element)


# --- grid_sample -----------------------------------------------------------------------------------------------------

METHODS = ("nearest", "bilinear", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


def _spatial(call: Call) -> int:
    return 3 if A.text(call, "layout") == "NCDHW" else 2


@rule("op.image.grid_sample/attributes", "op.image.grid_sample/grid-rank")
def deduce_grid_sample(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Batch and channels of the data, and the spatial dims of the grid, in the data's layout."""
    arity(d, call, 2)
    x, grid, n = tensor(d, call, types, 0), tensor(d, call, types, 1), _spatial(call)
    method, padding = A.text(call, "method"), A.text(call, "padding_mode")
    if method not in METHODS or padding not in PADDINGS or (n == 3 and method == "bicubic"):
        d.fail("op.image.grid_sample/attributes", f"{short(call)}: no method {method!r} with padding {padding!r}")
    if rank(grid) not in (n + 2, UNKNOWN):
        d.fail("op.image.grid_sample/grid-rank", f"{short(call)}: the grid must have rank {n + 2}, found {rank(grid)}")
    layout = L.check(d, call, A.text(call, "layout"), DATA[n])
    dims, own = L.plain_dims(d, call, x, layout), known_dims(grid)
    if dims is None or own is None:
        return of_rank(len(layout.axes), x.dtype, x.vdevice)
    return with_dims(layout.from_plain_dims([*dims[:2], *own[2:]]), x.dtype, x.vdevice)


class _Axis:
    """One spatial axis of the data: ``size`` elements, and how positions between -1 and 1 lie on it."""

    def __init__(self, m: Meaning, f: Arithmetic, size: int, corners: bool, padding: str) -> None:
        self.m, self.f, self.size, self.corners, self.padding = m, f, size, corners, padding

    def place(self, a: Payload) -> Payload:
        """``(a + 1) * (m - 1) / 2`` with ``align_corners``, else ``(a + 1) * m / 2 - 1/2``."""
        f = self.f
        half, moved = f.lit(HALF), f.add(a, f.lit(1))
        if self.corners:
            whole, part = f.lit(self.size - 1), f.lit(Fraction(self.size - 1, 2))
            return f.either(lambda: f.mul(f.mul(moved, whole), half), lambda: f.mul(moved, part))
        whole, part = f.lit(self.size), f.lit(Fraction(self.size, 2))
        return f.either(
            lambda: mulsub(f, f.mul(moved, whole), half, half),
            lambda: mulsub(f, moved, part, half),
            lambda: f.mul(mulsub(f, moved, whole, f.lit(1)), half),
        )

    def bring(self, at: Payload) -> Payload:
        """The position inside the data that stands for ``at``."""
        if self.padding == "zeros":
            return at
        f = self.f
        inner = self._reflected(at) if self.padding == "reflection" else at
        return f.minimum(f.maximum(inner, f.lit(0)), f.lit(self.size - 1))

    def _reflected(self, at: Payload) -> Payload:
        """``at`` mirrored at the first and the last element, or at their outer edges, until it lies between."""
        f, g = self.f, self.m.at("int64")
        low, span = (Fraction(0), self.size - 1) if self.corners else (-HALF, self.size)
        if span == 0:
            return f.lit(0)
        first, length = f.lit(low), f.lit(span)
        far = f.math("abs")(f.sub(first, at))
        times = g.floordiv(g.cast(far, f.dtype), g.lit(span))
        extra = f.sub(far, f.cast(g.mul(times, g.lit(span)), "int64"))
        even = g.equal(g.floormod(times, g.lit(2)), g.lit(0))
        inside = self.m.all_of(f.less_equal(first, at), f.less_equal(at, f.lit(low + span)))
        return f.select(inside, at, f.select(even, f.add(extra, first), f.add(f.sub(length, extra), first)))

    def tap(self, k: Index, padded: bool) -> Index:
        """The element that position ``k`` shows, which may be none; one outside only if ``padded``."""
        m, n, span = self.m, self.size, self.size - 1 if self.corners else self.size
        match self.padding if padded else "zeros":
            case "border":
                return m.least(m.most(k, 0), n - 1)
            case "reflection" if span == 0:
                return 0
            case "reflection":
                p = k % (2 * span)
                mirrored = m.least(p, 2 * span - p if self.corners else 2 * span - 1 - p)
                return m.choose(m.every((k >= 0, k < n)), lambda: k, lambda: mirrored)
            case _:
                return k


A_CUBIC = Fraction(-3, 4)


def cubic_weights(f: Arithmetic, t: Payload) -> list[Payload]:
    """The weights of the four elements around a fraction ``t`` in cubic convolution with ``a = -3/4``."""
    a, one = A_CUBIC, f.lit(1)

    def inner(u: Payload) -> Payload:  # ((a + 2) * u - (a + 3)) * u * u + 1
        return muladd(f, f.mul(mulsub(f, f.lit(a + 2), u, f.lit(a + 3)), u), u, one)

    def outer(u: Payload) -> Payload:  # ((a * u - 5 * a) * u + 8 * a) * u - 4 * a
        line = muladd(f, f.lit(a), u, f.lit(-5 * a))
        return muladd(f, muladd(f, line, u, f.lit(8 * a)), u, f.lit(-4 * a))

    return [outer(f.add(t, one)), inner(t), inner(f.sub(one, t)), outer(f.sub(f.lit(2), t))]


def cubic(f: Arithmetic, at: Payload, base: Index) -> list[Tap]:
    """The four elements around a position whose integer part is ``base``."""
    weights = cubic_weights(f, f.sub(at, f.lit(base)))
    return [Tap(base - 1 + k, w) for k, w in enumerate(weights)]


@rule("op.image.grid_sample/extents", "op.image.grid_sample/dtypes")
def _fits(m: Meaning, call: Call, x: Array, grid: Array) -> None:
    n = _spatial(call)
    fit = m.every((grid.dims[0] == x.dims[0], grid.dims[1] == n, *(size != 0 for size in x.dims[2:])))
    m.require(fit, "op.image.grid_sample/extents", f"data {x.dims}, grid {grid.dims}")
    fit = dtypes.is_float(grid.dtype) and (A.text(call, "method") == "nearest" or x.dtype == grid.dtype)
    m.require(fit, "op.image.grid_sample/dtypes", f"{x.dtype} data on a {grid.dtype} grid")


def grid_sample(m: Meaning, call: Call, x: Array, grid: Array) -> Array:
    """The nearest element, or the weighted sum of the 2 (linear) or 4 (cubic) elements an axis around each position.

    A position outside is brought inside first: to the border, or by reflection; under ``zeros`` what lies outside the
    data is 0. Cubic sampling brings its taps inside, not the position.
    """
    n, layout = _spatial(call), L.known(A.text(call, "layout"), DATA[_spatial(call)])
    method, padding, x = A.text(call, "method"), A.text(call, "padding_mode"), layout.read(m, x)
    _fits(m, call, x, grid)
    f, zero, round_ = m.at(grid.dtype), literal(m, x.dtype, 0), m.at(grid.dtype).math("round")
    axes = [_Axis(m, f, index(size), A.flag(call, "align_corners"), padding) for size in x.dims[2:]]
    padded, around = method == "bicubic", [near(size, 2 if method == "bicubic" else 1) for size in x.dims[2:]]
    rule_, beyond = cubic if padded else linear, None if padded and padding != "zeros" else zero

    def element(b: Index, c: Index, *y: Index) -> Payload:
        def load(at: tuple[Index, ...]) -> Payload:
            return x.get((b, c, *(axis.tap(p, padded) for axis, p in zip(axes, at, strict=True))), zero)

        raw = [axis.place(grid[(b, n - 1 - k, *y)]) for k, axis in enumerate(axes)]
        at = raw if padded else [axis.bring(p) for axis, p in zip(axes, raw, strict=True)]
        if method == "nearest":
            whole = [m.at("int64").cast(round_(p), f.dtype) for p in at]
            return by_integers(m, x.dtype, whole, around, load, zero)

        def sample(ks: tuple[Index, ...]) -> Payload:
            return weighted(f, [rule_(f, p, k) for p, k in zip(at, ks, strict=True)], load)

        return by_integers(m, x.dtype, [floor_index(m, f, p) for p in at], around, sample, beyond)

    return layout.written(m, (*x.dims[:2], *grid.dims[2:]), x.dtype, element)


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.image.affine_grid", deduce_affine_grid, affine_grid, PAGE),
    defined("relax.image.grid_sample", deduce_grid_sample, grid_sample, PAGE),
)
