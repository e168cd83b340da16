"""Normalisations.

The *wide dtype* is float32 for data of fewer than 32 bits, else the data's. But for ``batch_norm``, the data are
converted to it, normalised there and rounded once to their own dtype, and only then scaled and shifted (``rms_norm``
scales before). The variance is the population variance, in two passes.

Spec: ``spec/ops/norm.md``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    known_dims,
    normal_axes,
    normal_axis,
    of_rank,
    rank,
    short,
    tensor,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import Array, Index, Meaning, cast, defined, mean, moments
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import TensorType, TupleType, Type

PAGE = "norm"


def wide(dtype: str) -> str:
    """The dtype in which data of ``dtype`` are normalised: float32, or ``dtype`` itself if it is as wide."""
    return "float32" if dtypes.bits(dtype) < 32 else dtype


# --- types -----------------------------------------------------------------------------------------------------------


@rule("op.norm/float-dtype", "op.norm/equal-dtypes", "op.norm/parameter-rank", "op.norm/parameter-dims")
def _parameters(d: Deduction, call: Call, types: tuple[Type, ...], count: int, axes: list[int]) -> bool:
    """Whether the parameters provably have the extents of ``axes``; a provable difference is an error."""
    arity(d, call, count)
    x = tensor(d, call, types, 0)
    at = normal_axes(d, call, rank(x), axes) if rank(x) != UNKNOWN else []
    if x.dtype is not None and not dtypes.is_float(x.dtype):
        d.fail("op.norm/float-dtype", f"{short(call)} takes tensors of a float dtype, found {x.dtype}")
    shapes = []
    dims = known_dims(x)
    if dims is not None:
        shapes.append(tuple(dims[axis] for axis in at))
    for position in range(1, count):
        p = tensor(d, call, types, position)
        if p.dtype != x.dtype:
            d.fail("op.norm/equal-dtypes", f"{short(call)}: argument {position} is {p.dtype}, the data is {x.dtype}")
        if rank(p) != len(axes):
            d.fail("op.norm/parameter-rank", f"{short(call)}: argument {position} has rank {rank(p)}, not {len(axes)}")
        own = known_dims(p)
        if own is not None:
            shapes.append(own)
    agree = True
    for own in shapes[1:]:
        for a, b in zip(shapes[0], own, strict=True):
            same = d.equal(a, b)
            if same is False:
                d.fail("op.norm/parameter-dims", f"{short(call)}: a parameter differs from the data on its axis")
            agree = agree and same is True
    return agree


def _loose(x: TensorType, known: bool) -> TensorType:
    return x if known else of_rank(x.ndim, x.dtype, x.vdevice)


def deduce_layer_norm(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type; of unknown dims where a dim of a parameter is not provably the data's."""
    known = _parameters(d, call, types, 3, A.int_list(call, "axes"))
    return _loose(tensor(d, call, types, 0), known)


def deduce_rms_norm(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type; of unknown dims where a dim of the weight is not provably the data's."""
    known = _parameters(d, call, types, 2, A.int_list(call, "axes"))
    return _loose(tensor(d, call, types, 0), known)


def deduce_batch_norm(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The types of the data and of the two moving statistics; of unknown dims, all three, where a dim of a parameter is
    not provably the data's."""
    known = _parameters(d, call, types, 5, [A.integer(call, "axis")])
    x, mean, variance = (tensor(d, call, types, k) for k in (0, 3, 4))
    return TupleType((_loose(x, known), _loose(mean, known), _loose(variance, known)))


@rule("op.norm/channel-axis", "op.nn.group_norm/group-count")
def _channelled(d: Deduction, call: Call, types: tuple[Type, ...], groups: int | None) -> Type:
    """The data's type; the parameters are vectors along the channel axis, which is none of ``axes``."""
    arity(d, call, 3)
    x = tensor(d, call, types, 0)
    axis = None
    if rank(x) != UNKNOWN:
        axis = normal_axis(d, call, rank(x), A.integer(call, "channel_axis"))
        if axis in normal_axes(d, call, rank(x), A.int_list(call, "axes")):
            d.fail("op.norm/channel-axis", f"{short(call)}: the channel axis {axis} is among the axes")
    if groups is not None and x.dtype is not None and not dtypes.is_float(x.dtype):
        d.fail("op.norm/float-dtype", f"{short(call)} takes tensors of a float dtype, found {x.dtype}")
    dims = known_dims(x)
    channels = dims[axis] if dims is not None and axis is not None else None
    count = as_int(channels)
    if groups is not None and groups < 1:
        d.fail("op.nn.group_norm/group-count", f"{short(call)}: num_groups must be positive, found {groups}")
    if groups is not None and count is not None and count % groups:
        d.fail("op.nn.group_norm/group-count", f"{short(call)}: {count} channels do not make {groups} groups")
    for position in (1, 2):
        p = tensor(d, call, types, position)
        if p.dtype != x.dtype:
            d.fail("op.norm/equal-dtypes", f"{short(call)}: argument {position} is {p.dtype}, the data is {x.dtype}")
        if rank(p) != 1:
            d.fail("op.norm/parameter-rank", f"{short(call)}: argument {position} has rank {rank(p)}, not 1")
        own = known_dims(p)
        if own is not None and channels is not None and d.equal(channels, own[0]) is False:
            d.fail("op.norm/parameter-dims", f"{short(call)}: argument {position} has not one element a channel")
    return x


def deduce_group_norm(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type."""
    return _channelled(d, call, types, A.integer(call, "num_groups"))


def deduce_instance_norm(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type."""
    return _channelled(d, call, types, None)


# --- values ----------------------------------------------------------------------------------------------------------


def affine(m: Meaning, call: Call, x: Array, gamma: Array, beta: Array, axes: Sequence[int]) -> Array:
    """``x * gamma + beta``, each only if its attribute asks for it; the parameters lie along ``axes``."""
    f, scale, center = m.at(x.dtype), A.flag(call, "scale"), A.flag(call, "center")

    def element(a: Payload, g: Payload, b: Payload) -> Payload:
        value = f.mul(a, g) if scale else a
        return f.add(value, b) if center else value

    parameters = [m.along(p, axes, x.dims) for p in (gamma, beta)]
    return m.pointwise(x.dtype, element, x, *parameters) if scale or center else x


@rule("op.norm/parameter-extents")
def same(m: Meaning, x: Array, axes: Sequence[int], parameters: Sequence[Array]) -> None:
    """The parameters have the extents of ``axes``, which deduction may have left open."""
    for p in parameters:
        m.require(
            m.every(n == x.dims[k] for n, k in zip(p.dims, axes, strict=True)),
            "op.norm/parameter-extents",
            f"{p.dims} along the axes {list(axes)} of {x.dims}",
        )


def standardised(m: Meaning, call: Call, x: Array, axes: Sequence[int]) -> Array:
    """``(x - mean) * rsqrt(variance + epsilon)`` along ``axes``, in the wide dtype, rounded once."""
    up = cast(m, x, wide(x.dtype))
    f = m.at(up.dtype)
    root, small = f.math("rsqrt"), f.lit(A.real(call, "epsilon"))
    middle, variance = moments(m, up, axes)
    factor = m.pointwise(up.dtype, lambda a: root(f.add(a, small)), variance)
    return cast(m, m.pointwise(up.dtype, lambda a, u, s: f.mul(f.sub(a, u), s), up, middle, factor), x.dtype)


def layer_norm(m: Meaning, call: Call, x: Array, gamma: Array, beta: Array) -> Array:
    """``(x - mean) * rsqrt(variance + epsilon) * gamma + beta``, the statistics over ``axes``, up to the ``rsqrt`` in
    the wide dtype; without ``scale`` nothing is multiplied, without ``center`` nothing added."""
    axes = [axis % x.ndim for axis in A.int_list(call, "axes")]
    same(m, x, axes, (gamma, beta))
    return affine(m, call, standardised(m, call, x, axes), gamma, beta, axes)


def rms_norm(m: Meaning, call: Call, x: Array, weight: Array) -> Array:
    """``x * rsqrt(mean(x**2) + epsilon) * weight``, the mean over ``axes``, all in the wide dtype, rounded once."""
    axes = [axis % x.ndim for axis in A.int_list(call, "axes")]
    same(m, x, axes, (weight,))
    up, w = cast(m, x, wide(x.dtype)), cast(m, weight, wide(x.dtype))
    f = m.at(up.dtype)
    root, small = f.math("rsqrt"), f.lit(A.real(call, "epsilon"))
    squares = mean(m, m.pointwise(up.dtype, lambda a: f.mul(a, a), up), axes)
    factor = m.pointwise(up.dtype, lambda a: root(f.add(a, small)), squares)
    scaled = m.pointwise(up.dtype, lambda a, s: f.mul(s, a), up, factor)
    return cast(m, m.pointwise(up.dtype, f.mul, scaled, m.along(w, axes, x.dims)), x.dtype)


@rule("op.nn.group_norm/group-count-run")
def group_norm(m: Meaning, call: Call, x: Array, gamma: Array, beta: Array) -> Array:
    """As ``layer_norm``, over ``axes`` and the channels of one group, of which each has as many, one after the other;
    the parameters go with the channel axis."""
    c, groups = A.integer(call, "channel_axis") % x.ndim, A.integer(call, "num_groups")
    axes, size = [axis % x.ndim for axis in A.int_list(call, "axes")], x.dims[c] // groups
    same(m, x, [c], (gamma, beta))
    m.require(x.dims[c] % groups == 0, "op.nn.group_norm/group-count-run", f"{x.dims[c]} channels, {groups} groups")
    dims = (*x.dims[:c], groups, size, *x.dims[c + 1 :])
    split = m.tensor(dims, x.dtype, lambda *i: x[(*i[:c], i[c] * size + i[c + 1], *i[c + 2 :])])
    normal = standardised(m, call, split, sorted([c + 1, *(k + (k > c) for k in axes)]))
    whole = m.tensor(x.dims, x.dtype, lambda *i: normal[(*i[:c], i[c] // size, i[c] % size, *i[c + 1 :])])
    return affine(m, call, whole, gamma, beta, [c])


def instance_norm(m: Meaning, call: Call, x: Array, gamma: Array, beta: Array) -> Array:
    """As ``layer_norm``, over ``axes``; the parameters go with the channel axis."""
    c = A.integer(call, "channel_axis") % x.ndim
    same(m, x, [c], (gamma, beta))
    axes = [axis % x.ndim for axis in A.int_list(call, "axes")]
    return affine(m, call, standardised(m, call, x, axes), gamma, beta, [c])


def batch_norm(
    m: Meaning, call: Call, x: Array, gamma: Array, beta: Array, old_mean: Array, old_variance: Array
) -> tuple[Array, Array, Array]:
    """``(x - mean) / sqrt(variance + epsilon) * gamma + beta`` and the moving statistics, all at the data's dtype;
    without ``scale`` nothing is multiplied, without ``center`` nothing added.

    In training the statistics are the batch's, over every axis but ``axis``, and the moving ones become
    ``(1 - momentum) * moving + momentum * batch``; else the moving ones are used and returned.
    """
    axis, f = A.integer(call, "axis") % x.ndim, m.at(x.dtype)
    same(m, x, [axis], (gamma, beta, old_mean, old_variance))
    training, root, small = A.flag(call, "training"), f.math("sqrt"), f.lit(A.real(call, "epsilon"))
    around = tuple(n if k == axis else 1 for k, n in enumerate(x.dims))
    if training:
        means, variances = moments(m, x, [k for k in range(x.ndim) if k != axis])
    else:
        means, variances = (m.along(p, [axis], around) for p in (old_mean, old_variance))
    roots = m.pointwise(x.dtype, lambda a: root(f.add(a, small)), variances)
    normal = m.pointwise(x.dtype, lambda a, u, r: f.div(f.sub(a, u), r), x, means, roots)
    out = affine(m, call, normal, gamma, beta, [axis])
    if not training:
        return out, m.copy(old_mean), m.copy(old_variance)
    share = A.real(call, "momentum")
    momentum, rest = f.lit(share), f.lit(1 - Fraction(share) if math.isfinite(share) else -share)

    def moved(old: Array, new: Array) -> Array:
        def element(c: Index) -> Payload:
            batch = new[tuple(c if k == axis else 0 for k in range(x.ndim))]
            return f.add(f.mul(rest, old[c,]), f.mul(momentum, batch))

        return m.tensor(old.dims, x.dtype, element)

    return out, moved(old_mean, means), moved(old_variance, variances)


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.nn.layer_norm", deduce_layer_norm, layer_norm, PAGE),
    defined("relax.nn.rms_norm", deduce_rms_norm, rms_norm, PAGE),
    defined("relax.nn.group_norm", deduce_group_norm, group_norm, PAGE),
    defined("relax.nn.instance_norm", deduce_instance_norm, instance_norm, PAGE),
    defined("relax.nn.batch_norm", deduce_batch_norm, batch_norm, PAGE),
)
