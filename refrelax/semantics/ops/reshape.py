"""The same elements under another shape, or in another order of axes.

Spec: ``spec/ops/reshape.md``.
"""

from __future__ import annotations

from math import prod

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    as_checked,
    broadcast_view,
    copy,
    dims_of,
    extents,
    known_dims,
    normal_axes,
    of_rank,
    rank,
    shape_argument,
    shaped_like,
    short,
    tensor,
    tensor_value,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.values import Tensor, Value
from refrelax.syntax.graph import Call, ShapeExpr
from refrelax.syntax.scalars import PrimExpr, as_int
from refrelax.syntax.types import TensorType, Type

PAGE = "reshape"

# --- reshape ---------------------------------------------------------------------------------------------------------


@rule("op.reshape/inferred-dim", "op.reshape/positive-dims")
def _written_dims(d: Deduction, call: Call, x: TensorType, dims: tuple[PrimExpr, ...]) -> tuple[PrimExpr, ...]:
    """The target dims: a literal 0 becomes the argument's dim there, and one literal -1 what is left over."""
    literals = [as_int(each) for each in dims]
    if any(each is not None and each < -1 for each in literals):
        d.fail("op.reshape/positive-dims", f"{short(call)}: a dim of the new shape is negative")
    if literals.count(-1) > 1:
        d.fail("op.reshape/inferred-dim", f"{short(call)}: more than one dim of the new shape is -1")
    if 0 not in literals and -1 not in literals:
        return dims
    own = dims_of(d, x)
    if own is None and (-1 in literals):
        d.fail("op.reshape/inferred-dim", f"{short(call)}: -1 needs an argument with known dims")
    if own is None:
        return dims
    result = [own[k] if literals[k] == 0 and k < len(own) else each for k, each in enumerate(dims)]
    if -1 in literals:
        rest = D.product([each for k, each in enumerate(result) if literals[k] != -1])
        result[literals.index(-1)] = d.simplify(D.floordiv(D.product(own), rest))
    return tuple(result)


@rule("op.reshape/element-count")
def deduce_reshape(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The target shape at the argument's dtype; a provably different number of elements is an error."""
    arity(d, call, 2)
    x, target = tensor(d, call, types, 0), shape_argument(d, call, types, 1)
    result = shaped_like(call, 1, target, x.dtype, x.vdevice)
    if isinstance(call.args[1], ShapeExpr) and isinstance(result.shape, tuple):
        result = with_dims(_written_dims(d, call, x, result.shape), x.dtype, x.vdevice)
    old, new = dims_of(d, x), result.shape if isinstance(result.shape, tuple) else None
    if old is not None and new is not None and d.equal(D.product(old), D.product(new)) is False:
        d.fail(
            "op.reshape/element-count", f"{short(call)}: the new shape has another number of elements than the argument"
        )
    return result


@rule("op.reshape/element-count-run")
def evaluate_reshape(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """The element at row-major position ``p`` of the result is the one at position ``p`` of the argument."""
    x, shape = tensor_value(args[0]), list(extents(args[1]))
    if isinstance(call.args[1], ShapeExpr):
        copied = [k for k, dim in enumerate(call.args[1].values) if as_int(dim) == 0 and k < x.ndim]
        if -1 in shape:  # what is copied stands on both sides, whether or not it is empty
            rest = prod(n for k, n in enumerate(shape) if k not in copied and n != -1)
            left = prod(n for k, n in enumerate(x.shape) if k not in copied)
            shape[shape.index(-1)] = left // rest if rest else 0
        for k in copied:
            shape[k] = x.shape[k]
    if prod(shape) != x.size:
        raise unspecified("op.reshape/element-count-run", f"{x.shape} as {tuple(shape)}", e.span)
    return copy(e, x, tuple(shape))


def deduce_flatten(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """One axis with all elements."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    if rank(x) == 0:
        return with_dims((D.ONE,), x.dtype, x.vdevice)
    if rank(x) == 1:
        return x
    dims = known_dims(x)
    return of_rank(1, x.dtype, x.vdevice) if dims is None else with_dims((D.product(dims),), x.dtype, x.vdevice)


def evaluate_flatten(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """The elements in row-major order."""
    x = tensor_value(args[0])
    return copy(e, x, (x.size,))


@rule("op.nn.batch_flatten/rank")
def deduce_batch_flatten(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``(batch, all the rest)``."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    if rank(x) in (0, 1):
        d.fail("op.nn.batch_flatten/rank", f"{short(call)} takes a tensor of rank 2 or more, found rank {rank(x)}")
    if rank(x) == 2:
        return x
    dims = known_dims(x)
    if dims is None:
        return of_rank(2, x.dtype, x.vdevice)
    return with_dims((dims[0], D.product(dims[1:])), x.dtype, x.vdevice)


def evaluate_batch_flatten(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """The elements of each batch in row-major order."""
    x = tensor_value(args[0])
    return copy(e, x, (x.shape[0], prod(x.shape[1:])))


# --- axes of extent 1 ------------------------------------------------------------------------------------------------


def deduce_expand_dims(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """A 1 at each of ``axis``, which are positions in the result."""
    arity(d, call, 1)
    x, axes = tensor(d, call, types, 0), A.int_list(call, "axis")
    if not axes:
        return x
    if rank(x) == UNKNOWN:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    ndim = rank(x) + len(axes)
    new = normal_axes(d, call, ndim, axes)
    dims = known_dims(x)
    if dims is None:
        return of_rank(ndim, x.dtype, x.vdevice)
    rest = iter(dims)
    return with_dims([D.ONE if axis in new else next(rest) for axis in range(ndim)], x.dtype, x.vdevice)


def evaluate_expand_dims(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """The same elements; an axis of extent 1 at each of ``axis``."""
    x, axes = tensor_value(args[0]), A.int_list(call, "axis")
    ndim = x.ndim + len(axes)
    new = [axis % ndim for axis in axes]
    rest = iter(x.shape)
    return copy(e, x, tuple(1 if axis in new else next(rest) for axis in range(ndim)))


def deduce_squeeze(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The axes of extent 1 taken out: all, or those of ``axis``. A symbolic dim among ``axis`` is taken for 1."""
    arity(d, call, 1)
    x, axes = tensor(d, call, types, 0), A.integers(call, "axis")
    if axes == []:
        return x
    if rank(x) == UNKNOWN:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    chosen = None if axes is None else normal_axes(d, call, rank(x), axes)
    dims = dims_of(d, x)
    if dims is None:
        return of_rank(UNKNOWN if chosen is None else rank(x) - len(chosen), x.dtype, x.vdevice)
    if chosen is None and any(as_int(dim) is None for dim in dims):
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    candidates = range(len(dims)) if chosen is None else chosen
    gone = [axis for axis in candidates if as_int(dims[axis]) in (None, 1)]
    left = [dim for axis, dim in enumerate(dims) if axis not in gone]
    if isinstance(x.shape, str):
        return x if not gone else of_rank(UNKNOWN if axes is None else len(left), x.dtype, x.vdevice)
    return with_dims(left, x.dtype, x.vdevice)


@rule("op.squeeze/extent-one")
def evaluate_squeeze(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """The same elements without the chosen axes of extent 1; a symbolic extent among ``axis`` that is not 1 is open."""
    x, axes, said = tensor_value(args[0]), A.integers(call, "axis"), as_checked(e, call, 0)
    chosen = range(x.ndim) if axes is None else [axis % x.ndim for axis in axes]
    dims = None if said is None else known_dims(said)
    for axis in chosen if axes is not None and (said is None or rank(said) != UNKNOWN) else ():
        if x.shape[axis] != 1 and (dims is None or as_int(dims[axis]) is None):
            raise unspecified("op.squeeze/extent-one", f"{short(call)}: axis {axis} of {x.shape}", e.span)
    return copy(e, x, tuple(n for axis, n in enumerate(x.shape) if axis not in chosen or n != 1))


# --- order of axes ---------------------------------------------------------------------------------------------------


@rule("op.permute_dims/axes-count")
def deduce_permute_dims(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``out.shape[k] = x.shape[axes[k]]``; without ``axes`` the axes are reversed."""
    arity(d, call, 1)
    x, axes = tensor(d, call, types, 0), A.integers(call, "axes")
    ndim = rank(x)
    if ndim == UNKNOWN:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    if axes is not None and len(axes) != ndim:
        d.fail("op.permute_dims/axes-count", f"{short(call)}: {len(axes)} axes for a tensor of rank {ndim}")
    order = list(range(ndim))[::-1] if axes is None else normal_axes(d, call, ndim, axes)
    if order == list(range(ndim)):
        return x
    dims = known_dims(x)
    return (
        of_rank(ndim, x.dtype, x.vdevice) if dims is None else with_dims([dims[a] for a in order], x.dtype, x.vdevice)
    )


def evaluate_permute_dims(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i_0, …, i_n] = x[j]`` with ``j[axes[k]] = i_k``."""
    x, axes = tensor_value(args[0]), A.integers(call, "axes")
    order = list(range(x.ndim))[::-1] if axes is None else [axis % x.ndim for axis in axes]
    return copy(e, permuted(x, order))


def permuted(x: Tensor, order: list[int]) -> Tensor:
    """``x`` seen with its axes in another order."""
    shape, strides = tuple(x.shape[axis] for axis in order), tuple(x.strides[axis] for axis in order)
    return Tensor(x.dtype, shape, x.storage, x.numerics, x.offset, strides)


# --- broadcasting ----------------------------------------------------------------------------------------------------


@rule("op.broadcast_to/rank", "op.broadcast_to/dims")
def deduce_broadcast_to(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The target shape at the argument's dtype; a dim that is provably neither 1 nor the target's is an error."""
    arity(d, call, 2)
    x, target = tensor(d, call, types, 0), shape_argument(d, call, types, 1)
    result = shaped_like(call, 1, target, x.dtype, x.vdevice)
    if UNKNOWN not in (rank(x), rank(result)) and rank(result) < rank(x):
        d.fail(
            "op.broadcast_to/rank", f"{short(call)}: the target rank {rank(result)} is below the argument's {rank(x)}"
        )
    own = dims_of(d, x)
    if own is None or not isinstance(result.shape, tuple):
        return result
    for k in range(1, len(own) + 1):
        if not D.is_one(own[-k]) and d.equal(own[-k], result.shape[-k]) is False:
            d.fail("op.broadcast_to/dims", f"{short(call)}: axis {len(own) - k} does not broadcast to the target")
    return result


@rule("op.broadcast_to/extents")
def evaluate_broadcast_to(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i] = x[i']``, ``i'`` being ``i`` aligned at the right, with 0 on every axis of extent 1."""
    x, shape = tensor_value(args[0]), extents(args[1])
    fits = len(shape) >= x.ndim and all(n in (1, m) for n, m in zip(x.shape[::-1], shape[::-1], strict=False))
    if not fits:
        raise unspecified("op.broadcast_to/extents", f"{x.shape} to {shape}", e.span)
    e.no_negative(shape)
    return copy(e, broadcast_view(x, shape))


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.reshape", deduce_reshape, evaluate_reshape, PAGE),
    OpDef("relax.flatten", deduce_flatten, evaluate_flatten, PAGE),
    OpDef("relax.nn.batch_flatten", deduce_batch_flatten, evaluate_batch_flatten, PAGE),
    OpDef("relax.expand_dims", deduce_expand_dims, evaluate_expand_dims, PAGE),
    OpDef("relax.squeeze", deduce_squeeze, evaluate_squeeze, PAGE),
    OpDef("relax.permute_dims", deduce_permute_dims, evaluate_permute_dims, PAGE),
    OpDef("relax.broadcast_to", deduce_broadcast_to, evaluate_broadcast_to, PAGE),
)
