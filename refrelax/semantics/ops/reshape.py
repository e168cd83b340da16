"""The same elements under another shape, or in another order of axes.

Spec: ``spec/ops/reshape.md``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    dims_of,
    known_dims,
    normal_axes,
    of_rank,
    rank,
    shape_argument,
    shaped_like,
    short,
    tensor,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import Array, Extents, Meaning, defined
from refrelax.syntax.graph import Call, ShapeExpr
from refrelax.syntax.scalars import PrimExpr, as_int
from refrelax.syntax.types import TensorType, Type

PAGE = "reshape"

# --- reshape ---------------------------------------------------------------------------------------------------------


@rule("op.reshape/inferred-dim", "op.reshape/positive-dims")
def _written_dims(d: Deduction, call: Call, x: TensorType, dims: tuple[PrimExpr, ...]) -> tuple[PrimExpr, ...] | None:
    """The target dims: a literal 0 becomes the argument's dim there, and one literal -1 what is left over; ``None``
    where a 0 may stand for a dim that is not known."""
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
        place = literals.index(0)
        return dims if UNKNOWN != rank(x) <= place else None
    copied = [k for k in range(min(len(own), len(dims))) if literals[k] == 0]
    result = [own[k] if k in copied else each for k, each in enumerate(dims)]
    if -1 in literals:
        rest = D.product([each for k, each in enumerate(result) if literals[k] != -1 and k not in copied])
        left = D.product([each for k, each in enumerate(own) if k not in copied])
        none = as_int(rest) == 0
        result[literals.index(-1)] = D.ZERO if none else d.simplify(D.floordiv(left, rest))
    return tuple(result)


@rule("op.reshape/element-count")
def deduce_reshape(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The target shape at the argument's dtype, with the dims of ``op.reshape/inferred-dim``; a provably different
    number of elements is an error."""
    arity(d, call, 2)
    x, target = tensor(d, call, types, 0), shape_argument(d, call, types, 1)
    result = shaped_like(call, 1, target, x.dtype, x.vdevice)
    if isinstance(call.args[1], ShapeExpr) and isinstance(result.shape, tuple):
        written = _written_dims(d, call, x, result.shape)
        unknown = of_rank(len(result.shape), x.dtype, x.vdevice)
        result = unknown if written is None else with_dims(written, x.dtype, x.vdevice)
    old, new = dims_of(d, x), result.shape if isinstance(result.shape, tuple) else None
    if old is not None and new is not None and d.equal(D.product(old), D.product(new)) is False:
        d.fail(
            "op.reshape/element-count", f"{short(call)}: the new shape has another number of elements than the argument"
        )
    return result


@rule("op.reshape/element-count-run")
def reshape(m: Meaning, call: Call, x: Array, target: Extents) -> Array:
    """The element at row-major position ``p`` of the result is the one at position ``p`` of the argument."""
    size, written = m.product(x.dims), call.args[1].values if isinstance(call.args[1], ShapeExpr) else ()
    numbers = [as_int(n) for n in written]
    dims = [x.dims[k] if numbers[k:] and numbers[k] == 0 and k < x.ndim else n for k, n in enumerate(target)]
    if -1 in numbers:
        k = numbers.index(-1)
        copied = [axis for axis in range(x.ndim) if numbers[axis:] and numbers[axis] == 0]  # they stand on both sides
        rest = m.product(n for axis, n in enumerate(dims) if axis != k and axis not in copied)
        left = m.product(n for axis, n in enumerate(x.dims) if axis not in copied)
        dims[k] = m.choose(rest == 0, lambda: 0, lambda: left // rest)
    m.require(m.product(dims) == size, "op.reshape/element-count-run", f"{x.dims} as {tuple(dims)}")
    return m.reshaped(x, dims)


def deduce_flatten(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """One axis with all elements, of which the dim is the product of the dims, of rank 0 always 1; a vector's type as
    it is."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    if rank(x) == 0:
        return with_dims((D.ONE,), x.dtype, x.vdevice)
    if rank(x) == 1:
        return x
    dims = known_dims(x)
    return of_rank(1, x.dtype, x.vdevice) if dims is None else with_dims((D.product(dims),), x.dtype, x.vdevice)


def flatten(m: Meaning, call: Call, x: Array) -> Array:
    """The elements in row-major order."""
    return m.flat(x)


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


def batch_flatten(m: Meaning, call: Call, x: Array) -> Array:
    """The elements of each batch in row-major order."""
    return m.reshaped(x, (x.dims[0], m.product(x.dims[1:])))


# --- axes of extent 1 ------------------------------------------------------------------------------------------------


def deduce_expand_dims(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """A 1 at each of ``axis``, which are positions in the result: those of the argument's axes and of the new ones."""
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


def expand_dims(m: Meaning, call: Call, x: Array) -> Array:
    """The same elements; an axis of extent 1 at each of ``axis``."""
    axes = A.int_list(call, "axis")
    ndim = x.ndim + len(axes)
    new = [axis % ndim for axis in axes]
    rest = iter(x.dims)
    return m.reshaped(x, [1 if axis in new else next(rest) for axis in range(ndim)])


def deduce_squeeze(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The axes of extent 1 taken out: all, or those of ``axis``. A dim among ``axis`` that is no literal is taken for
    1. Without ``axis``, of an argument one of whose dims is no literal, not even the rank is known."""
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
def squeeze(m: Meaning, call: Call, x: Array) -> Array:
    """The same elements without the chosen axes of extent 1."""
    axes = A.integers(call, "axis")
    chosen = range(x.ndim) if axes is None else [axis % x.ndim for axis in axes]
    for axis in chosen if axes is not None else ():
        if not m.told(x, 0, axis):
            m.require(x.dims[axis] == 1, "op.squeeze/extent-one", f"axis {axis} of {x.dims}")
    gone = [k for k in chosen if m.taken(x.dims[k] == 1, guess=axes is not None)]
    return m.reshaped(x, [n for k, n in enumerate(x.dims) if k not in gone])


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


def permute_dims(m: Meaning, call: Call, x: Array) -> Array:
    """``out[i_0, …, i_n] = x[j]`` with ``j[axes[k]] = i_k``."""
    axes = A.integers(call, "axes")
    return m.copy(m.moved(x, list(range(x.ndim))[::-1] if axes is None else [axis % x.ndim for axis in axes]))


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
def broadcast_to(m: Meaning, call: Call, x: Array, dims: Extents) -> Array:
    """``out[i] = x[i']``, ``i'`` being ``i`` aligned at the right, with 0 on every axis of extent 1."""
    m.require(len(dims) >= x.ndim, "op.broadcast_to/extents", f"{x.dims} to {dims}")
    for n, wide in zip(x.dims[::-1], dims[::-1], strict=False):
        m.stretches(n, wide, "op.broadcast_to/extents", f"{x.dims} to {dims}")
    return m.copy(m.spread(x, dims))


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.reshape", deduce_reshape, reshape, PAGE, memory="either"),
    defined("relax.flatten", deduce_flatten, flatten, PAGE, memory="either"),
    defined("relax.nn.batch_flatten", deduce_batch_flatten, batch_flatten, PAGE),
    defined("relax.expand_dims", deduce_expand_dims, expand_dims, PAGE, memory="either"),
    defined("relax.squeeze", deduce_squeeze, squeeze, PAGE, memory="either"),
    defined("relax.permute_dims", deduce_permute_dims, permute_dims, PAGE, memory="either"),
    defined("relax.broadcast_to", deduce_broadcast_to, broadcast_to, PAGE, memory="either"),
)
