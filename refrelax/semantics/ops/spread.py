"""Axes from index values: one-hot, meshgrid, reversed sequences.

Spec: ``spec/ops/spread.md``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    joined_vdevice,
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
from refrelax.semantics.ops.meaning import Array, Index, Meaning, agree, cast, defined, replaced
from refrelax.semantics.ops.scatter import integer_indices
from refrelax.syntax.graph import Call
from refrelax.syntax.types import TupleType, Type

PAGE = "spread"


@rule("op.one_hot/equal-dtypes", "op.one_hot/axis-range", "op.one_hot/depth")
def deduce_one_hot(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The dims of the indices with ``depth`` inserted at ``axis``, at the dtype of the two values."""
    arity(d, call, 3)
    indices = integer_indices(d, call, tensor(d, call, types, 0))
    on, off = scalar_expression(d, call, types, 1), scalar_expression(d, call, types, 2)
    if on.dtype != off.dtype:
        d.fail("op.one_hot/equal-dtypes", f"{short(call)}: the two values are {on.dtype} and {off.dtype}")
    if A.integer(call, "depth") < 1:
        d.fail("op.one_hot/depth", f"{short(call)}: the depth must be positive, found {A.integer(call, 'depth')}")
    if rank(indices) == UNKNOWN:
        return of_rank(UNKNOWN, on.dtype, indices.vdevice)
    dims, axis, last = known_dims(indices), A.integer(call, "axis"), indices.ndim
    at = axis + last + 1 if axis < 0 else axis
    if not 0 <= at <= last:
        d.fail("op.one_hot/axis-range", f"{short(call)}: axis {axis} is not in [0, {last}]")
    if dims is None:
        return of_rank(last + 1, on.dtype, indices.vdevice)
    return with_dims((*dims[:at], D.imm(A.integer(call, "depth")), *dims[at:]), on.dtype, indices.vdevice)


def one_hot(m: Meaning, call: Call, indices: Array, on: Array, off: Array) -> Array:
    """``out[a, k, b] = on if indices[a, b] == k else off``: an index out of range gives ``off`` throughout."""
    axis, depth = A.integer(call, "axis"), A.integer(call, "depth")
    axis = axis + indices.ndim + 1 if axis < 0 else axis
    f, g, high, low = m.at(on.dtype), m.at("int64"), on[0,], off[0,]
    keys = m.tensor((depth,), "int64", lambda k: g.lit(k))
    dims = (*indices.dims[:axis], depth, *indices.dims[axis:])
    found = m.along(cast(m, indices, "int64"), [k for k in range(len(dims)) if k != axis], dims)
    return m.pointwise(on.dtype, lambda a, k: f.select(g.equal(a, k), high, low), found, m.along(keys, [axis], dims))


@rule("op.meshgrid/vectors", "op.meshgrid/indexing", "op.meshgrid/equal-dtypes")
def deduce_meshgrid(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """For each of the vectors, a tensor with one axis a vector, at the dtype that any of them is known to have;
    ``"xy"`` swaps the first two axes. Where one length is not known, no dim is."""
    arity(d, call, 1)
    found = tensors(d, call, types[0])
    if any(rank(t) != 1 for t in found):
        d.fail("op.meshgrid/vectors", f"{short(call)} takes tensors of rank 1")
    indexing = A.text(call, "indexing") or "ij"
    if indexing not in ("ij", "xy"):
        d.fail("op.meshgrid/indexing", f'{short(call)}: indexing must be "ij" or "xy", found {indexing!r}')
    known = [t.dtype for t in found if t.dtype is not None]
    if len(set(known)) > 1:
        d.fail("op.meshgrid/equal-dtypes", f"{short(call)} takes tensors of one dtype, found {sorted(set(known))}")
    dtype, vdevice = known[0] if known else None, joined_vdevice(*found)
    lengths = [dims[0] for dims in map(known_dims, found) if dims is not None]
    if len(lengths) < len(found):
        return TupleType((of_rank(len(found), dtype, vdevice),) * len(found))
    order = _mesh_order(indexing, len(found))
    return TupleType((with_dims([lengths[k] for k in order], dtype, vdevice),) * len(found))


def _mesh_order(indexing: str, count: int) -> list[int]:
    """Which vector each axis of the result goes with."""
    return [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else list(range(count))


def meshgrid(m: Meaning, call: Call, *xs: Array) -> tuple[Array, ...]:
    """``out_k[i] = x_k[i at the axis of vector k]``."""
    order = _mesh_order(A.text(call, "indexing") or "ij", len(xs))
    dims = [xs[k].dims[0] for k in order]
    return tuple(m.copy(m.along(x, [order.index(k)], dims)) for k, x in enumerate(xs))


@rule("op.reverse_sequence/lengths")
def deduce_reverse_sequence(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The data's type; the lengths are an int32 or int64 vector, one element a batch."""
    arity(d, call, 2)
    x, lengths = tensor(d, call, types, 0), tensor(d, call, types, 1)
    if rank(lengths) not in (1, UNKNOWN) or lengths.dtype not in (None, "int32", "int64"):
        d.fail("op.reverse_sequence/lengths", f"{short(call)}: the lengths must be an int32 or int64 vector")
    if rank(x) == UNKNOWN:
        return x
    normal_axis(d, call, rank(x), A.integer(call, "seq_axis"))
    batch = normal_axis(d, call, rank(x), A.integer(call, "batch_axis"))
    dims, own = known_dims(x), known_dims(lengths)
    if dims is not None and own is not None and d.equal(own[0], dims[batch]) is False:
        d.fail("op.reverse_sequence/lengths", f"{short(call)}: there is not one length a batch")
    return x


@rule("op.reverse_sequence/length-range")
def reverse_sequence(m: Meaning, call: Call, x: Array, lengths: Array) -> Array:
    """The first ``lengths[b]`` positions along ``seq_axis`` of batch ``b`` in reverse order."""
    axis, batch = A.integer(call, "seq_axis") % x.ndim, A.integer(call, "batch_axis") % x.ndim
    n, wrong = x.dims[axis], "op.reverse_sequence/length-range"
    m.require(agree(m, lengths.dims, (x.dims[batch],)), wrong, f"{lengths.dims} lengths for {x.dims}")
    given = m.indices(lengths.dims, lambda b: m.index_of(lengths[b,], lengths.dtype))

    def count(b: Index) -> Index:
        k = given[b,]
        return m.choose(m.every([k >= 0, k <= n]), lambda: k, lambda: m.ends(wrong, f"a length of {n}"))

    counts = m.indices(lengths.dims, count)

    def element(*i: Index) -> Payload:
        p, k = i[axis], counts[i[batch],]
        return x[replaced(i, axis, m.pick(p < k, k - 1 - p, p))]

    return m.tensor(x.dims, x.dtype, element)


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.one_hot", deduce_one_hot, one_hot, PAGE),
    defined("relax.meshgrid", deduce_meshgrid, meshgrid, PAGE),
    defined("relax.reverse_sequence", deduce_reverse_sequence, reverse_sequence, PAGE),
)
