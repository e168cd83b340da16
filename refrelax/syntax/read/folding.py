"""What a binary operation folds to while it is built, as TVM's operators fold (``src/arith/const_fold.h`` of TVM).

Spec: ``spec/03b-loops-syntax.md`` ("Operands").
"""

from __future__ import annotations

from collections.abc import Callable

from refrelax.rules import rule
from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar, bool_imm


class BuildError(ValueError):
    """Operands that do not go together. ``rule``: the rule they break."""

    def __init__(self, rule: str, message: str) -> None:
        self.rule = rule
        super().__init__(message)


def is_index(dtype: str) -> bool:
    """Whether a dtype is one of those that indices have: int32 or int64."""
    return dtype in ("int32", "int64")


def number(node: PrimExpr) -> int | float | None:
    """The value of a literal."""
    return bits.literal_value(node) if isinstance(node, Literal) else None


def _float_result(dtype: str, value: float) -> Literal:
    return Literal(dtype, bits.encode(dtype, value))


def _fold_two(dtype: str, x: int | float, y: int | float, op: Callable[[float, float], float]) -> PrimExpr | None:
    """Two literals: integers wrap, float32 and float64 are computed in their own precision, others do not fold."""
    if isinstance(x, int) and isinstance(y, int):
        return Literal(dtype, bits.encode(dtype, op(x, y)))
    if dtype not in ("float32", "float64"):
        return None
    try:
        return _float_result(dtype, op(x, y))
    except OverflowError:
        return None


def _fold_add(a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
    x, y = number(a), number(b)
    if x is not None and y is not None:
        both = _fold_two(a.dtype, x, y, lambda p, q: p + q)
        if both is not None:
            return both
    if x == 0:
        return b
    return a if y == 0 else None


def _fold_sub(a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
    x, y = number(a), number(b)
    if x is not None and y is not None:
        both = _fold_two(a.dtype, x, y, lambda p, q: p - q)
        if both is not None:
            return both
    return a if y == 0 else None


def _fold_mul(a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
    x, y = number(a), number(b)
    if x is not None and y is not None:
        both = _fold_two(a.dtype, x, y, lambda p, q: p * q)
        if both is not None:
            return both
    if x == 1:
        return b
    if x == 0:
        return a
    if y == 1:
        return a
    return b if y == 0 else None


@rule("syn/constant-division-by-zero")
def _not_zero(y: int | float | None) -> None:
    if y == 0:
        raise BuildError("syn/constant-division-by-zero", "division by the constant 0")


def _trunc_div(p: float, q: float) -> float:
    if isinstance(p, int) and isinstance(q, int):
        return abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1)
    return p / q


def _fold_div(a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
    x, y = number(a), number(b)
    if x is not None and isinstance(x, int) and y != 0 and x == 0 and y is None:
        return a
    _not_zero(y)
    if x is not None and y is not None:
        both = _fold_two(a.dtype, x, y, _trunc_div)
        if both is not None:
            return both
    if x == 0:
        return a
    return a if y == 1 else None


def _fold_floor_div(a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
    x, y = number(a), number(b)
    _not_zero(y)
    if x is not None and y is not None:
        return _fold_two(a.dtype, x, y, lambda p, q: p // q)
    if x == 0:
        return a
    return a if y == 1 else None


def _fold_mod(truncated: bool) -> Callable[[PrimExpr, PrimExpr], PrimExpr | None]:
    def remainder(p: float, q: float) -> float:
        return p - q * _trunc_div(p, q) if truncated else p % q

    def fold(a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
        x, y = number(a), number(b)
        unsigned = not truncated and dtypes.kind(a.dtype) == "uint"
        if not is_index(a.dtype) and not (unsigned and x is not None and y is not None):
            return None
        _not_zero(y)
        if x is not None and y is not None:
            return _fold_two(a.dtype, x, y, remainder)
        if x == 0:
            return a
        return Literal(a.dtype, 0) if y == 1 else None

    return fold


def _fold_extreme(pick: Callable[[float, float], float]) -> Callable[[PrimExpr, PrimExpr], PrimExpr | None]:
    def fold(a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
        x, y = number(a), number(b)
        if x is not None and y is not None and isinstance(a, Literal) and isinstance(b, Literal):
            return a if pick(x, y) is x else b
        return a if isinstance(a, SymVar) and a == b else None

    return fold


def _fold_compare(op: Callable[[float, float], bool]) -> Callable[[PrimExpr, PrimExpr], PrimExpr | None]:
    def fold(a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
        x, y = number(a), number(b)
        return bool_imm(op(x, y)) if x is not None and y is not None else None

    return fold


def _fold_connective(absorbing: bool) -> Callable[[PrimExpr, PrimExpr], PrimExpr | None]:
    def fold(a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
        for this, other in ((a, b), (b, a)):
            x = number(this)
            if x is not None:
                return this if bool(x) == absorbing else other
        return None

    return fold


FOLDS: dict[str, Callable[[PrimExpr, PrimExpr], PrimExpr | None]] = {
    "Add": _fold_add,
    "Sub": _fold_sub,
    "Mul": _fold_mul,
    "Div": _fold_div,
    "Mod": _fold_mod(truncated=True),
    "FloorDiv": _fold_floor_div,
    "FloorMod": _fold_mod(truncated=False),
    "Min": _fold_extreme(lambda p, q: q if q < p else p),
    "Max": _fold_extreme(lambda p, q: q if p < q else p),
    "EQ": _fold_compare(lambda p, q: p == q),
    "NE": _fold_compare(lambda p, q: p != q),
    "LT": _fold_compare(lambda p, q: p < q),
    "LE": _fold_compare(lambda p, q: p <= q),
    "GT": _fold_compare(lambda p, q: p > q),
    "GE": _fold_compare(lambda p, q: p >= q),
    "And": _fold_connective(absorbing=False),
    "Or": _fold_connective(absorbing=True),
}
"""What a binary operation folds to while it is built (operands of equal dtype); ``None``: it stays an operation."""
