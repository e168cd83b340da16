"""Reductions over axes, and the position of an extreme.

``out[k] = reduce(op, [x[k with i on the reduced axes] for i in increasing order])``. The result keeps the dtype of the
argument, and so does the accumulation.

Spec: ``spec/ops/reduce.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Literal

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload, ReduceOp
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    known_dims,
    normal_axes,
    of_rank,
    rank,
    short,
    tensor,
    tensor_value,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.ops.meaning import Array, Index, Meaning, Text, cast, defined, lines, mean, moments
from refrelax.semantics.ops.meaning.calculus import Family
from refrelax.semantics.values import TensorValue, Value
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
    """The axes that are not in ``axis`` (all are where it is none, none is where it is empty), at the argument's dtype;
    with ``keepdims`` a 1 in place of the others. Of unknown dims, ``keepdims`` makes known ones only without an
    ``axis``: all are 1 then. Where no axis is left over the shape is ``()``."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    return reduced(d, call, x, A.integers(call, "axis"), A.flag(call, "keepdims"), x.dtype)


def deduce_position(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """As of ``sum``, over one axis or all, at dtype ``int64``."""
    arity(d, call, 1)
    return reduced(d, call, tensor(d, call, types, 0), A.integers(call, "axis"), A.flag(call, "keepdims"), "int64")


# --- values ----------------------------------------------------------------------------------------------------------


def axes_of(call: Call, x: Array | TensorValue) -> list[int]:
    """The reduced axes, counted from 0, in increasing order."""
    axes = A.integers(call, "axis")
    return list(range(x.ndim)) if axes is None else sorted(axis % x.ndim for axis in axes)


def kept(m: Meaning, call: Call, x: Array, axes: list[int]) -> Array:
    """An array with 1 along ``axes``, with ``keepdims``; else without them."""
    if A.flag(call, "keepdims"):
        return x
    left = [k for k in range(x.ndim) if k not in axes]

    def element(*i: Index) -> Payload:
        return x[tuple(i[left.index(k)] if k in left else 0 for k in range(x.ndim))]

    return m.tensor((x.dims[k] for k in left), x.dtype, element)


def folded(m: Meaning, call: Call, x: Array, dtype: str, fold: Callable[[Family], Payload], empty: str = "") -> Array:
    """``fold`` of the elements along the reduced axes, row-major; poison of the rule ``empty``, if given, of none."""
    axes = axes_of(call, x)
    one, line = lines(x, axes)
    left = [k for k in range(x.ndim) if k not in axes]
    keepdims, count = A.flag(call, "keepdims"), m.product(x.dims[k] for k in axes)

    def element(*i: Index) -> Payload:
        at = i if keepdims else tuple(i[left.index(k)] if k in left else 0 for k in range(x.ndim))
        if not empty:
            return fold(x.over(line(at)))
        return m.choose(count == 0, lambda: m.poison(empty), lambda: fold(x.over(line(at))))

    return m.tensor(one if keepdims else (x.dims[k] for k in left), dtype, element)


_OF_TRUTHS: dict[ReduceOp, ReduceOp] = {"add": "or", "maximum": "or", "mul": "and", "minimum": "and"}


def _reduction(op: ReduceOp) -> Text:
    """``reduce(op, …)`` along the axes; of truths the connective that it is of 0 and 1."""

    def text(m: Meaning, call: Call, x: Array) -> Array:
        truths = x.dtype == "bool"
        f, step = m.at(x.dtype), _OF_TRUTHS[op] if truths else op
        empty = "num/empty-reduction" if truths and op in ("maximum", "minimum") else ""
        return folded(m, call, x, x.dtype, lambda items: f.reduce(step, items), empty)

    return text


@rule("op.reduce/arithmetic-dtype")
def _numeric(m: Meaning, x: Array, real: bool) -> None:
    """A mean needs numbers, a root needs reals: at other dtypes, which deduction lets pass, the run is open."""
    m.require(x.dtype != "bool" and (not real or dtypes.is_float(x.dtype)), "op.reduce/arithmetic-dtype", x.dtype)


def mean_text(m: Meaning, call: Call, x: Array) -> Array:
    """``sum / count``, the sum and the count at the argument's dtype; on integers the truncated quotient of the wrapped
    sum by the wrapped count; poison of nothing."""
    _numeric(m, x, real=False)
    axes = axes_of(call, x)
    return kept(m, call, mean(m, x, axes), axes)


def variance_text(m: Meaning, call: Call, x: Array) -> Array:
    """The mean of ``(x - mean)**2``: the population variance, in two passes, each step at the argument's dtype; poison
    of nothing."""
    _numeric(m, x, real=False)
    axes = axes_of(call, x)
    return kept(m, call, moments(m, x, axes)[1], axes)


def std_text(m: Meaning, call: Call, x: Array) -> Array:
    """The square root of the variance; poison of nothing."""
    _numeric(m, x, real=True)
    axes = axes_of(call, x)
    return kept(m, call, m.pointwise(x.dtype, m.at(x.dtype).math("sqrt"), moments(m, x, axes)[1]), axes)


@rule("op.reduce/empty-position")
def _position(op: Literal["maximum", "minimum"]) -> Text:
    """``argmax`` and ``argmin``: the first position of the extreme; poison where there is none."""

    def text(m: Meaning, call: Call, x: Array) -> Array:
        x = cast(m, x, "uint8") if x.dtype == "bool" else x
        f = m.at(x.dtype)
        return folded(m, call, x, "int64", lambda items: f.argreduce(op, items), "op.reduce/empty-position")

    return text


# --- median ----------------------------------------------------------------------------------------------------------


Fold = Callable[[list[Payload]], Payload]


def over(e: Evaluation, x: TensorValue, axes: list[int], keepdims: bool, dtype: str, fold: Fold) -> TensorValue:
    """``out[k] = fold`` of the elements of ``x`` on the reduced axes, row-major."""
    inside = list(product(*(range(x.shape[axis]) for axis in axes))) if x.size else []
    left = [axis for axis in range(x.ndim) if axis not in axes]
    shape = [1 if axis in axes else n for axis, n in enumerate(x.shape) if keepdims or axis not in axes]
    e.spend(len(inside) * prod(shape))

    def element(*k: int) -> Payload:
        at = [0] * x.ndim
        for axis, position in zip(left, (k[axis] for axis in left) if keepdims else k, strict=True):
            at[axis] = position
        items = []
        for inner in inside:
            for axis, position in zip(axes, inner, strict=True):
                at[axis] = position
            items.append(x[tuple(at)])
        return fold(items)

    return e.tabulate(dtype, shape, element)


def deduce_median(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """As of ``sum``; where ``axis`` has exactly one axis a pair of it and of such a tensor of int64, the positions
    along the axis."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    axes = A.integers(call, "axis")
    values = reduced(d, call, x, axes, A.flag(call, "keepdims"), x.dtype)
    if axes is None or len(axes) != 1:
        return values
    return TupleType((values, TensorType(values.shape, "int64", values.ndim, values.vdevice)))


@rule("op.median/one-axis")
def evaluate_median(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """The element at position ``(n - 1) // 2`` of the items as ``sort`` orders them: the lower middle; its position is
    that among the items. Both are poison of nothing."""
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
    defined("relax.sum", deduce_reduction, _reduction("add"), PAGE),
    defined("relax.prod", deduce_reduction, _reduction("mul"), PAGE),
    defined("relax.max", deduce_reduction, _reduction("maximum"), PAGE),
    defined("relax.min", deduce_reduction, _reduction("minimum"), PAGE),
    defined("relax.mean", deduce_reduction, mean_text, PAGE),
    defined("relax.variance", deduce_reduction, variance_text, PAGE),
    defined("relax.std", deduce_reduction, std_text, PAGE),
    defined("relax.argmax", deduce_position, _position("maximum"), PAGE),
    defined("relax.argmin", deduce_position, _position("minimum"), PAGE),
    OpDef("relax.median", deduce_median, evaluate_median, PAGE),
)
