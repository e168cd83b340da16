"""Elementwise operators of three operands: choice, clipping, fused multiply-add.

Spec: ``spec/ops/ternary.md``.
"""

from __future__ import annotations

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.ops.binary import arithmetic_dtype, promote
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    as_operand,
    broadcast_dims,
    broadcast_shape,
    cast_to,
    elementwise,
    joined_dtype,
    joined_vdevice,
    known_dims,
    of_rank,
    rank,
    short,
    tensor,
    tensor_value,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.values import Tensor, Value
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.types import PrimType, TensorType, Type

PAGE = "ternary"


@rule("op.where/bool-condition")
def deduce_where(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The dims of the three broadcast together, at the dtype of the two choices."""
    arity(d, call, 3)
    condition, a, b = (tensor(d, call, types, k) for k in range(3))
    if condition.dtype not in (None, "bool"):
        d.fail(
            "op.where/bool-condition", f"{short(call)}: the condition must be a bool tensor, found {condition.dtype}"
        )
    dtype = arithmetic_dtype(d, call, a, b)
    vdevice = joined_vdevice(condition, a, b)
    ranks = [rank(t) for t in (condition, a, b)]
    open_type = of_rank(UNKNOWN if UNKNOWN in ranks else max(ranks), dtype, vdevice)
    dims = [known_dims(t) for t in (condition, a, b)]
    if dims[0] is None or dims[1] is None or dims[2] is None:
        same = isinstance(a.shape, str) and condition.shape == a.shape == b.shape
        return TensorType(a.shape, dtype, a.ndim, vdevice) if same else open_type
    choices = broadcast_dims(d, call, dims[1], dims[2])
    whole = broadcast_dims(d, call, dims[0], choices) if choices is not None else None
    return with_dims(whole, dtype, vdevice) if whole is not None else open_type


def evaluate_where(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i] = a[i] if condition[i] else b[i]``; poison in the choice not taken is dropped."""
    condition, a, b = (tensor_value(each) for each in args)
    meeting = promote(a.dtype, b.dtype)
    f = e.numerics.at(meeting)
    shape = broadcast_shape(e, condition.shape, a.shape, b.shape)
    out = elementwise(e, meeting, f.select, condition, cast_to(e, a, meeting), cast_to(e, b, meeting), shape=shape)
    return cast_to(e, out, a.dtype)


@rule("op.clip/scalar-bounds")
def deduce_clip(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type."""
    arity(d, call, 3)
    for bound in types[1:]:
        if not isinstance(bound, PrimType):
            d.fail("op.clip/scalar-bounds", f"{short(call)}: a bound must be a scalar, found {type(bound).__name__}")
    return tensor(d, call, types, 0)


def evaluate_clip(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i] = maximum(minimum(x[i], hi), lo)``, the bounds converted to the dtype: with ``lo > hi`` it is ``lo``."""
    x = tensor_value(args[0])
    f = e.numerics.at(x.dtype)
    lo, hi = (cast_to(e, as_operand(e, bound), x.dtype).payloads()[0] for bound in args[1:])
    return elementwise(e, x.dtype, lambda a: f.maximum(f.minimum(a, hi), lo), x)


@rule("op.ewise_fma/equal-ranks", "op.ewise_fma/equal-dims")
def deduce_fma(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The type of the three, which must agree in rank, dims and dtype."""
    arity(d, call, 3)
    found = [tensor(d, call, types, k) for k in range(3)]
    ranks = {rank(t) for t in found} - {UNKNOWN}
    if len(ranks) > 1:
        d.fail("op.ewise_fma/equal-ranks", f"{short(call)} takes three tensors of one rank, found {sorted(ranks)}")
    dtype = joined_dtype(d, call, found)
    vdevice = joined_vdevice(*found)
    dims = [known_dims(t) for t in found]
    if dims[0] is None or dims[1] is None or dims[2] is None:
        named = isinstance(found[0].shape, str) and found[0].shape == found[1].shape == found[2].shape
        shape = found[0].shape if named else None
        return TensorType(shape, dtype, ranks.pop() if ranks else UNKNOWN, vdevice)
    for axis, (x, y, z) in enumerate(zip(*(t for t in dims if t is not None), strict=True)):
        if d.equal(x, y) is not True or d.equal(y, z) is not True:
            d.fail("op.ewise_fma/equal-dims", f"{short(call)}: the three tensors must provably agree on axis {axis}")
    return with_dims(dims[0], dtype, vdevice)


@rule("op.ewise_fma/equal-extents")
def evaluate_fma(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i] = a[i] * b[i] + c[i]``, the product and the sum each rounded; fused is permitted."""
    a, b, c = (tensor_value(each) for each in args)
    if not a.shape == b.shape == c.shape:
        raise unspecified("op.ewise_fma/equal-extents", f"extents {a.shape}, {b.shape}, {c.shape}", e.span)
    f = e.numerics.at(a.dtype)
    if not dtypes.is_float(a.dtype):
        return elementwise(e, a.dtype, lambda x, y, z: f.add(f.mul(x, y), z), a, b, c)
    return elementwise(
        e, a.dtype, lambda x, y, z: f.either(lambda: f.add(f.mul(x, y), z), lambda: f.fma(x, y, z)), a, b, c
    )


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.where", deduce_where, evaluate_where, PAGE),
    OpDef("relax.clip", deduce_clip, evaluate_clip, PAGE),
    OpDef("relax.ewise_fma", deduce_fma, evaluate_fma, PAGE),
)
