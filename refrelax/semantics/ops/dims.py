"""Arithmetic on the dims of a deduced type.

The constructors fold what TVM folds when it builds an expression (two constants, the units of ``+ - * //``), and
nothing else, so that a deduced dim prints as TVM prints it; ``Deduction.simplify`` stands only where TVM simplifies.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Literal, PrimExpr, as_int, int_imm

Dims = tuple[PrimExpr, ...]

ONE = int_imm(1)
ZERO = int_imm(0)


def imm(value: int) -> Literal:
    """An int64 dim."""
    return int_imm(value)


def _match(a: PrimExpr, b: PrimExpr) -> tuple[PrimExpr, PrimExpr]:
    """Bring both to the wider integer dtype."""
    if a.dtype == b.dtype:
        return a, b
    wide = max(a.dtype, b.dtype, key=lambda t: dtypes.bits(t) if dtypes.is_integer(t) else 0)
    return _widen(a, wide), _widen(b, wide)


def _widen(a: PrimExpr, dtype: str) -> PrimExpr:
    if a.dtype == dtype:
        return a
    value = as_int(a)
    return int_imm(value, dtype) if value is not None else Cast(dtype, a)


def add(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a + b``."""
    a, b = _match(a, b)
    x, y = as_int(a), as_int(b)
    if x is not None and y is not None:
        return int_imm(x + y, a.dtype)
    return b if x == 0 else a if y == 0 else Binary("Add", a, b)


def sub(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a - b``."""
    a, b = _match(a, b)
    x, y = as_int(a), as_int(b)
    if x is not None and y is not None:
        return int_imm(x - y, a.dtype)
    return a if y == 0 else Binary("Sub", a, b)


def mul(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a * b``."""
    a, b = _match(a, b)
    x, y = as_int(a), as_int(b)
    if x is not None and y is not None:
        return int_imm(x * y, a.dtype)
    if x == 0 or y == 0:
        return int_imm(0, a.dtype)
    return b if x == 1 else a if y == 1 else Binary("Mul", a, b)


def floordiv(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a // b``."""
    a, b = _match(a, b)
    x, y = as_int(a), as_int(b)
    if x is not None and y:
        return int_imm(x // y, a.dtype)
    return a if y == 1 else Binary("FloorDiv", a, b)


def ceildiv(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``(a + b - 1) // b``."""
    return floordiv(sub(add(a, b), _widen(ONE, a.dtype)), b)


def steps(begin: PrimExpr, end: PrimExpr, stride: PrimExpr) -> PrimExpr:
    """How many of ``begin, begin + stride, …`` lie before ``end``: none where the first does not."""
    known = as_int(stride)
    backward, forward = ceildiv(sub(begin, end), sub(ZERO, stride)), ceildiv(sub(end, begin), stride)
    if known is not None:
        return maximum(backward if known < 0 else forward, ZERO)
    return maximum(if_then_else(less(stride, ZERO), backward, forward), ZERO)


def minimum(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``T.min(a, b)``."""
    a, b = _match(a, b)
    x, y = as_int(a), as_int(b)
    if x is not None and y is not None:
        return int_imm(min(x, y), a.dtype)
    return a if a == b else Binary("Min", a, b)


def maximum(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``T.max(a, b)``."""
    a, b = _match(a, b)
    x, y = as_int(a), as_int(b)
    if x is not None and y is not None:
        return int_imm(max(x, y), a.dtype)
    return a if a == b else Binary("Max", a, b)


def less(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a < b``."""
    a, b = _match(a, b)
    x, y = as_int(a), as_int(b)
    if x is not None and y is not None:
        return int_imm(int(x < y), "bool")
    return Binary("LT", a, b)


def if_then_else(condition: PrimExpr, a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``T.if_then_else(condition, a, b)``."""
    known = as_int(condition)
    if known is not None:
        return a if known else b
    return Intrinsic("if_then_else", (condition, a, b), a.dtype)


def product(dims: Sequence[PrimExpr]) -> PrimExpr:
    """The number of elements of a shape, multiplied left to right from 1."""
    total: PrimExpr = ONE
    for each in dims:
        total = mul(total, each)
    return total


def is_one(dim: PrimExpr) -> bool:
    """Whether a dim is the literal 1."""
    return as_int(dim) == 1


__all__ = [
    "ONE", "ZERO", "Dims", "add", "as_int", "ceildiv", "floordiv", "if_then_else", "imm", "is_one", "less", "maximum",
    "minimum", "mul", "product", "steps", "sub",
]  # fmt: skip
