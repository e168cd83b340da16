"""Elements by computed positions: take, gather, advanced indexing.

Spec: ``spec/ops/gather.md``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    as_tensor_type,
    known_dims,
    normal_axis,
    of_rank,
    rank,
    short,
    tensor,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import Array, Index, Meaning, defined, is_scalar
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.types import PrimType, TensorType, Type

PAGE = "gather"

# --- take ------------------------------------------------------------------------------------------------------------


@rule("op.take/integer-indices")
def _indices(d: Deduction, call: Call, found: Type) -> TensorType:
    t = TensorType((), found.dtype, 0) if isinstance(found, PrimType) else as_tensor_type(found)
    if t is None:
        d.fail("op.common/tensor-argument", f"{short(call)}: the indices must be a tensor or a scalar")
    if t.dtype is not None and not dtypes.is_integer(t.dtype):
        d.fail("op.take/integer-indices", f"{short(call)}: the indices must be integers, found {t.dtype}")
    return t


@rule("op.take/flat")
def deduce_take(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's dims with the indices' dims in place of ``axis``."""
    arity(d, call, 2)
    x, indices = tensor(d, call, types, 0), _indices(d, call, types[1])
    axis = A.optional_integer(call, "axis", None)
    if axis is None and rank(x) != 1:
        d.fail("op.take/flat", f"{short(call)} without an axis takes a tensor of rank 1, found rank {rank(x)}")
    if rank(x) == UNKNOWN:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    axis = 0 if axis is None else normal_axis(d, call, rank(x), axis)
    if rank(indices) == UNKNOWN:
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    dims, own = known_dims(x), known_dims(indices)
    if dims is None or own is None:
        return of_rank(rank(x) + rank(indices) - 1, x.dtype, x.vdevice)
    return with_dims((*dims[:axis], *own, *dims[axis + 1 :]), x.dtype, x.vdevice)


@rule("op.take/out-of-range", "op.take/empty-axis")
def take(m: Meaning, call: Call, x: Array, indices: Array) -> Array:
    """``out[a, k, b] = x[a, position(indices[k]), b]``; every index is looked at, also where no element is.

    With ``n`` for the extent of the axis, ``position(p)`` is ``p`` under ``fast`` and ``nan``, ``p`` modulo ``n`` (from
    0 to ``n - 1``) under ``wrap``, ``min(max(p, 0), n - 1)`` under ``clip``; any other string counts as ``fast``. Where
    it is none of ``0`` to ``n - 1`` the element is NaN under ``nan``, if the dtype is one of floats, and poison
    otherwise; no index counts from the end.
    """
    mode, axis = A.text(call, "mode", "fast"), (A.optional_integer(call, "axis", None) or 0) % x.ndim
    n, own = x.dims[axis], () if is_scalar(indices) else indices.dims
    nan = mode == "nan" and dtypes.is_float(x.dtype)
    missing = m.at(x.dtype).lit(float("nan")) if nan else m.poison("op.take/out-of-range")

    def position(*k: Index) -> Index:
        """Where an index points, which may be nowhere."""
        p = m.index_of(indices[k or (0,) * indices.ndim], indices.dtype)
        if mode not in ("wrap", "clip"):
            return m.counted(p, n) if mode == "fast" else p
        inside = (lambda: p % n) if mode == "wrap" else lambda: m.least(m.most(p, 0), n - 1)
        return m.choose(n == 0, lambda: m.ends("op.take/empty-axis", f"from an axis without elements, {mode}"), inside)

    found, end = m.indices(own, position), axis + len(own)

    def element(*i: Index) -> Payload:
        at = (*i[:axis], found[i[axis:end]], *i[end:])
        return x[at] if mode in ("wrap", "clip") else x.get(at, missing)

    return m.tensor((*x.dims[:axis], *own, *x.dims[axis + 1 :]), x.dtype, element)


OPERATORS: tuple[OpDef, ...] = (defined("relax.take", deduce_take, take, PAGE),)
