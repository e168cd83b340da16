"""Normalisations.

Sums of a float narrower than 32 bits are promised in float32: the data is converted, normalised there and rounded once
to its own dtype, and only then scaled and shifted. The variance is the population variance, in two passes.

Spec: ``spec/ops/norm.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    copy,
    known_dims,
    normal_axes,
    normal_axis,
    of_rank,
    rank,
    short,
    tensor,
    tensor_value,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.ops.reduce import mean_of, variance_of
from refrelax.semantics.values import Tensor, Value
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import TensorType, TupleType, Type

PAGE = "norm"


def wide(dtype: str) -> str:
    """The least dtype in which sums of ``dtype`` are promised: float32, or ``dtype`` itself if it is wider."""
    return "float32" if dtypes.is_float(dtype) and dtypes.bits(dtype) < 32 else dtype


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
    for own in shapes[1:]:
        for a, b in zip(shapes[0], own, strict=True):
            same = d.equal(a, b)
            if same is False:
                d.fail("op.norm/parameter-dims", f"{short(call)}: a parameter differs from the data on its axis")
            if same is None:
                return False
    return True


def _loose(x: TensorType, known: bool) -> TensorType:
    return x if known else of_rank(x.ndim, x.dtype, x.vdevice)


def deduce_layer_norm(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type."""
    known = _parameters(d, call, types, 3, A.int_list(call, "axes"))
    return _loose(tensor(d, call, types, 0), known)


def deduce_rms_norm(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type."""
    known = _parameters(d, call, types, 2, A.int_list(call, "axes"))
    return _loose(tensor(d, call, types, 0), known)


def deduce_batch_norm(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The types of the data and of the two moving statistics."""
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
    """The data's type; the channels divide into the groups."""
    return _channelled(d, call, types, A.integer(call, "num_groups"))


def deduce_instance_norm(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type."""
    return _channelled(d, call, types, None)


# --- values ----------------------------------------------------------------------------------------------------------

Index = tuple[int, ...]
Statistics = tuple[Payload, Payload]


class Regions:
    """The elements that are normalised together, and their statistics, each computed once."""

    def __init__(self, x: Tensor, key: Callable[[Index], Index], of: Callable[[list[Payload]], Statistics]) -> None:
        members: dict[Index, list[Index]] = {}
        for at in x.indices():
            members.setdefault(key(at), []).append(at)
        self.key = key
        self.table = {k: of([x[at] for at in found]) for k, found in members.items()}

    def at(self, index: Index) -> Statistics:
        return self.table[self.key(index)]


def _moments(e: Evaluation, x: Tensor, epsilon: float) -> Callable[[list[Payload]], Statistics]:
    """The mean, and the reciprocal root of the variance plus epsilon, in the wide dtype."""
    acc = wide(x.dtype)
    f = e.numerics.at(acc)
    root, small = f.math("rsqrt"), f.lit(epsilon)

    def of(items: list[Payload]) -> Statistics:
        up = items if acc == x.dtype else [f.cast(a, x.dtype) for a in items]
        return mean_of(e, acc, up), root(f.add(variance_of(e, acc, up), small))

    return of


def _normalized(e: Evaluation, x: Tensor, regions: Regions, scale: Callable[[Index, Payload], Payload]) -> Tensor:
    """``scale((x - mean) * rsqrt(variance + epsilon))``, rounded to the data's dtype before it is scaled."""
    acc = wide(x.dtype)
    f, own = e.numerics.at(acc), e.numerics.at(x.dtype)

    def element(*i: int) -> Payload:
        mean, factor = regions.at(i)
        a = x[i] if acc == x.dtype else f.cast(x[i], x.dtype)
        value = f.mul(f.sub(a, mean), factor)
        return scale(i, value if acc == x.dtype else own.cast(value, acc))

    return e.tabulate(x.dtype, x.shape, element)


def _affine(
    f: Arithmetic, call: Call, gamma: Tensor, beta: Tensor, where: Callable[[Index], Index]
) -> Callable[[Index, Payload], Payload]:
    """``value * gamma + beta``, each only if its attribute asks for it."""
    scale, center = A.flag(call, "scale", True), A.flag(call, "center", True)

    def apply(i: Index, value: Payload) -> Payload:
        value = f.mul(value, gamma[where(i)]) if scale else value
        return f.add(value, beta[where(i)]) if center else value

    return apply


@rule("op.norm/parameter-extents")
def _same(e: Evaluation, call: Call, expected: tuple[int, ...], parameters: Sequence[Tensor]) -> None:
    for p in parameters:
        if p.shape != expected:
            raise unspecified("op.norm/parameter-extents", f"{short(call)}: {p.shape}, not {expected}", e.span)


def evaluate_layer_norm(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``(x - mean) * rsqrt(variance + epsilon) * gamma + beta``, the statistics over ``axes``."""
    x, gamma, beta = (tensor_value(each) for each in args)
    axes = [axis % x.ndim for axis in A.int_list(call, "axes")]
    _same(e, call, tuple(x.shape[axis] for axis in axes), (gamma, beta))
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    regions = Regions(x, lambda i: tuple(i[axis] for axis in kept), _moments(e, x, A.real(call, "epsilon")))
    affine = _affine(e.numerics.at(x.dtype), call, gamma, beta, lambda i: tuple(i[axis] for axis in axes))
    return _normalized(e, x, regions, affine)


def evaluate_rms_norm(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``x * rsqrt(mean(x**2) + epsilon) * weight``, all in the wide dtype, rounded once."""
    x, weight = tensor_value(args[0]), tensor_value(args[1])
    axes = [axis % x.ndim for axis in A.int_list(call, "axes")]
    _same(e, call, tuple(x.shape[axis] for axis in axes), (weight,))
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    acc = wide(x.dtype)
    f, own = e.numerics.at(acc), e.numerics.at(x.dtype)
    root, small = f.math("rsqrt"), f.lit(A.real(call, "epsilon"))

    def up(a: Payload) -> Payload:
        return a if acc == x.dtype else f.cast(a, x.dtype)

    def of(items: list[Payload]) -> Statistics:
        squares = [f.mul(a, a) for a in map(up, items)]
        return None, root(f.add(mean_of(e, acc, squares), small))

    regions = Regions(x, lambda i: tuple(i[axis] for axis in kept), of)

    def element(*i: int) -> Payload:
        value = f.mul(f.mul(regions.at(i)[1], up(x[i])), up(weight[tuple(i[axis] for axis in axes)]))
        return value if acc == x.dtype else own.cast(value, acc)

    return e.tabulate(x.dtype, x.shape, element)


@rule("op.nn.group_norm/group-count-run")
def evaluate_group_norm(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """As ``layer_norm``, over ``axes`` and the channels of one group."""
    x, gamma, beta = (tensor_value(each) for each in args)
    channel, groups = A.integer(call, "channel_axis") % x.ndim, A.integer(call, "num_groups")
    if x.shape[channel] % groups:
        raise unspecified("op.nn.group_norm/group-count-run", f"{x.shape[channel]} channels, {groups} groups", e.span)
    return _by_channel(e, call, x, gamma, beta, channel, max(x.shape[channel] // groups, 1))


def evaluate_instance_norm(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """As ``layer_norm``, over ``axes``; the parameters go with the channel axis."""
    x, gamma, beta = (tensor_value(each) for each in args)
    return _by_channel(e, call, x, gamma, beta, A.integer(call, "channel_axis") % x.ndim, 1)


def _by_channel(e: Evaluation, call: Call, x: Tensor, gamma: Tensor, beta: Tensor, channel: int, size: int) -> Tensor:
    """Statistics over ``axes`` and runs of ``size`` channels; parameters along the channel axis."""
    _same(e, call, (x.shape[channel],), (gamma, beta))
    axes = [axis % x.ndim for axis in A.int_list(call, "axes")]
    kept = [axis for axis in range(x.ndim) if axis not in axes]

    def key(i: Index) -> Index:
        return tuple(i[axis] // size if axis == channel else i[axis] for axis in kept)

    regions = Regions(x, key, _moments(e, x, A.real(call, "epsilon")))
    affine = _affine(e.numerics.at(x.dtype), call, gamma, beta, lambda i: (i[channel],))
    return _normalized(e, x, regions, affine)


def evaluate_batch_norm(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """``(x - mean) / sqrt(variance + epsilon) * gamma + beta`` and the moving statistics.

    In training the statistics are the batch's, over every axis but ``axis``, and the moving ones become
    ``(1 - momentum) * moving + momentum * batch``; else the moving ones are used and returned.
    """
    x, gamma, beta, mean, variance = (tensor_value(each) for each in args)
    axis = A.integer(call, "axis") % x.ndim
    _same(e, call, (x.shape[axis],), (gamma, beta, mean, variance))
    training = A.flag(call, "training", True)
    f = e.numerics.at(x.dtype)
    if training:
        rest = [range(n) if k != axis else range(1) for k, n in enumerate(x.shape)]
        lines = [[x[(*at[:axis], c, *at[axis + 1 :])] for at in product(*rest)] for c in range(x.shape[axis])]
        means = [mean_of(e, x.dtype, items) for items in lines]
        variances = [variance_of(e, x.dtype, items) for items in lines]
    else:
        means, variances = mean.payloads(), variance.payloads()
    root, small = f.math("sqrt"), f.lit(A.real(call, "epsilon"))
    roots = [root(f.add(each, small)) for each in variances]
    affine = _affine(f, call, gamma, beta, lambda i: (i[axis],))
    out = e.tabulate(x.dtype, x.shape, lambda *i: affine(i, f.div(f.sub(x[i], means[i[axis]]), roots[i[axis]])))
    if not training:
        return out, copy(e, mean), copy(e, variance)
    momentum = f.lit(A.real(call, "momentum", 0.1))
    rest_of_it = f.lit(1.0 - A.real(call, "momentum", 0.1))

    def moved(old: Tensor, new: list[Payload]) -> Tensor:
        return e.tabulate(x.dtype, old.shape, lambda c: f.add(f.mul(rest_of_it, old[c]), f.mul(momentum, new[c])))

    return out, moved(mean, means), moved(variance, variances)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.nn.layer_norm", deduce_layer_norm, evaluate_layer_norm, PAGE),
    OpDef("relax.nn.rms_norm", deduce_rms_norm, evaluate_rms_norm, PAGE),
    OpDef("relax.nn.group_norm", deduce_group_norm, evaluate_group_norm, PAGE),
    OpDef("relax.nn.instance_norm", deduce_instance_norm, evaluate_instance_norm, PAGE),
    OpDef("relax.nn.batch_norm", deduce_batch_norm, evaluate_batch_norm, PAGE),
)
