"""Reductions over axes, and the position of an extreme.

``out[k] = reduce(op, [x[k with i on the reduced axes] for i in increasing order])``. The result keeps the dtype of the
argument, and so does the accumulation.

Spec: ``spec/ops/reduce.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload, ReduceOp
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    cast_to,
    known_dims,
    normal_axes,
    of_rank,
    rank,
    short,
    tensor,
    tensor_value,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, EvaluateRule, Evaluation, OpDef
from refrelax.semantics.values import Tensor, Value
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.types import TensorType, TupleType, Type

PAGE = "reduce"

# --- types -----------------------------------------------------------------------------------------------------------


def reduced(
    d: Deduction, call: Call, x: TensorType, axes: list[int] | None, keepdims: bool, dtype: str | None
) -> TensorType:
    """The type after reducing ``axes`` (``None``: all); ``keepdims`` leaves a 1 in their place."""
    ndim = rank(x)
    gone = normal_axes(d, call, ndim, axes) if axes is not None and ndim != UNKNOWN else []
    dims = known_dims(x)
    if dims is not None:
        kept = [
            D.ONE if axes is None or axis in gone else dim
            for axis, dim in enumerate(dims)
            if keepdims or (axes is not None and axis not in gone)
        ]
        return with_dims(kept, dtype, x.vdevice)
    if axes is None:
        if keepdims:
            return with_dims([D.ONE] * ndim, dtype, x.vdevice) if ndim != UNKNOWN else of_rank(ndim, dtype, x.vdevice)
        return with_dims((), dtype, x.vdevice)
    left = ndim if keepdims or ndim == UNKNOWN else ndim - len(gone)
    return with_dims((), dtype, x.vdevice) if left == 0 else of_rank(left, dtype, x.vdevice)


def deduce_reduction(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The kept axes at the argument's dtype."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    return reduced(d, call, x, A.integers(call, "axis"), A.flag(call, "keepdims"), x.dtype)


def deduce_position(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The kept axes at dtype ``int64``."""
    arity(d, call, 1)
    return reduced(d, call, tensor(d, call, types, 0), A.integers(call, "axis"), A.flag(call, "keepdims"), "int64")


# --- values ----------------------------------------------------------------------------------------------------------

Fold = Callable[[list[Payload]], Payload]


def axes_of(call: Call, x: Tensor) -> list[int]:
    """The reduced axes, counted from 0, in increasing order."""
    axes = A.integers(call, "axis")
    return list(range(x.ndim)) if axes is None else sorted(axis % x.ndim for axis in axes)


def over(e: Evaluation, x: Tensor, axes: list[int], keepdims: bool, dtype: str, fold: Fold) -> Tensor:
    """``out[k] = fold`` of the elements of ``x`` on the reduced axes, row-major."""
    inside = list(product(*(range(x.shape[axis]) for axis in axes))) if x.size else []
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    shape = [1 if axis in axes else n for axis, n in enumerate(x.shape) if keepdims or axis not in axes]
    e.spend(len(inside) * prod(shape))

    def element(*k: int) -> Payload:
        at = [0] * x.ndim
        for axis, position in zip(kept, (k[axis] for axis in kept) if keepdims else k, strict=True):
            at[axis] = position
        items = []
        for inner in inside:
            for axis, position in zip(axes, inner, strict=True):
                at[axis] = position
            items.append(x[tuple(at)])
        return fold(items)

    return e.tabulate(dtype, shape, element)


_OF_TRUTHS: dict[ReduceOp, ReduceOp] = {"add": "or", "maximum": "or", "mul": "and", "minimum": "and"}


def _reduction(op: ReduceOp) -> EvaluateRule:
    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
        x = tensor_value(args[0])
        f = e.numerics.at(x.dtype)
        step = _OF_TRUTHS[op] if x.dtype == "bool" else op
        empty = x.dtype == "bool" and op in ("maximum", "minimum")

        def fold(items: list[Payload]) -> Payload:
            return poison("num/empty-reduction") if empty and not items else f.reduce(step, items)

        return over(e, x, axes_of(call, x), A.flag(call, "keepdims"), x.dtype, fold)

    return evaluate


@rule("op.reduce/arithmetic-dtype")
def _numeric(e: Evaluation, call: Call, x: Tensor, real: bool) -> None:
    """A mean needs numbers, a root needs reals: at other dtypes, which deduction lets pass, the run is open."""
    if x.dtype == "bool" or (real and not dtypes.is_float(x.dtype)):
        raise unspecified("op.reduce/arithmetic-dtype", f"{short(call)} of {x.dtype}", e.span)


WIDER = {"float16": "float32", "bfloat16": "float32", "float32": "float64"}
"""Where an implementation may keep the sum until it is divided."""


def mean_of(e: Evaluation, dtype: str, items: list[Payload]) -> Payload:
    """The sum divided by the count, both at ``dtype`` (or at a wider one, rounded once); poison for no items."""
    f, wider = e.numerics.at(dtype), WIDER.get(dtype)
    if not items:
        return poison("num/empty-reduction")

    def steps() -> Payload:
        return f.div(f.reduce("add", items), f.lit(len(items)))

    def wide() -> Payload:
        g = e.numerics.at(wider or dtype)
        total = g.reduce("add", [g.cast(a, dtype) for a in items])
        return f.cast(g.div(total, g.lit(len(items))), wider or dtype)

    return steps() if wider is None else f.either(steps, wide)


def variance_of(e: Evaluation, dtype: str, items: list[Payload]) -> Payload:
    """The mean of the squared deviations from the mean."""
    f = e.numerics.at(dtype)
    mean = mean_of(e, dtype, items)
    apart = [f.sub(a, mean) for a in items]
    return mean_of(e, dtype, [f.mul(a, a) for a in apart])


def evaluate_mean(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``sum / count``; on integers the truncated quotient."""
    x = tensor_value(args[0])
    _numeric(e, call, x, real=False)
    return over(e, x, axes_of(call, x), A.flag(call, "keepdims"), x.dtype, lambda items: mean_of(e, x.dtype, items))


def evaluate_variance(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """The mean of ``(x - mean)**2``: the population variance, in two passes."""
    x = tensor_value(args[0])
    _numeric(e, call, x, real=False)
    return over(e, x, axes_of(call, x), A.flag(call, "keepdims"), x.dtype, lambda items: variance_of(e, x.dtype, items))


def evaluate_std(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """The square root of the variance."""
    x = tensor_value(args[0])
    _numeric(e, call, x, real=True)
    root = e.numerics.at(x.dtype).math("sqrt")
    return over(
        e, x, axes_of(call, x), A.flag(call, "keepdims"), x.dtype, lambda items: root(variance_of(e, x.dtype, items))
    )


@rule("op.reduce/empty-position")
def _position(op: str) -> EvaluateRule:
    """``argmax`` and ``argmin``: the first position of the extreme; poison where there is none."""

    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
        x = tensor_value(args[0])
        x = cast_to(e, x, "uint8") if x.dtype == "bool" else x
        f = e.numerics.at(x.dtype)

        def fold(items: list[Payload]) -> Payload:
            if not items:
                return poison("op.reduce/empty-position")
            return f.argreduce("maximum" if op == "maximum" else "minimum", items)

        return over(e, x, axes_of(call, x), A.flag(call, "keepdims"), "int64", fold)

    return evaluate


# --- median ----------------------------------------------------------------------------------------------------------


def deduce_median(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """As a reduction; with exactly one axis a pair of the medians and their int64 positions."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    axes = A.integers(call, "axis")
    values = reduced(d, call, x, axes, A.flag(call, "keepdims"), x.dtype)
    if axes is None or (len(axes) > 1 and known_dims(x) is not None):
        return values
    if known_dims(x) is None and values.shape is not None:
        return values
    return TupleType((values, TensorType(values.shape, "int64", values.ndim, values.vdevice)))


@rule("op.median/one-axis")
def evaluate_median(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """The element at position ``(n - 1) // 2`` of the sorted items: the lower middle."""
    x, axes = tensor_value(args[0]), A.integers(call, "axis")
    keepdims = A.flag(call, "keepdims")
    if axes is not None and len(axes) != 1:
        raise unspecified("op.median/one-axis", f"{short(call)} over {len(axes)} axes", e.span)
    f = e.numerics.at(x.dtype)

    def middle(which: int) -> Fold:
        def fold(items: list[Payload]) -> Payload:
            return f.order(items)[which][(len(items) - 1) // 2] if items else poison("num/empty-reduction")

        return fold

    values = over(e, x, axes_of(call, x), keepdims, x.dtype, middle(0))
    if axes is None:
        return values
    return values, over(e, x, axes_of(call, x), keepdims, "int64", middle(1))


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.sum", deduce_reduction, _reduction("add"), PAGE),
    OpDef("relax.prod", deduce_reduction, _reduction("mul"), PAGE),
    OpDef("relax.max", deduce_reduction, _reduction("maximum"), PAGE),
    OpDef("relax.min", deduce_reduction, _reduction("minimum"), PAGE),
    OpDef("relax.mean", deduce_reduction, evaluate_mean, PAGE),
    OpDef("relax.variance", deduce_reduction, evaluate_variance, PAGE),
    OpDef("relax.std", deduce_reduction, evaluate_std, PAGE),
    OpDef("relax.argmax", deduce_position, _position("maximum"), PAGE),
    OpDef("relax.argmin", deduce_position, _position("minimum"), PAGE),
    OpDef("relax.median", deduce_median, evaluate_median, PAGE),
)
