"""Gathering and scattering by index tensors, advanced indexing.

A load out of range gives poison; a store out of range ends the run.

Spec: ``spec/ops/scatter.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.numbers.strict import is_strict
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    broadcast_dims,
    broadcast_shape,
    broadcast_view,
    extent,
    fits,
    index_of,
    known_dims,
    normal_axis,
    of_rank,
    rank,
    replace,
    short,
    tensor,
    tensor_value,
    tensor_values,
    tensors,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.create import scalar_expression
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.values import Tensor, Value
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import TensorType, TupleType, Type

PAGE = "scatter"

OUT_OF_RANGE = poison("op.gather/out-of-range")


@rule("op.scatter/integer-indices")
def integer_indices(d: Deduction, call: Call, t: TensorType) -> TensorType:
    if t.dtype is not None and not dtypes.is_integer(t.dtype):
        d.fail("op.scatter/integer-indices", f"{short(call)}: the indices must be integers, found {t.dtype}")
    return t


@rule("op.scatter/equal-dtypes")
def _one_dtype(d: Deduction, call: Call, data: TensorType, other: TensorType) -> None:
    if None not in (data.dtype, other.dtype) and data.dtype != other.dtype:
        d.fail("op.scatter/equal-dtypes", f"{short(call)}: the data is {data.dtype}, what is stored {other.dtype}")


@rule("op.scatter/equal-ranks")
def _one_rank(d: Deduction, call: Call, *types: TensorType) -> None:
    ranks = [rank(t) for t in types]
    if UNKNOWN not in ranks and len(set(ranks)) > 1:
        d.fail("op.scatter/equal-ranks", f"{short(call)} takes tensors of one rank, found {ranks}")


# --- loads -----------------------------------------------------------------------------------------------------------


def deduce_gather_elements(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The dims of the indices at the data's dtype."""
    arity(d, call, 2)
    x, indices = tensor(d, call, types, 0), integer_indices(d, call, tensor(d, call, types, 1))
    if UNKNOWN in (rank(x), rank(indices)):
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    normal_axis(d, call, rank(x), A.integer(call, "axis"))
    _one_rank(d, call, x, indices)
    return TensorType(indices.shape, x.dtype, indices.ndim, x.vdevice)


@rule("op.gather/out-of-range")
def load(x: Tensor, at: Sequence[int]) -> Payload:
    """The element at an index, poison out of range (under ``strict`` a negative index counts from the end)."""
    if is_strict(x.numerics):
        at = [p + n if p < 0 else p for p, n in zip(at, x.shape, strict=True)]
    inside = all(0 <= p < n for p, n in zip(at, x.shape, strict=True))
    return x[tuple(at)] if inside else OUT_OF_RANGE


def evaluate_gather_elements(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i] = x[i with indices[i] at axis]``."""
    x, indices = tensor_value(args[0]), tensor_value(args[1])
    axis = A.integer(call, "axis") % x.ndim
    return e.tabulate(x.dtype, indices.shape, lambda *i: load(x, replace(i, axis, index_of(e, indices, i))))


@rule("op.gather_nd/int64-indices", "op.gather_nd/batch-dims", "op.gather_nd/depth")
def deduce_gather_nd(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``indices.shape[:-1]`` followed by the data's dims past the batch and the index depth."""
    arity(d, call, 2)
    x, indices, batch = tensor(d, call, types, 0), tensor(d, call, types, 1), A.integer(call, "batch_dims")
    if indices.dtype not in (None, "int64"):
        d.fail("op.gather_nd/int64-indices", f"{short(call)}: the indices must be int64, found {indices.dtype}")
    if UNKNOWN in (rank(x), rank(indices)):
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    if not 0 <= batch <= min(rank(x), rank(indices) - 1):
        d.fail("op.gather_nd/batch-dims", f"{short(call)}: batch_dims {batch} exceeds a rank")
    own, dims = known_dims(indices), known_dims(x)
    depth = as_int(own[-1]) if own else None
    if own is None or depth is None:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    if dims is None:
        return of_rank(rank(indices) + rank(x) - depth - 1 - batch, x.dtype, x.vdevice)
    if depth > len(dims) - batch:
        d.fail("op.gather_nd/depth", f"{short(call)}: an index of depth {depth} into {len(dims) - batch} axes")
    return with_dims((*own[:-1], *dims[batch + depth :]), x.dtype, x.vdevice)


def evaluate_gather_nd(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[b, k, r] = x[b, indices[b, k, 0], …, indices[b, k, depth - 1], r]``."""
    x, indices, batch = tensor_value(args[0]), tensor_value(args[1]), A.integer(call, "batch_dims")
    depth, lead = indices.shape[-1], indices.ndim - 1
    fits(e, call, batch + depth <= x.ndim, f"{x.shape} at indices of depth {depth}")
    fits(e, call, indices.shape[:batch] == x.shape[:batch], f"batches {x.shape[:batch]} and {indices.shape[:batch]}")

    def element(*i: int) -> Payload:
        at = [index_of(e, indices, (*i[:lead], k)) for k in range(depth)]
        return load(x, (*i[:batch], *at, *i[lead:]))

    return e.tabulate(x.dtype, (*indices.shape[:-1], *x.shape[batch + depth :]), element)


@rule("op.index_tensor/count")
def deduce_index_tensor(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The broadcast dims of the indices followed by the data's axes that they do not index."""
    arity(d, call, 2)
    x = tensor(d, call, types, 0)
    found = [integer_indices(d, call, t) for t in tensors(d, call, types[1])]
    if rank(x) != UNKNOWN and len(found) > rank(x):
        d.fail("op.index_tensor/count", f"{short(call)}: {len(found)} index tensors for {rank(x)} axes")
    whole: D.Dims | None = ()
    for t in found:
        own = known_dims(t)
        whole = None if whole is None or own is None else broadcast_dims(d, call, whole, own)
    dims = known_dims(x)
    if whole is None:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    if dims is None:
        ndim = UNKNOWN if rank(x) == UNKNOWN else len(whole) + rank(x) - len(found)
        return of_rank(ndim, x.dtype, x.vdevice)
    return with_dims((*whole, *dims[len(found) :]), x.dtype, x.vdevice)


def _wrapped(index: int, n: int) -> int:
    """A negative index counts from the end, once."""
    return index + n if index < 0 else index


def evaluate_index_tensor(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[k, r] = x[index_0[k], index_1[k], …, r]`` over the broadcast indices; a negative one wraps once."""
    x, indices = tensor_value(args[0]), tensor_values(args[1])
    shape = broadcast_shape(e, *(t.shape for t in indices))
    views = [broadcast_view(t, shape) for t in indices]

    def element(*i: int) -> Payload:
        k = i[: len(shape)]
        at = [_wrapped(index_of(e, t, k), n) for t, n in zip(views, x.shape, strict=False)]
        return load(x, (*at, *i[len(shape) :]))

    return e.tabulate(x.dtype, (*shape, *x.shape[len(indices) :]), element)


# --- stores ----------------------------------------------------------------------------------------------------------


class Cells:
    """The elements of a result, and what is stored to each, in order."""

    def __init__(self, e: Evaluation, x: Tensor) -> None:
        self.e, self.x = e, x
        self.stored: dict[tuple[int, ...], list[Payload]] = {}

    @rule("op.scatter/out-of-range")
    def store(self, at: tuple[int, ...], payload: Payload) -> None:
        """One more payload for an element; out of range ends the run."""
        if not all(0 <= p < n for p, n in zip(at, self.x.shape, strict=True)):
            raise unspecified("op.scatter/out-of-range", f"a store at {list(at)} of {self.x.shape}", self.e.span)
        self.stored.setdefault(at, []).append(payload)

    @rule("op.scatter/reduction")
    def settle(self, reduction: str) -> Tensor:
        """``update`` keeps the last; the others combine the data and all that was stored."""
        x, f = self.x, self.e.numerics.at(self.x.dtype)

        def element(*i: int) -> Payload:
            new = self.stored.get(i)
            if new is None:
                return x[i]
            match reduction:
                case "update" | "":
                    return new[-1]
                case "add":
                    return f.reduce("add", [x[i], *new])
                case "mul":
                    return f.reduce("mul", [x[i], *new])
                case "min":
                    return f.reduce("minimum", [x[i], *new])
                case "max":
                    return f.reduce("maximum", [x[i], *new])
                case _:
                    return f.div(f.reduce("add", [x[i], *new]), f.lit(len(new) + 1))

        return self.e.tabulate(x.dtype, x.shape, element)


REDUCTIONS = ("update", "add", "mul", "mean", "min", "max")


def _reduction(d: Deduction, call: Call) -> None:
    if A.text(call, "reduction") not in REDUCTIONS:
        d.fail("op.scatter/reduction", f"{short(call)}: no reduction {A.text(call, 'reduction')!r}")


@rule("op.scatter_elements/dims")
def deduce_scatter_elements(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type; indices and updates have one shape, and the data's rank."""
    arity(d, call, 3)
    x, indices, updates = (tensor(d, call, types, k) for k in range(3))
    _reduction(d, call)
    if rank(x) == UNKNOWN:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    normal_axis(d, call, rank(x), A.integer(call, "axis"))
    _one_rank(d, call, x, indices, updates)
    _one_dtype(d, call, x, updates)
    integer_indices(d, call, indices)
    a, b = known_dims(indices), known_dims(updates)
    if a is not None and b is not None and any(d.equal(p, q) is False for p, q in zip(a, b, strict=True)):
        d.fail("op.scatter_elements/dims", f"{short(call)}: indices and updates differ in shape")
    dims = known_dims(x)
    return of_rank(x.ndim, x.dtype, x.vdevice) if dims is None else with_dims(dims, x.dtype, x.vdevice)


@rule("op.scatter_elements/extents")
def evaluate_scatter_elements(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``updates[i]`` is stored at ``i`` with ``indices[i]`` at ``axis``; a negative index counts from the end."""
    x, indices, updates = (tensor_value(each) for each in args)
    if indices.shape != updates.shape:
        raise unspecified("op.scatter_elements/extents", f"{indices.shape} and {updates.shape}", e.span)
    axis, cells = A.integer(call, "axis") % x.ndim, Cells(e, x)
    for i in indices.indices():
        cells.store(replace(i, axis, _wrapped(index_of(e, indices, i), x.shape[axis])), updates[i])
    return cells.settle(A.text(call, "reduction"))


@rule("op.scatter_nd/known-dtypes", "op.scatter_nd/constant-depth", "op.scatter_nd/updates-dims")
def deduce_scatter_nd(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type; ``updates.shape == indices.shape[:-1] + data.shape[depth:]``."""
    arity(d, call, 3)
    x, indices, updates = (tensor(d, call, types, k) for k in range(3))
    _reduction(d, call)
    if x.dtype is None or updates.dtype is None:
        d.fail("op.scatter_nd/known-dtypes", f"{short(call)}: the dtypes of data and updates must be known")
    _one_dtype(d, call, x, updates)
    integer_indices(d, call, indices)
    dims, own, new = known_dims(x), known_dims(indices), known_dims(updates)
    if dims is not None and own is not None and new is not None:
        depth = as_int(own[-1]) if own else None
        if depth is None:
            d.fail("op.scatter_nd/constant-depth", f"{short(call)}: the last dim of the indices must be a literal")
        expected = (*own[:-1], *dims[depth:])
        fits = depth <= len(dims) and len(expected) == len(new)
        if not fits or any(d.equal(a, b) is not True for a, b in zip(expected, new, strict=True)):
            d.fail("op.scatter_nd/updates-dims", f"{short(call)}: the updates do not fit data and indices")
    return of_rank(x.ndim, x.dtype, x.vdevice) if dims is None else with_dims(dims, x.dtype, x.vdevice)


@rule("op.scatter_nd/extents")
def evaluate_scatter_nd(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``updates[k, r]`` is stored at ``(indices[k, 0], …, indices[k, depth - 1], r)``; negative counts from the end."""
    x, indices, updates = (tensor_value(each) for each in args)
    depth = indices.shape[-1]
    if depth > x.ndim or updates.shape != (*indices.shape[:-1], *x.shape[depth:]):
        raise unspecified("op.scatter_nd/extents", f"{updates.shape}, {indices.shape}, {x.shape}", e.span)
    cells = Cells(e, x)
    for k in product(*(range(n) for n in indices.shape[:-1])):
        at = [_wrapped(index_of(e, indices, (*k, j)), x.shape[j]) for j in range(depth)]
        for r in product(*(range(n) for n in x.shape[depth:])):
            cells.store((*at, *r), updates[(*k, *r)])
    return cells.settle(A.text(call, "reduction"))


@rule("op.index_put/count", "op.index_put/index-rank")
def deduce_index_put(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type; one index tensor an axis."""
    arity(d, call, 3)
    x, values = tensor(d, call, types, 0), tensor(d, call, types, 2)
    found = tensors(d, call, types[1]) if isinstance(types[1], TupleType) else [tensor(d, call, types, 1)]
    if rank(x) == UNKNOWN:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    for t in found:
        if rank(t) == 0:
            d.fail("op.index_put/index-rank", f"{short(call)}: an index tensor has rank 0")
        integer_indices(d, call, t)
    if len(found) != rank(x):
        d.fail("op.index_put/count", f"{short(call)}: {len(found)} index tensors for {rank(x)} axes")
    _one_dtype(d, call, x, values)
    dims = known_dims(x)
    return of_rank(x.ndim, x.dtype, x.vdevice) if dims is None else with_dims(dims, x.dtype, x.vdevice)


@rule("op.index_put/extents")
def evaluate_index_put(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``values[k]`` is stored at ``(index_0[k], index_1[k], …)``, the indices broadcast; added if ``accumulate``."""
    x, values = tensor_value(args[0]), tensor_value(args[2])
    indices = tensor_values(args[1]) if isinstance(args[1], tuple) else [tensor_value(args[1])]
    shape = broadcast_shape(e, *(t.shape for t in indices))
    views = [broadcast_view(t, shape) for t in indices]
    spots = list(product(*(range(n) for n in shape)))
    if values.size == len(spots):
        payloads = values.payloads()
    elif broadcast_shape(e, shape, values.shape) == shape:
        payloads = broadcast_view(values, shape).payloads()
    else:
        raise unspecified("op.index_put/extents", f"{values.shape} values for {shape} positions", e.span)
    cells = Cells(e, x)
    for k, payload in zip(spots, payloads, strict=True):
        cells.store(tuple(_wrapped(index_of(e, t, k), n) for t, n in zip(views, x.shape, strict=True)), payload)
    return cells.settle("add" if A.flag(call, "accumulate") else "update")


@rule("op.slice_scatter/step", "op.slice_scatter/order", "op.slice_scatter/dims")
def deduce_slice_scatter(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type; the source has its dims, but for the number of positions along ``axis``."""
    arity(d, call, 5)
    x, source = tensor(d, call, types, 0), tensor(d, call, types, 1)
    if rank(x) == UNKNOWN:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    axis = normal_axis(d, call, rank(x), A.integer(call, "axis"))
    _one_rank(d, call, x, source)
    _one_dtype(d, call, x, source)
    start, stop, step = (scalar_expression(d, call, types, k) for k in (2, 3, 4))
    a, b, s = as_int(start), as_int(stop), as_int(step)
    if s is not None and s < 1:
        d.fail("op.slice_scatter/step", f"{short(call)}: the step must be positive, found {s}")
    if a is not None and b is not None and b < a:
        d.fail("op.slice_scatter/order", f"{short(call)}: the slice ends at {b} before it starts at {a}")
    dims, own = known_dims(x), known_dims(source)
    if dims is not None and own is not None:
        count = D.floordiv(D.sub(D.add(D.sub(stop, start), step), D.ONE), step)
        wanted = (*dims[:axis], count, *dims[axis + 1 :])
        if any(d.equal(p, q) is False for p, q in zip(wanted, own, strict=True)):
            d.fail("op.slice_scatter/dims", f"{short(call)}: the source does not fit the slice")
    return TensorType(x.shape, x.dtype, x.ndim, x.vdevice)


@rule("op.slice_scatter/extents")
def evaluate_slice_scatter(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i] = source[i with (i[axis] - start) // step]`` on the positions of the slice, else ``x[i]``."""
    x, source = tensor_value(args[0]), tensor_value(args[1])
    start, stop, step = (extent(each) for each in args[2:5])
    axis = A.integer(call, "axis") % x.ndim
    wanted = replace(x.shape, axis, max(0, -((start - stop) // step)) if step > 0 else -1)
    if source.shape != wanted or (source.size and not 0 <= start <= stop <= x.shape[axis]):
        raise unspecified("op.slice_scatter/extents", f"{source.shape} into [{start}, {stop}) of {x.shape}", e.span)

    def element(*i: int) -> Payload:
        p = i[axis]
        inside = start <= p < stop and (p - start) % step == 0
        return source[replace(i, axis, (p - start) // step)] if inside else x[i]

    return e.tabulate(x.dtype, x.shape, element)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.gather_elements", deduce_gather_elements, evaluate_gather_elements, PAGE),
    OpDef("relax.gather_nd", deduce_gather_nd, evaluate_gather_nd, PAGE),
    OpDef("relax.index_tensor", deduce_index_tensor, evaluate_index_tensor, PAGE),
    OpDef("relax.scatter_elements", deduce_scatter_elements, evaluate_scatter_elements, PAGE),
    OpDef("relax.scatter_nd", deduce_scatter_nd, evaluate_scatter_nd, PAGE),
    OpDef("relax.index_put", deduce_index_put, evaluate_index_put, PAGE),
    OpDef("relax.slice_scatter", deduce_slice_scatter, evaluate_slice_scatter, PAGE),
)
