"""Gathering and scattering by index tensors, advanced indexing.

A load out of range gives poison; a store out of range ends the run.

Spec: ``spec/ops/scatter.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload, ReduceOp
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    broadcast_all,
    integer_scalar,
    known_dims,
    normal_axis,
    of_rank,
    rank,
    short,
    tensor,
    tensors,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.create import scalar_expression
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import (
    Array,
    Family,
    Index,
    Meaning,
    Scalar,
    agree,
    defined,
    replaced,
)
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import TensorType, TupleType, Type

PAGE = "scatter"


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
    ranks = [rank(t) for t in types if rank(t) != UNKNOWN]
    if len(set(ranks)) > 1:
        d.fail("op.scatter/equal-ranks", f"{short(call)} takes tensors of one rank, found {ranks}")


# --- loads -----------------------------------------------------------------------------------------------------------


def deduce_gather_elements(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The dims of the indices at the data's dtype."""
    arity(d, call, 2)
    x, indices = tensor(d, call, types, 0), integer_indices(d, call, tensor(d, call, types, 1))
    if rank(x) != UNKNOWN:
        normal_axis(d, call, rank(x), A.integer(call, "axis"))
    if UNKNOWN in (rank(x), rank(indices)):
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    _one_rank(d, call, x, indices)
    return TensorType(indices.shape, x.dtype, indices.ndim, x.vdevice)


@rule("op.gather/out-of-range")
def outside(m: Meaning) -> Payload:
    """What a load out of range gives."""
    return m.poison("op.gather/out-of-range")


def gather_elements(m: Meaning, call: Call, x: Array, indices: Array) -> Array:
    """``out[i] = x[i with indices[i] at axis]``."""
    axis, other = A.integer(call, "axis") % x.ndim, outside(m)
    n = x.dims[axis]

    def element(*i: Index) -> Payload:
        return x.get(replaced(i, axis, m.counted(m.index_of(indices[i], indices.dtype), n)), other)

    return m.tensor(indices.dims, x.dtype, element)


@rule("op.gather_nd/int64-indices", "op.gather_nd/batch-dims", "op.gather_nd/depth")
def deduce_gather_nd(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``indices.shape[:-1]`` followed by the data's dims past the batch and the index depth."""
    arity(d, call, 2)
    x, indices, batch = tensor(d, call, types, 0), tensor(d, call, types, 1), A.integer(call, "batch_dims")
    if indices.dtype not in (None, "int64"):
        d.fail("op.gather_nd/int64-indices", f"{short(call)}: the indices must be int64, found {indices.dtype}")
    most = [rank(t) - less for t, less in ((x, 0), (indices, 1)) if rank(t) != UNKNOWN]
    if batch < 0 or any(batch > each for each in most):
        d.fail("op.gather_nd/batch-dims", f"{short(call)}: batch_dims {batch} exceeds a rank")
    if UNKNOWN in (rank(x), rank(indices)):
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    own, dims = known_dims(indices), known_dims(x)
    depth = as_int(own[-1]) if own else None
    if own is None or depth is None:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    if dims is None:
        return of_rank(rank(indices) + rank(x) - depth - 1 - batch, x.dtype, x.vdevice)
    if depth > len(dims) - batch:
        d.fail("op.gather_nd/depth", f"{short(call)}: an index of depth {depth} into {len(dims) - batch} axes")
    return with_dims((*own[:-1], *dims[batch + depth :]), x.dtype, x.vdevice)


def gather_nd(m: Meaning, call: Call, x: Array, indices: Array) -> Array:
    """``out[b, k, r] = x[b, indices[b, k, 0], …, indices[b, k, depth - 1], r]``."""
    batch, depth, lead, other = A.integer(call, "batch_dims"), index(indices.dims[-1]), indices.ndim - 1, outside(m)
    m.require(batch + depth <= x.ndim, "op.common/fits-run", f"{x.dims} at indices of depth {depth}")
    m.require(agree(m, indices.dims[:batch], x.dims[:batch]), "op.common/fits-run", f"batches of {x.dims}")
    sizes = x.dims[batch : batch + depth]

    def element(*i: Index) -> Payload:
        found = (m.index_of(indices[(*i[:lead], k)], indices.dtype) for k in range(depth))
        at = [m.counted(p, n) for p, n in zip(found, sizes, strict=True)]
        return x.get((*i[:batch], *at, *i[lead:]), other)

    return m.tensor((*indices.dims[:-1], *x.dims[batch + depth :]), x.dtype, element)


@rule("op.index_tensor/count")
def deduce_index_tensor(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The broadcast dims of the indices followed by the data's axes that they do not index."""
    arity(d, call, 2)
    x = tensor(d, call, types, 0)
    found = [integer_indices(d, call, t) for t in tensors(d, call, types[1])]
    if rank(x) != UNKNOWN and len(found) > rank(x):
        d.fail("op.index_tensor/count", f"{short(call)}: {len(found)} index tensors for {rank(x)} axes")
    whole, dims = broadcast_all(d, call, list(map(known_dims, found))), known_dims(x)
    if whole is None:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    if dims is None:
        ndim = UNKNOWN if rank(x) == UNKNOWN else len(whole) + rank(x) - len(found)
        return of_rank(ndim, x.dtype, x.vdevice)
    return with_dims((*whole, *dims[len(found) :]), x.dtype, x.vdevice)


def wrapped(m: Meaning, p: Index, n: Index) -> Index:
    """A negative index counts from the end, once."""
    return m.pick(p < 0, p + n, p)


def index_tensor(m: Meaning, call: Call, x: Array, *indices: Array) -> Array:
    """``out[k, r] = x[index_0[k], index_1[k], …, r]`` over the broadcast indices; a negative one wraps once."""
    dims, other = m.broadcast(*(t.dims for t in indices)), outside(m)
    views, cut = [m.spread(t, dims) for t in indices], len(dims)

    def element(*i: Index) -> Payload:
        found = (m.index_of(t[i[:cut]], t.dtype) for t in views)
        at = [m.counted(wrapped(m, p, n), n) for p, n in zip(found, x.dims, strict=False)]
        return x.get((*at, *i[cut:]), other)

    return m.tensor((*dims, *x.dims[len(indices) :]), x.dtype, element)


# --- stores ----------------------------------------------------------------------------------------------------------


@rule("op.scatter/out-of-range")
def stored(m: Meaning, at: Sequence[Index], dims: Sequence[Index], nothing: Index = False) -> Index:
    """The row-major position of a store; out of range ends the run, unless ``nothing`` is stored."""
    return m.stored(at, dims, "op.scatter/out-of-range", nothing)


@rule("op.scatter/reduction")
def settled(m: Meaning, x: Array, reduction: str, stores: Callable[[tuple[Index, ...]], Family]) -> Array:
    """``update`` keeps the last that was stored to an element; the others combine the data and all of it, in order."""
    f, op = m.at(x.dtype), COMBINED.get(reduction, "add")

    def element(*i: Index) -> Payload:
        new = stores(i)
        if reduction in ("update", ""):
            return m.last(x.dtype, m.after(x[i], new))
        whole = m.choose(m.size(new) == 0, lambda: x[i], lambda: f.reduce(op, m.after(x[i], new)))
        return f.div(whole, f.lit(m.size(new) + 1)) if reduction == "mean" else whole

    return m.tensor(x.dims, x.dtype, element)


@rule("op.index_put/one-value")
def undisputed(m: Meaning, x: Array, stores: Callable[[tuple[Index, ...]], Family], one: Index) -> Array:
    """What was stored to an element, if all of it is equal (or NaN), else poison; the data where nothing was stored.
    ``one``: a single value is stored everywhere, which agrees with itself whatever it is."""
    f, count = m.at(x.dtype), m.at("int64")
    zero, unit = count.lit(0), count.lit(1)

    def element(*i: Index) -> Payload:
        kept = m.last(x.dtype, m.after(x[i], stores(i)))

        def other(a: Payload) -> Payload:
            """Whether it is another value than the one that is kept."""
            number = count.select(f.equal(kept, kept), unit, zero)
            return count.select(f.equal(a, kept), zero, count.select(f.equal(a, a), unit, number))

        def alone() -> Payload:
            others = count.reduce("add", m.mapped(other, stores(i)))
            return f.select(count.equal(others, zero), kept, m.poison("op.index_put/one-value"))

        return m.choose(one, lambda: kept, lambda: m.choose(m.size(stores(i)) <= 1, lambda: kept, alone))

    return m.tensor(x.dims, x.dtype, element)


COMBINED: dict[str, ReduceOp] = {"add": "add", "mul": "mul", "min": "minimum", "max": "maximum", "mean": "add"}
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
    if rank(x) != UNKNOWN:
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
def scatter_elements(m: Meaning, call: Call, x: Array, indices: Array, updates: Array) -> Array:
    """``updates[i]`` is stored at ``i`` with ``indices[i]`` at ``axis``; a negative index counts from the end."""
    fit = agree(m, indices.dims, updates.dims)
    m.require(fit, "op.scatter_elements/extents", f"{indices.dims} and {updates.dims}")
    axis = A.integer(call, "axis") % x.ndim

    def spot(*i: Index) -> Index:
        p = wrapped(m, m.index_of(indices[i], indices.dtype), x.dims[axis])
        return stored(m, replaced(i, axis, p), x.dims)

    spots = m.indices(indices.dims, spot)
    at = m.arrivals(indices.dims, lambda *k: (spots[k],))
    return settled(m, x, A.text(call, "reduction"), lambda i: at((m.place(i, x.dims),), lambda *k: updates[k]))


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
    if rank(indices) == 0:
        d.fail("op.scatter_nd/constant-depth", f"{short(call)}: the indices have rank 0, and no last dim")
    dims, own, new = known_dims(x), known_dims(indices), known_dims(updates)
    if dims is not None and own is not None and new is not None:
        depth = as_int(own[-1])
        if depth is None:
            d.fail("op.scatter_nd/constant-depth", f"{short(call)}: the last dim of the indices must be a literal")
        expected = (*own[:-1], *dims[depth:])
        fits = depth <= len(dims) and len(expected) == len(new)
        if not fits or any(d.equal(a, b) is not True for a, b in zip(expected, new, strict=True)):
            d.fail("op.scatter_nd/updates-dims", f"{short(call)}: the updates do not fit data and indices")
    return of_rank(x.ndim, x.dtype, x.vdevice) if dims is None else with_dims(dims, x.dtype, x.vdevice)


@rule("op.scatter_nd/extents")
def scatter_nd(m: Meaning, call: Call, x: Array, indices: Array, updates: Array) -> Array:
    """``updates[k, r]`` is stored at ``(indices[k, 0], …, indices[k, depth - 1], r)``; negative counts from the end."""
    depth, lead = index(indices.dims[-1]), indices.dims[:-1]
    fit = m.every((depth <= x.ndim, agree(m, updates.dims, (*lead, *x.dims[depth:]))))
    m.require(fit, "op.scatter_nd/extents", f"{updates.dims}, {indices.dims}, {x.dims}")
    rows, nothing = x.dims[:depth], m.product(x.dims[depth:]) == 0

    def spot(*k: Index) -> Index:
        at = [wrapped(m, m.index_of(indices[(*k, j)], indices.dtype), n) for j, n in enumerate(rows)]
        return stored(m, at, rows, nothing)

    spots = m.indices(lead, spot)
    at = m.arrivals(lead, lambda *k: (spots[k],))

    def stores(i: tuple[Index, ...]) -> Family:
        return at((m.place(i[:depth], rows),), lambda *k: updates[(*k, *i[depth:])])

    return settled(m, x, A.text(call, "reduction"), stores)


@rule("op.index_put/count", "op.index_put/index-rank")
def deduce_index_put(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type; one index tensor an axis."""
    arity(d, call, 3)
    x, values = tensor(d, call, types, 0), tensor(d, call, types, 2)
    found = tensors(d, call, types[1]) if isinstance(types[1], TupleType) else [tensor(d, call, types, 1)]
    for t in found:
        if rank(t) == 0:
            d.fail("op.index_put/index-rank", f"{short(call)}: an index tensor has rank 0")
        integer_indices(d, call, t)
    if rank(x) not in (UNKNOWN, len(found)):
        d.fail("op.index_put/count", f"{short(call)}: {len(found)} index tensors for {rank(x)} axes")
    _one_dtype(d, call, x, values)
    dims = known_dims(x)
    return of_rank(x.ndim, x.dtype, x.vdevice) if dims is None else with_dims(dims, x.dtype, x.vdevice)


@rule("op.index_put/extents")
def index_put(m: Meaning, call: Call, x: Array, *operands: Array) -> Array:
    """``values[k]`` is stored at ``(index_0[k], index_1[k], …)``, the indices broadcast; added if ``accumulate``, else
    in any order."""
    *indices, values = operands
    one = m.product(values.dims) == 1
    dims = m.broadcast(*(t.dims for t in indices))
    views = [m.spread(t, dims) for t in indices]
    if m.taken(m.product(values.dims) == m.product(dims), True):
        values = m.reshaped(values, dims)
    else:
        fit = agree(m, m.broadcast(dims, values.dims, rule="op.index_put/extents"), dims)
        m.require(fit, "op.index_put/extents", f"{values.dims} values for {dims} positions")
        values = m.spread(values, dims)

    def spot(*k: Index) -> Index:
        at = [wrapped(m, m.index_of(t[k], t.dtype), n) for t, n in zip(views, x.dims, strict=True)]
        return stored(m, at, x.dims)

    spots = m.indices(dims, spot)
    at = m.arrivals(dims, lambda *k: (spots[k],))

    def stores(i: tuple[Index, ...]) -> Family:
        return at((m.place(i, x.dims),), lambda *k: values[k])

    return settled(m, x, "add", stores) if A.flag(call, "accumulate") else undisputed(m, x, stores, one)


@rule("op.slice_scatter/step", "op.slice_scatter/order", "op.slice_scatter/dims")
def deduce_slice_scatter(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type; the source has its dims, but for the number of positions along ``axis``."""
    arity(d, call, 5)
    x, source = tensor(d, call, types, 0), tensor(d, call, types, 1)
    axis = UNKNOWN if rank(x) == UNKNOWN else normal_axis(d, call, rank(x), A.integer(call, "axis"))
    _one_rank(d, call, x, source)
    _one_dtype(d, call, x, source)
    start, stop, step = (scalar_expression(d, call, types, k) for k in (2, 3, 4))
    for each, what in zip(types[2:], ("the start", "the end", "the step"), strict=True):
        integer_scalar(d, call, each, what)
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
def slice_scatter(m: Meaning, call: Call, x: Array, source: Array, *bounds: Scalar) -> Array:
    """``out[i] = source[i with (i[axis] - start) // step]`` on the positions of the slice, else ``x[i]``."""
    axis, (start, stop, step) = A.integer(call, "axis") % x.ndim, (each.index for each in bounds)
    m.require(step > 0, "op.slice_scatter/extents", f"the step {step}")
    count = m.most(0, -((start - stop) // step))
    inside = m.some((m.product(source.dims) == 0, m.every((start >= 0, stop <= x.dims[axis]))))
    fit = m.every((agree(m, source.dims, replaced(x.dims, axis, count)), inside))
    m.require(fit, "op.slice_scatter/extents", f"{source.dims} into [{start}, {stop}) of {x.dims}")

    def element(*i: Index) -> Payload:
        p = i[axis] - start
        inside = m.every((p >= 0, i[axis] < stop, p % step == 0))
        return m.choose(inside, lambda: source[replaced(i, axis, p // step)], lambda: x[i])

    return m.tensor(x.dims, x.dtype, element)


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.gather_elements", deduce_gather_elements, gather_elements, PAGE),
    defined("relax.gather_nd", deduce_gather_nd, gather_nd, PAGE),
    defined("relax.index_tensor", deduce_index_tensor, index_tensor, PAGE),
    defined("relax.scatter_elements", deduce_scatter_elements, scatter_elements, PAGE),
    defined("relax.scatter_nd", deduce_scatter_nd, scatter_nd, PAGE),
    defined("relax.index_put", deduce_index_put, index_put, PAGE),
    defined("relax.slice_scatter", deduce_slice_scatter, slice_scatter, PAGE),
)
