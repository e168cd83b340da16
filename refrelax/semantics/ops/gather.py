"""Elements by computed positions: take, gather, advanced indexing.

Spec: ``spec/ops/gather.md``.
"""

from __future__ import annotations

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.numbers.strict import is_strict
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    as_tensor_type,
    index_of,
    known_dims,
    normal_axis,
    number,
    of_rank,
    rank,
    short,
    tensor,
    tensor_value,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.values import Prim, Tensor, Value
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
    if UNKNOWN in (rank(x), rank(indices)):
        return of_rank(UNKNOWN, x.dtype, x.vdevice)
    axis = 0 if axis is None else normal_axis(d, call, rank(x), axis)
    dims, own = known_dims(x), known_dims(indices)
    if dims is None or own is None:
        return of_rank(rank(x) + rank(indices) - 1, x.dtype, x.vdevice)
    return with_dims((*dims[:axis], *own, *dims[axis + 1 :]), x.dtype, x.vdevice)


OUT_OF_RANGE = poison("op.take/out-of-range")


@rule("op.take/out-of-range", "op.take/empty-axis")
def _position(e: Evaluation, mode: str, index: int, extent: int) -> int | None:
    """Where ``index`` points under ``mode``; ``None`` for nowhere."""
    match mode:
        case "wrap" if extent:
            return index % extent
        case "clip" if extent:
            return min(max(index, 0), extent - 1)
        case "wrap" | "clip":
            raise unspecified("op.take/empty-axis", f"take from an axis without elements, mode {mode}", e.span)
        case "fast" if is_strict(e.numerics) and index < 0:
            return index + extent if index + extent >= 0 else None
        case _:
            return index if 0 <= index < extent else None


def evaluate_take(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[a, k, b] = x[a, position(indices[k]), b]``."""
    x, mode = tensor_value(args[0]), A.text(call, "mode", "fast")
    axis = (A.optional_integer(call, "axis", None) or 0) % x.ndim
    n = x.shape[axis]
    missing = e.numerics.at(x.dtype).lit(NAN) if mode == "nan" and dtypes.is_float(x.dtype) else OUT_OF_RANGE
    if isinstance(args[1], Prim):
        shape: tuple[int, ...] = ()
        found: dict[tuple[int, ...], int | None] = {(): _position(e, mode, int(number(args[1])), n)}
    else:
        indices = tensor_value(args[1])
        shape = indices.shape
        found = {at: _position(e, mode, index_of(e, indices, at), n) for at in indices.indices()}

    def element(*i: int) -> Payload:
        position = found[i[axis : axis + len(shape)]]
        return missing if position is None else x[(*i[:axis], position, *i[axis + len(shape) :])]

    return e.tabulate(x.dtype, (*x.shape[:axis], *shape, *x.shape[axis + 1 :]), element)


NAN = float("nan")


OPERATORS: tuple[OpDef, ...] = (OpDef("relax.take", deduce_take, evaluate_take, PAGE),)
