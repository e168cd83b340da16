"""What a packed entry stores as its result: a number that its caller gets, as a plain one returns it.

Spec: ``spec/06c-pointwise.md``, ``va/packed``; ``spec/07-evaluation.md``, ``ev/struct-set``.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.semantics.intrinsics import records
from refrelax.syntax import dtypes
from refrelax.syntax.loops import Evaluate, Return, Stmt
from refrelax.syntax.scalars import Cast, Intrinsic, PrimExpr, SymVar, as_int

LENGTH = 4
"""How many statements end an entry with a result."""


def returned(stmts: Sequence[Stmt]) -> PrimExpr | None:
    """The number with which statements end a packed entry: its type index, a padding of 0 and its 64 bits are stored as
    the result, and 0 is returned."""
    if len(stmts) != LENGTH or not isinstance(end := stmts[-1], Return) or as_int(end.value) != 0:
        return None
    fields = list(map(_stored, stmts[:-1]))
    match fields:
        case [(records.TYPE_INDEX, tag), (records.PADDING, padding), (records.VALUE, value)] if as_int(padding) == 0:
            return _number(as_int(tag), value)
        case _:
            return None


def _stored(stmt: Stmt) -> tuple[int | None, PrimExpr] | None:
    match stmt:
        case Evaluate(Intrinsic("tvm_struct_set", (SymVar("result"), k, wanted, value))) if as_int(k) == 0:
            return as_int(wanted), value
        case _:
            return None


def _number(tag: int | None, value: PrimExpr) -> PrimExpr | None:
    """What is widened to 64 bits: a number of the kind that the type index names."""
    inner = value.value if isinstance(value, Cast) else value
    kind = dtypes.kind(inner.dtype)
    narrow = dtypes.lanes(inner.dtype) == 1 and (inner is value or dtypes.bits(inner.dtype) < 64)
    match tag:
        case records.FLOAT if value.dtype == "float64" and dtypes.is_float(inner.dtype) and narrow:
            return inner
        case records.INT if value.dtype == "int64" and kind in ("int", "uint") and narrow:
            return inner
        case _:
            return None


__all__ = ["LENGTH", "returned"]
