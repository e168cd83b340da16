"""Vectors, lane by lane: a store of ``L`` lanes is a vectorised loop over ``L`` stores.

All lanes are loaded before one is stored; the loop over them has no order, so that one which reads what another writes
is no such loop.

Spec: ``spec/06c-pointwise.md``, ``sh/lanes``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.rules import rule
from refrelax.shape_solver.pointwise.elements import PURE, NotRead
from refrelax.syntax import dtypes
from refrelax.syntax.loops import BufferStore, For
from refrelax.syntax.scalars import (
    Binary,
    Broadcast,
    BufferLoad,
    Cast,
    Intrinsic,
    Not,
    PrimExpr,
    Ramp,
    Select,
    SymVar,
    int_imm,
)


@rule("sh/lanes")
def by_lanes(store: BufferStore, name: str) -> For | None:
    """A store of a vector as a loop over its lanes; ``None`` where it stores a scalar.

    Raises:
        NotRead: the lanes are not known, or not each element of the vector is one of the buffer.
    """
    counts = [dtypes.lanes(i.dtype) for i in store.indices]
    count = dtypes.lanes(store.value.dtype)
    if count == 1 and all(each == 1 for each in counts):
        return None
    if count < 2 or sorted(counts)[-1] != count or sum(each != 1 for each in counts) != 1:
        raise NotRead("a store of a vector in this form")
    k = SymVar(name, next(dtypes.element(i.dtype) for i in store.indices if dtypes.lanes(i.dtype) == count))
    indices = tuple(lane(i, k) for i in store.indices)
    each = replace(store, value=lane(store.value, k), indices=indices)
    return For(k, int_imm(0, k.dtype), int_imm(count, k.dtype), (each,), kind="vectorized")


def lane(e: PrimExpr, k: SymVar) -> PrimExpr:
    """Lane ``k`` of a vector; a scalar is every lane of itself."""
    if dtypes.lanes(e.dtype) == 1:
        return e
    match e:
        case Ramp(base, stride):
            return Binary("Add", base, Binary("Mul", stride, _as(k, stride.dtype)))
        case Broadcast(value):
            return value
        case Binary(_, a, b):
            return replace(e, a=lane(a, k), b=lane(b, k))
        case Not(a):
            return Not(lane(a, k))
        case Cast(dtype, value):
            return replace(e, dtype=dtypes.element(dtype), value=lane(value, k))
        case Select(c, yes, no):
            return Select(lane(c, k), lane(yes, k), lane(no, k))
        case BufferLoad(predicate=None) if any(dtypes.lanes(i.dtype) > 1 for i in e.indices):
            return replace(e, indices=tuple(lane(i, k) for i in e.indices), dtype=dtypes.element(e.dtype))
        case Intrinsic(op, args) if (op in PURE or op == "if_then_else") and _parallel(e):
            return replace(e, args=tuple(lane(a, k) for a in args), dtype=dtypes.element(e.dtype))
        case _:
            raise NotRead(f"a vector by {type(e).__name__}")


def _parallel(e: Intrinsic) -> bool:
    """Whether each lane of a result depends on one lane of every operand."""
    return all(dtypes.lanes(a.dtype) in (1, dtypes.lanes(e.dtype)) for a in e.args)


def _as(k: SymVar, dtype: str) -> PrimExpr:
    return k if k.dtype == dtype else Cast(dtype, k)
