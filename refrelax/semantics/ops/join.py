"""Several tensors into one, one into several, and repetition.

Spec: ``spec/ops/join.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    joined_dims,
    joined_dtype,
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
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import Array, Index, Meaning, defined, replaced
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import PrimExpr, as_int
from refrelax.syntax.types import TensorType, TupleType, Type

PAGE = "join"

# --- concat and stack ------------------------------------------------------------------------------------------------


@rule("op.join/equal-ranks")
def _one_rank(d: Deduction, call: Call, found: list[TensorType]) -> int:
    ranks = [rank(t) for t in found if rank(t) != UNKNOWN]
    if any(each != ranks[0] for each in ranks):
        d.fail("op.join/equal-ranks", f"{short(call)} takes tensors of one rank, found {sorted(set(ranks))}")
    return ranks[0] if ranks else UNKNOWN


@rule("op.concat/flat")
def deduce_concat(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The dims of the tensors, summed along ``axis`` (of one tensor its type); without an axis, of vectors. Where a
    pair of dims on another axis is not provably equal, only the rank is known."""
    arity(d, call, 1)
    found = tensors(d, call, types[0])
    axis = A.optional_integer(call, "axis")
    dtype, vdevice, ndim = joined_dtype(d, call, found), joined_vdevice(*found), _one_rank(d, call, found)
    if axis is None and ndim not in (1, UNKNOWN):
        d.fail("op.concat/flat", f"{short(call)} without an axis takes tensors of rank 1, found rank {ndim}")
    ndim = 1 if axis is None else ndim
    if ndim == UNKNOWN:
        return found[0] if len(found) == 1 else of_rank(ndim, dtype, vdevice)
    axis = 0 if axis is None else normal_axis(d, call, ndim, axis)
    if len(found) == 1:
        return found[0]
    known = [dims for dims in map(known_dims, found) if dims is not None]
    agree = joined_dims(d, call, known, but=axis) if known else False
    if not agree or len(known) < len(found):
        return of_rank(ndim, dtype, vdevice)
    return with_dims(replace_dim(known[0], axis, _total([dims[axis] for dims in known])), dtype, vdevice)


def replace_dim(dims: D.Dims, axis: int, dim: PrimExpr) -> D.Dims:
    """``dims`` with one exchanged."""
    return (*dims[:axis], dim, *dims[axis + 1 :])


def _total(dims: list[PrimExpr]) -> PrimExpr:
    """The sum of several dims; of equal ones, a product."""
    if all(dim == dims[0] for dim in dims):
        return D.mul(dims[0], D.imm(len(dims)))
    total: PrimExpr = D.ZERO
    for dim in dims:
        total = D.add(total, dim)
    return total


@rule("op.join/equal-extents")
def _same_extents(m: Meaning, xs: Sequence[Array], but: int | None) -> None:
    """Deduction leaves dims that it cannot compare open; where they then differ, the run is open."""
    for x in xs[1:]:
        pairs = enumerate(zip(xs[0].dims, x.dims, strict=True))
        equal = m.every(n == k for axis, (n, k) in pairs if axis != but)
        m.require(equal, "op.join/equal-extents", f"{xs[0].dims} and {x.dims}")


def concat(m: Meaning, call: Call, *xs: Array) -> Array:
    """``out[i] = x_t[i with i[axis] - start_t]``, ``t`` the tensor whose range holds ``i[axis]``."""
    axis = (A.optional_integer(call, "axis") or 0) % xs[0].ndim
    _same_extents(m, xs, but=axis)
    piece = m.pieces([x.dims[axis] for x in xs])
    total = sum((x.dims[axis] for x in xs[1:]), xs[0].dims[axis])

    def element(*i: Index) -> Payload:
        return piece(i[axis], lambda t, p: xs[t][replaced(i, axis, p)])

    return m.tensor(replaced(xs[0].dims, axis, total), xs[0].dtype, element)


def deduce_stack(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The common dims with the number of tensors inserted at ``axis``, a position in the result; none counts as 0.
    Where a pair of dims is not provably equal, only the rank is known."""
    arity(d, call, 1)
    found = tensors(d, call, types[0])
    dtype, vdevice, ndim = joined_dtype(d, call, found), joined_vdevice(*found), _one_rank(d, call, found)
    if ndim == UNKNOWN:
        return of_rank(UNKNOWN, dtype, vdevice)
    axis = normal_axis(d, call, ndim + 1, A.optional_integer(call, "axis") or 0)
    known = [dims for dims in map(known_dims, found) if dims is not None]
    agree = joined_dims(d, call, known) if known else False
    if not agree or len(known) < len(found):
        return of_rank(ndim + 1, dtype, vdevice)
    return with_dims((*known[0][:axis], D.imm(len(found)), *known[0][axis:]), dtype, vdevice)


def stack(m: Meaning, call: Call, *xs: Array) -> Array:
    """``out[…, t, …] = x_t[…]``, ``t`` at ``axis``."""
    axis = (A.optional_integer(call, "axis") or 0) % (xs[0].ndim + 1)
    _same_extents(m, xs, but=None)
    piece = m.pieces([1] * len(xs))

    def element(*i: Index) -> Payload:
        return piece(i[axis], lambda t, _p: xs[t][(*i[:axis], *i[axis + 1 :])])

    return m.tensor((*xs[0].dims[:axis], len(xs), *xs[0].dims[axis:]), xs[0].dtype, element)


# --- split -----------------------------------------------------------------------------------------------------------


MOST_SECTIONS = 1 << 16
"""A tuple of more fields is no value that a program could name."""


@rule("op.split/sections")
def deduce_split(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """A tuple of pieces along ``axis``, or the argument's type where there is one piece. A number of sections makes so
    many, of ``ceil(n / sections)`` positions each, the last one of what is left. Indices make one piece more than there
    are: with a 0 before them, ``n`` behind them, and each brought to 0 or to ``n`` if it lies outside, a piece from
    each to below the next, of no position where the next is smaller."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    axis = UNKNOWN if rank(x) == UNKNOWN else normal_axis(d, call, rank(x), A.integer(call, "axis"))
    by_indices, cuts = A.is_list(call, "indices_or_sections"), A.int_list(call, "indices_or_sections")
    if not by_indices and cuts[0] < 1:
        d.fail("op.split/sections", f"{short(call)}: the number of sections must be positive, found {cuts[0]}")
    if not by_indices and cuts[0] > MOST_SECTIONS:
        d.fail("op.split/sections", f"{short(call)}: at most {MOST_SECTIONS} sections are made, found {cuts[0]}")
    count = len(cuts) + 1 if by_indices else cuts[0]
    if count == 1:
        return x
    dims = known_dims(x)
    if dims is None:
        return TupleType((of_rank(rank(x), x.dtype, x.vdevice),) * count)
    sizes = _cut_sizes(d, dims[axis], cuts) if by_indices else _section_sizes(d, call, dims[axis], count)
    return TupleType(tuple(with_dims(replace_dim(dims, axis, size), x.dtype, x.vdevice) for size in sizes))


def _cut_sizes(d: Deduction, dim: PrimExpr, cuts: list[int]) -> list[PrimExpr]:
    edges: list[PrimExpr] = [D.ZERO, *(D.imm(max(cut, 0)) for cut in cuts), dim]
    clamped = [D.minimum(edge, dim) for edge in edges]
    return [d.simplify(D.maximum(D.sub(b, a), D.ZERO)) for a, b in pairwise(clamped)]


def _section_sizes(d: Deduction, call: Call, dim: PrimExpr, count: int) -> list[PrimExpr]:
    size = d.simplify(D.ceildiv(dim, D.imm(count)))
    last = d.simplify(D.sub(dim, D.mul(size, D.imm(count - 1))))
    known = as_int(last)
    if known is not None and known < 0:
        d.fail("op.split/sections", f"{short(call)}: {as_int(dim)} elements do not make {count} sections")
    return [size] * (count - 1) + [last]


def split(m: Meaning, call: Call, x: Array) -> Array | tuple[Array, ...]:
    """``out_s[i] = x[i with i[axis] + start_s]``. One section, or no cut, gives the tensor itself."""
    axis = A.integer(call, "axis") % x.ndim
    n, cuts = x.dims[axis], A.int_list(call, "indices_or_sections")
    if A.is_list(call, "indices_or_sections"):
        edges = [0, *(m.least(max(cut, 0), n) for cut in cuts), n]
    else:
        size = -(-n // cuts[0])
        edges = [*(size * s for s in range(cuts[0])), n]
        m.require(edges[-2] <= n, "op.split/sections", f"{n} elements do not make {cuts[0]} sections")
    if len(edges) == 2:
        return x

    def piece(start: Index, size: Index) -> Array:
        starts = replaced((0,) * x.ndim, axis, start)
        return m.copy(m.strided(x, starts, (1,) * x.ndim, replaced(x.dims, axis, size)))

    return tuple(piece(a, m.most(b - a, 0)) for a, b in pairwise(edges))


# --- repetition ------------------------------------------------------------------------------------------------------


def deduce_repeat(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``axis`` times ``repeats``; without an axis, all elements in one axis. A negative number makes a negative extent
    (``ev/negative-extent``)."""
    arity(d, call, 1)
    x, repeats, axis = tensor(d, call, types, 0), A.integer(call, "repeats"), A.optional_integer(call, "axis")
    if axis is not None and rank(x) != UNKNOWN:
        axis = normal_axis(d, call, rank(x), axis)
    dims = known_dims(x)
    if dims is None:
        if axis is not None:
            return x if repeats == 1 else of_rank(rank(x), x.dtype, x.vdevice)
        return of_rank(1, x.dtype, x.vdevice)
    if axis is None:
        return with_dims((d.simplify(D.mul(D.product(dims), D.imm(repeats))),), x.dtype, x.vdevice)
    return with_dims(replace_dim(dims, axis, d.simplify(D.mul(dims[axis], D.imm(repeats)))), x.dtype, x.vdevice)


def repeat(m: Meaning, call: Call, x: Array) -> Array:
    """``out[i] = x[i with i[axis] // repeats]``; without an axis of the elements in row-major order."""
    repeats, axis = A.integer(call, "repeats"), A.optional_integer(call, "axis")
    x, at = (m.flat(x), 0) if axis is None else (x, axis % x.ndim)
    dims = replaced(x.dims, at, x.dims[at] * repeats)
    return m.tensor(dims, x.dtype, lambda *i: x[replaced(i, at, i[at] // repeats)])


def deduce_tile(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Dims times ``repeats``, the two aligned at the right and the shorter filled with ones at the left. A negative
    number makes a negative extent (``ev/negative-extent``)."""
    arity(d, call, 1)
    x, repeats = tensor(d, call, types, 0), A.int_list(call, "repeats")
    if rank(x) == UNKNOWN:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    ndim = max(rank(x), len(repeats))
    dims = known_dims(x)
    if dims is None:
        unchanged = len(repeats) <= rank(x) and all(each == 1 for each in repeats)
        return x if unchanged else of_rank(ndim, x.dtype, x.vdevice)
    wide = [*[D.ONE] * (ndim - len(dims)), *dims]
    times = [*[1] * (ndim - len(repeats)), *repeats]
    return with_dims([d.simplify(D.mul(a, D.imm(b))) for a, b in zip(wide, times, strict=True)], x.dtype, x.vdevice)


def tile(m: Meaning, call: Call, x: Array) -> Array:
    """``out[i] = x[i mod extent]``, of the last axes of the result, as many as the argument has."""
    repeats = A.int_list(call, "repeats")
    ndim = max(x.ndim, len(repeats))
    dims, times = [*[1] * (ndim - x.ndim), *x.dims], [*[1] * (ndim - len(repeats)), *repeats]

    def element(*i: Index) -> Payload:
        return x[tuple(p % n for p, n in zip(i[ndim - x.ndim :], x.dims, strict=True))]

    return m.tensor((n * k for n, k in zip(dims, times, strict=True)), x.dtype, element)


def deduce_flip(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    if rank(x) != UNKNOWN:
        normal_axis(d, call, rank(x), A.integer(call, "axis"))
    return x


def flip(m: Meaning, call: Call, x: Array) -> Array:
    """``out[i] = x[i with n - 1 - i[axis]]``."""
    axis = A.integer(call, "axis") % x.ndim
    starts = replaced((0,) * x.ndim, axis, x.dims[axis] - 1)
    return m.copy(m.strided(x, starts, replaced((1,) * x.ndim, axis, -1), x.dims))


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.concat", deduce_concat, concat, PAGE),
    defined("relax.stack", deduce_stack, stack, PAGE),
    defined("relax.split", deduce_split, split, PAGE, memory="either"),
    defined("relax.repeat", deduce_repeat, repeat, PAGE),
    defined("relax.tile", deduce_tile, tile, PAGE),
    defined("relax.flip", deduce_flip, flip, PAGE),
)
