"""Resizing images.

A position of the result lies at a rational position of the data; positions and weights are exact, the weights rounded
once to the dtype of the sum. Permitted: positions and weights computed in that dtype, step by step.

Spec: ``spec/ops/image.md``.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import layout as L
from refrelax.semantics.ops.common import (
    arity,
    extents,
    of_rank,
    shape_argument,
    short,
    tensor,
    tensor_value,
    with_dims,
)
from refrelax.semantics.ops.conv import DATA, charge
from refrelax.semantics.ops.definition import DeduceRule, Deduction, EvaluateRule, Evaluation, OpDef
from refrelax.semantics.ops.sampling import Tap, by_integers, floor_index, linear, mulsub, weighted
from refrelax.semantics.values import Tensor, Value
from refrelax.syntax import dtypes
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
    """Batch, channels and the size, in the data's layout, at ``out_dtype`` or the data's dtype."""

    def deduce(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
        arity(d, call, 2)
        x, size = tensor(d, call, types, 0), shape_argument(d, call, types, 1)
        rank = size.ndim if size.values is None else len(size.values)
        if rank != n:
            d.fail("op.image.resize/size-rank", f"{short(call)}: the size must have rank {n}, found {rank}")
        chosen = A.text(call, "method"), A.text(call, "coordinate_transformation_mode"), A.text(call, "rounding_method")
        if any(each not in known for each, known in zip(chosen, (METHODS, MODES, ROUNDINGS), strict=True)):
            d.fail("op.image.resize/attributes", f"{short(call)}: no method, coordinates or rounding like {chosen}")
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
    """The positions of the data that count at ``at``, clamped to the data, with their weights."""
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
                found = [(p, w / total) for p, w in found]
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


def computed_taps(call: Call, f: Arithmetic, at: Payload, base: int) -> list[Tap]:
    """The elements around a computed position whose integer part is ``base``."""
    if A.text(call, "method") == "linear":
        return linear(f, at, base)
    weights = computed_cubic(f, f.sub(at, f.lit(base)), A.real(call, "cubic_alpha"))
    return [Tap(base - 1 + k, w) for k, w in enumerate(weights)]


def stepwise(e: Evaluation, call: Call, x: Tensor, size: tuple[int, ...], index: tuple[int, ...]) -> Payload:
    """The element at a plain index with positions and weights computed step by step."""
    acc, n = "float64" if x.dtype == "float64" else "float32", len(size)
    f, layout, mode = (
        e.numerics.at(acc),
        L.known(A.text(call, "layout"), DATA[n]),
        A.text(call, "coordinate_transformation_mode"),
    )
    plain = layout.plain_shape(x.shape)
    at = [computed_position(f, mode, p, m, q) for p, m, q in zip(index[2:], plain[2:], size, strict=True)]

    def load(spot: tuple[int, ...]) -> Payload:
        inner = [min(max(p, 0), m - 1) for p, m in zip(spot, plain[2:], strict=True)]
        a = x[layout.from_plain((*index[:2], *inner))]
        return a if x.dtype == acc else f.cast(a, x.dtype)

    def summed(bases: tuple[int, ...]) -> Payload:
        return weighted(f, [computed_taps(call, f, p, k) for p, k in zip(at, bases, strict=True)], load)

    around = [range(-3, m + 3) for m in plain[2:]]
    return by_integers(e, f, [floor_index(e, f, p) for p in at], around, summed)


@rule("op.image.resize/empty-data")
def _evaluate(n: int) -> EvaluateRule:
    """The weighted sum of the elements around the position, axis by axis, the last axis first."""

    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
        x, size = tensor_value(args[0]), extents(args[1])
        layout = L.known(A.text(call, "layout"), DATA[n])
        plain, mode, roi = (
            layout.plain_shape(x.shape),
            A.text(call, "coordinate_transformation_mode"),
            A.reals(call, "roi"),
        )
        shape = layout.shape((*plain[:2], *size))
        if 0 in plain[2:] and 0 not in shape:
            raise unspecified("op.image.resize/empty-data", f"{x.shape} resized to {shape}", e.span)
        charge(e, shape, 4**n)
        e.spend(sum(size))
        dtype = A.dtype(call, "out_dtype") or x.dtype
        acc = "float64" if x.dtype == "float64" else "float32"
        f, out = e.numerics.at(acc), e.numerics.at(dtype)
        spots = [
            [position(mode, p, plain[2 + k], q, (roi[k], roi[n + k])) for p in range(q)] for k, q in enumerate(size)
        ]
        near = [[taps(call, at, plain[2 + k]) for at in line] for k, line in enumerate(spots)]
        exact = A.text(call, "method") == "nearest_neighbor"
        steps = mode != "tf_crop_and_resize" and not A.integer(call, "cubic_exclude")
        beyond = (
            out.lit(A.real(call, "extrapolation_value"))
            if dtypes.is_float(dtype)
            else out.lit(int(A.real(call, "extrapolation_value")))
        )

        def mixed(b: int, c: int, done: tuple[int, ...], y: tuple[int, ...]) -> Payload:
            k = len(done)
            if k == n:
                a = x[layout.from_plain((b, c, *done))]
                return a if x.dtype == acc else f.cast(a, x.dtype)
            around = near[k][y[k]]
            items = [mixed(b, c, (*done, p), y) for p, _ in around]
            return f.dot(items, [f.lit(w) for _, w in around], acc)

        def element(*i: int) -> Payload:
            b, c, *y = layout.to_plain(i)
            crop = mode == "tf_crop_and_resize"
            if crop and any(not 0 <= spots[k][p] <= plain[2 + k] - 1 for k, p in enumerate(y)):
                return beyond
            if exact:
                a = x[layout.from_plain((b, c, *(near[k][p][0][0] for k, p in enumerate(y))))]
                return a if x.dtype == dtype else out.cast(a, x.dtype)
            forms = [lambda: mixed(b, c, (), tuple(y))]
            if steps:
                forms.append(lambda: stepwise(e, call, x, size, (b, c, *y)))
            value = f.either(*forms)
            return value if dtype == acc else out.cast(value, acc)

        return e.tabulate(dtype, shape, element)

    return evaluate


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.image.resize2d", _deduce(2), _evaluate(2), PAGE),
    OpDef("relax.image.resize3d", _deduce(3), _evaluate(3), PAGE),
)
