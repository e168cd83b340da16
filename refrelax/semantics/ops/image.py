"""Resizing images.

A position of the result lies at a rational position of the data; positions and weights are exact, the weights rounded
once to the dtype of the sum. Permitted: positions and weights computed in that dtype, step by step.

Spec: ``spec/ops/image.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor, isfinite
from operator import index

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import layout as L
from refrelax.semantics.ops.common import arity, of_rank, shape_argument, short, tensor, with_dims
from refrelax.semantics.ops.conv import DATA
from refrelax.semantics.ops.definition import DeduceRule, Deduction, OpDef
from refrelax.semantics.ops.meaning import Array, Index, Meaning, Text, defined, literal
from refrelax.semantics.ops.sampling import Tap, by_integers, floor_index, linear, mulsub, weighted
from refrelax.syntax.graph import Call, ShapeExpr
from refrelax.syntax.types import Type

PAGE = "image"

METHODS = ("nearest_neighbor", "linear", "cubic")
MODES = (
    "half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn", "tf_crop_and_resize",
)  # fmt: skip
ROUNDINGS = ("", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


@rule("op.image.resize/size-rank", "op.image.resize/attributes")
def _deduce(n: int) -> DeduceRule:
    """Batch, channels and the size, in the data's layout, at ``out_dtype`` or the data's dtype; only the rank where the
    size is not written in the call."""

    def deduce(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
        arity(d, call, 2)
        x, size = tensor(d, call, types, 0), shape_argument(d, call, types, 1)
        rank = size.ndim if size.values is None else len(size.values)
        if rank != n:
            d.fail("op.image.resize/size-rank", f"{short(call)}: the size must have rank {n}, found {rank}")
        chosen = A.text(call, "method"), A.text(call, "coordinate_transformation_mode"), A.text(call, "rounding_method")
        if any(each not in known for each, known in zip(chosen, (METHODS, MODES, ROUNDINGS), strict=True)):
            d.fail("op.image.resize/attributes", f"{short(call)}: no method, coordinates or rounding like {chosen}")
        numbers = [*A.reals(call, "roi"), A.real(call, "cubic_alpha")]
        if len(numbers) != 2 * n + 1 or not all(map(isfinite, numbers)):
            d.fail(
                "op.image.resize/attributes", f"{short(call)} takes {2 * n} finite numbers as roi, one as cubic_alpha"
            )
        layout = L.check(d, call, A.text(call, "layout"), DATA[n])
        dtype, dims = A.dtype(call, "out_dtype") or x.dtype, L.plain_dims(d, call, x, layout)
        if dims is None or not isinstance(call.args[1], ShapeExpr):
            return of_rank(len(layout.axes), dtype, x.vdevice)
        return with_dims(layout.from_plain_dims([*dims[:2], *call.args[1].values]), dtype, x.vdevice)

    return deduce


def position(mode: str, p: int, m: int, q: int, roi: tuple[float, float]) -> Fraction:
    """Where position ``p`` of ``q`` lies among ``m`` positions of the data."""
    half, scale = Fraction(1, 2), Fraction(m, q)
    match mode:
        case "align_corners":
            return Fraction((m - 1) * p, q - 1) if q > 1 else Fraction(0)
        case "asymmetric":
            return scale * p
        case "tf_half_pixel_for_nn":
            return (p + half) * scale
        case "pytorch_half_pixel" if q <= 1:
            return Fraction(0)
        case "tf_crop_and_resize":
            start, end = Fraction(roi[0]), Fraction(roi[1])
            if q <= 1:
                return half * (start + end) * (m - 1)
            return start * (m - 1) + p * (end - start) * Fraction(m - 1, q - 1)
        case _:
            return (p + half) * scale - half


def nearest(rounding: str, mode: str, at: Fraction) -> int:
    """The position that ``nearest_neighbor`` takes."""
    half = Fraction(1, 2)
    match rounding or ("round" if mode == "align_corners" else "floor"):
        case "round":
            return round(at)
        case "round_prefer_floor":
            return ceil(at - half)
        case "round_prefer_ceil":
            return floor(at + half)
        case "ceil":
            return ceil(at)
        case _:
            return floor(at)


def cubic(t: Fraction, a: Fraction) -> list[Fraction]:
    """The weights of the four positions around a fraction ``t``."""
    t2, t3 = t * t, t * t * t
    first, last = a * (t3 - 2 * t2 + t), a * t2 - a * t3
    return [first, (a + 2) * t3 - (3 + a) * t2 + 1, -(a + 2) * t3 + (3 + 2 * a) * t2 - a * t, last]


def taps(call: Call, at: Fraction, m: int) -> list[tuple[int, Fraction]]:
    """The positions of the data that count at ``at``, clamped to the data, with their weights; none where those that
    ``cubic_exclude`` leaves sum to 0."""
    base = floor(at)
    match A.text(call, "method"):
        case "nearest_neighbor":
            found = [
                (
                    nearest(A.text(call, "rounding_method"), A.text(call, "coordinate_transformation_mode"), at),
                    Fraction(1),
                )
            ]
        case "linear":
            found = [(base, 1 - (at - base)), (base + 1, at - base)]
        case _:
            weights = cubic(at - base, Fraction(A.real(call, "cubic_alpha")))
            found = [(base - 1 + k, w) for k, w in enumerate(weights)]
            if A.integer(call, "cubic_exclude"):
                found = [(p, w if 0 <= p < m else Fraction(0)) for p, w in found]
                total = sum(w for _, w in found)
                found = [(p, w / total) for p, w in found] if total else []
    return [(min(max(p, 0), m - 1), w) for p, w in found]


def computed_position(f: Arithmetic, mode: str, p: int, m: int, q: int) -> Payload:
    """``position`` in the arithmetic of a dtype; not for ``tf_crop_and_resize``."""
    scale, half = f.lit(Fraction(m, q)), Fraction(1, 2)
    match mode:
        case "align_corners":
            return f.mul(f.lit(Fraction(m - 1, q - 1)), f.lit(p)) if q > 1 else f.lit(0)
        case "asymmetric":
            return f.mul(scale, f.lit(p))
        case "tf_half_pixel_for_nn":
            return f.mul(f.lit(p + half), scale)
        case "pytorch_half_pixel" if q <= 1:
            return f.lit(0)
        case _:
            return mulsub(f, f.lit(p + half), scale, f.lit(half))


def computed_cubic(f: Arithmetic, t: Payload, alpha: float) -> list[Payload]:
    """``cubic`` in the arithmetic of a dtype."""
    a = Fraction(alpha)
    t2 = f.mul(t, t)
    t3 = f.mul(t2, t)
    first = f.mul(f.lit(a), f.add(f.sub(t3, f.mul(f.lit(2), t2)), t))
    second = f.add(f.sub(f.mul(f.lit(a + 2), t3), f.mul(f.lit(3 + a), t2)), f.lit(1))
    third = f.sub(f.add(f.mul(f.lit(-(a + 2)), t3), f.mul(f.lit(3 + 2 * a), t2)), f.mul(f.lit(a), t))
    return [first, second, third, f.add(f.mul(f.lit(-a), t3), f.mul(f.lit(a), t2))]


def computed_taps(call: Call, f: Arithmetic, at: Payload, base: Index) -> list[Tap]:
    """The elements around a computed position whose integer part is ``base``."""
    if A.text(call, "method") == "linear":
        return linear(f, at, base)
    weights = computed_cubic(f, f.sub(at, f.lit(base)), A.real(call, "cubic_alpha"))
    return [Tap(base - 1 + k, w) for k, w in enumerate(weights)]


def stepwise(
    m: Meaning, call: Call, dtype: str, size: Sequence[int], out: Sequence[int], y: Sequence[int], load: Load
) -> Payload:
    """The element at position ``y`` of ``out``, with positions and weights computed step by step."""
    f, mode = m.at(dtype), A.text(call, "coordinate_transformation_mode")
    at = [computed_position(f, mode, p, n, q) for p, n, q in zip(y, size, out, strict=True)]

    def near(spot: tuple[Index, ...]) -> Payload:
        return load([m.least(m.most(p, 0), n - 1) for p, n in zip(spot, size, strict=True)])

    def summed(bases: tuple[Index, ...]) -> Payload:
        return weighted(f, [computed_taps(call, f, p, k) for p, k in zip(at, bases, strict=True)], near)

    return by_integers(m, dtype, [floor_index(m, f, p) for p in at], [(-3, n + 3) for n in size], summed)


Load = Callable[[Sequence[Index]], Payload]
"""The element at a spatial position of the data, in the dtype of the sum."""


@rule("op.image.resize/empty-data", "op.image.resize/attributes")
def _resize(n: int) -> Text:
    """The weighted sum of the elements around the position, axis by axis, the last axis first."""

    def text(m: Meaning, call: Call, x: Array, size: Sequence[Index]) -> Array:
        layout, mode = L.known(A.text(call, "layout"), DATA[n]), A.text(call, "coordinate_transformation_mode")
        roi, x = A.reals(call, "roi"), layout.read(m, x)
        dims = (*x.dims[:2], *size)
        fit = m.some((m.every(k != 0 for k in x.dims[2:]), m.product(layout.shape(dims)) == 0))
        m.require(fit, "op.image.resize/empty-data", f"{x.dims} resized to {dims}")
        own, new, dtype = list(map(index, x.dims[2:])), list(map(index, size)), A.dtype(call, "out_dtype") or x.dtype
        m.charge(sum(new))
        acc = "float64" if x.dtype == "float64" else "float32"
        f, out = m.at(acc), m.at(dtype)
        spots = [[position(mode, p, own[k], q, (roi[k], roi[n + k])) for p in range(q)] for k, q in enumerate(new)]
        near = [[taps(call, at, own[k]) for at in line] for k, line in enumerate(spots)]
        m.require(all(all(line) for line in near), "op.image.resize/attributes", "weights that sum to 0")
        exact, crop = A.text(call, "method") == "nearest_neighbor", mode == "tf_crop_and_resize"
        beyond, pieces = literal(m, dtype, A.real(call, "extrapolation_value")), [m.pieces([1] * q) for q in new]

        def at_position(b: Index, c: Index, y: tuple[int, ...]) -> Payload:
            def load(at: Sequence[Index]) -> Payload:
                a = x[(b, c, *at)]
                return a if x.dtype == acc else f.cast(a, x.dtype)

            def mixed(*done: int) -> Payload:
                k = len(done)
                if k == n:
                    return load(done)
                around = near[k][y[k]]
                return f.dot([mixed(*done, p) for p, _ in around], [f.lit(w) for _, w in around], acc)

            if crop and any(not 0 <= spots[k][p] <= own[k] - 1 for k, p in enumerate(y)):
                return beyond
            if exact:
                a = x[(b, c, *(near[k][p][0][0] for k, p in enumerate(y)))]
                return a if x.dtype == dtype else out.cast(a, x.dtype)
            forms: list[Callable[[], Payload]] = [mixed]
            if not crop and not A.integer(call, "cubic_exclude"):
                forms.append(lambda: stepwise(m, call, acc, own, new, y, load))
            value = f.either(*forms)
            return value if dtype == acc else out.cast(value, acc)

        def element(b: Index, c: Index, *y: Index) -> Payload:
            def rest(done: tuple[int, ...]) -> Payload:
                k = len(done)
                return at_position(b, c, done) if k == n else pieces[k](y[k], lambda p, _: rest((*done, p)))

            return rest(())

        return layout.written(m, dims, dtype, element)

    return text


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.image.resize2d", _deduce(2), _resize(2), PAGE),
    defined("relax.image.resize3d", _deduce(3), _resize(3), PAGE),
)
