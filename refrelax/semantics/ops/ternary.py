"""Elementwise operators of three operands: choice, clipping, fused multiply-add.

Spec: ``spec/ops/ternary.md``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops.binary import arithmetic_dtype, promote
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    broadcast_all,
    joined_dtype,
    joined_vdevice,
    known_dims,
    of_rank,
    rank,
    short,
    tensor,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import Array, Meaning, cast, defined
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
    if isinstance(a.shape, str) and condition.shape == a.shape == b.shape:
        return TensorType(a.shape, dtype, a.ndim, vdevice)
    whole = broadcast_all(d, call, [known_dims(t) for t in (a, b, condition)])
    return with_dims(whole, dtype, vdevice) if whole is not None else open_type


def where(m: Meaning, call: Call, condition: Array, a: Array, b: Array) -> Array:
    """``out[i] = a[i] if condition[i] else b[i]``; poison in the choice not taken is dropped. Choices of two dtypes:
    ``op.binary/equal-dtypes``."""
    meeting = promote(a.dtype, b.dtype)
    m.broadcast(condition.dims, a.dims, b.dims)
    out = m.pointwise(meeting, m.at(meeting).select, condition, cast(m, a, meeting), cast(m, b, meeting))
    return cast(m, out, a.dtype)


@rule("op.clip/scalar-bounds")
def deduce_clip(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type."""
    arity(d, call, 3)
    for bound in types[1:]:
        if not isinstance(bound, PrimType):
            d.fail("op.clip/scalar-bounds", f"{short(call)}: a bound must be a scalar, found {type(bound).__name__}")
    return tensor(d, call, types, 0)


def clip(m: Meaning, call: Call, x: Array, low: Array, high: Array) -> Array:
    """``out[i] = maximum(minimum(x[i], max), min)``, the bounds converted to the dtype (``num/cast-range``): with ``min
    > max`` it is ``min``."""
    f, lo, hi = m.at(x.dtype), cast(m, low, x.dtype)[0,], cast(m, high, x.dtype)[0,]
    return m.pointwise(x.dtype, lambda a: f.maximum(f.minimum(a, hi), lo), x)


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
def ewise_fma(m: Meaning, call: Call, a: Array, b: Array, c: Array) -> Array:
    """``out[i] = a[i] * b[i] + c[i]``, the product and the sum each rounded; fused is permitted."""
    for other in (b, c):
        same = other.ndim == a.ndim and m.every(n == k for n, k in zip(a.dims, other.dims, strict=True))
        m.require(same, "op.ewise_fma/equal-extents", f"{a.dims}, {b.dims}, {c.dims}")
    f = m.at(a.dtype)

    def steps(x: Payload, y: Payload, z: Payload) -> Payload:
        return f.add(f.mul(x, y), z)

    element = f.forms(steps, f.fma) if dtypes.is_float(a.dtype) else steps
    return m.pointwise(a.dtype, element, a, m.spread(b, a.dims), m.spread(c, a.dims))


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.where", deduce_where, where, PAGE),
    defined("relax.clip", deduce_clip, clip, PAGE),
    defined("relax.ewise_fma", deduce_fma, ewise_fma, PAGE),
)
