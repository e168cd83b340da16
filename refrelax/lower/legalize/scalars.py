"""Scalar expressions with Python operators, for writing loop bodies.

``Scalar`` wraps one expression. Integer arithmetic folds constants and the units of ``+ - * //``, so that indices stay
short; float arithmetic folds nothing (``x + 0.0`` is not ``x``). No element is lost by that: it may be poison.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne

from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import (
    Binary,
    BinaryOp,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    bool_imm,
    int_imm,
    walk,
)

Number = int | float | Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """One scalar expression; operators build larger ones. A Python number is a literal of the other side's dtype."""

    node: PrimExpr

    @property
    def dtype(self) -> str:
        return self.node.dtype

    def __add__(self, other: Scalar | Number) -> Scalar:
        return _arithmetic("Add", self, other)

    def __sub__(self, other: Scalar | Number) -> Scalar:
        return _arithmetic("Sub", self, other)

    def __mul__(self, other: Scalar | Number) -> Scalar:
        return _arithmetic("Mul", self, other)

    def __floordiv__(self, other: Scalar | Number) -> Scalar:
        return _arithmetic("FloorDiv", self, other)

    def __mod__(self, other: Scalar | Number) -> Scalar:
        return _arithmetic("FloorMod", self, other)

    def over(self, other: Scalar | Number) -> Scalar:
        """The quotient: IEEE on floats, truncated on integers."""
        return _arithmetic("Div", self, other)

    def __lt__(self, other: Scalar | Number) -> Scalar:
        return compare("LT", self, other)

    def __le__(self, other: Scalar | Number) -> Scalar:
        return compare("LE", self, other)

    def __gt__(self, other: Scalar | Number) -> Scalar:
        return compare("GT", self, other)

    def __ge__(self, other: Scalar | Number) -> Scalar:
        return compare("GE", self, other)

    def equals(self, other: Scalar | Number) -> Scalar:
        return compare("EQ", self, other)

    def differs(self, other: Scalar | Number) -> Scalar:
        return compare("NE", self, other)

    def __and__(self, other: Scalar) -> Scalar:
        if (known := as_int(self.node)) is not None and (known or not _reads(other.node)):
            return other if known else self
        return Scalar(Binary("And", self.node, other.node))

    def __or__(self, other: Scalar) -> Scalar:
        return Scalar(Binary("Or", self.node, other.node))

    def __invert__(self) -> Scalar:
        return Scalar(Not(self.node))


def lit(dtype: str, value: Number) -> Scalar:
    """The number of ``dtype`` nearest to ``value``."""
    return Scalar(bits.literal(dtype, value))


def index(value: int | PrimExpr | Scalar) -> Scalar:
    """An int64 index."""
    if isinstance(value, Scalar):
        return value
    return Scalar(int_imm(value) if isinstance(value, int) else value)


TRUE = Scalar(bool_imm(True))


def _both(a: Scalar, b: Scalar | Number) -> tuple[PrimExpr, PrimExpr]:
    return a.node, (b.node if isinstance(b, Scalar) else bits.literal(a.dtype, b))


def compare(op: BinaryOp, a: Scalar, b: Scalar | Number) -> Scalar:
    """A comparison."""
    return Scalar(Binary(op, *_both(a, b)))


def _arithmetic(op: BinaryOp, a: Scalar, b: Scalar | Number) -> Scalar:
    x, y = _both(a, b)
    if dtypes.is_integer(x.dtype):
        folded = _folded(op, x, y)
        if folded is not None:
            return Scalar(folded)
    return Scalar(Binary(op, x, y))


_COMPARE: dict[str, Callable[[int, int], bool]] = {"LT": lt, "LE": le, "GT": gt, "GE": ge, "EQ": eq, "NE": ne}

_FOLD: dict[str, Callable[[int, int], int]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "FloorDiv": lambda a, b: a // b,
    "FloorMod": lambda a, b: a % b,
    "Min": min,
    "Max": max,
}

_RIGHT_UNIT = {"Add": 0, "Sub": 0, "Mul": 1, "FloorDiv": 1}
_LEFT_UNIT = {"Add": 0, "Mul": 1}


def _folded(op: BinaryOp, x: PrimExpr, y: PrimExpr) -> PrimExpr | None:
    """What an operation on integers is without being done, if it can be seen: constants, units, zeros."""
    a, b = as_int(x), as_int(y)
    if a is not None and b is not None and op in _FOLD and not (op in ("FloorDiv", "FloorMod") and b == 0):
        return int_imm(_FOLD[op](a, b), x.dtype)
    if b is not None and _RIGHT_UNIT.get(op) == b:
        return x
    if a is not None and _LEFT_UNIT.get(op) == a:
        return y
    nothing = (op == "Mul" and 0 in (a, b)) or (op == "FloorMod" and b == 1) or (op == "FloorDiv" and a == 0)
    if nothing and not _reads(x) and not _reads(y):
        return int_imm(0, x.dtype)
    return _nested(op, x, b)


def _reads(e: PrimExpr) -> bool:
    """Whether an expression is more than arithmetic on symbols: it may be poison, or leave a run open."""
    return not all(isinstance(each, Literal | SymVar | Binary | Not | Cast | Select) for each in walk(e))


def _nested(op: BinaryOp, x: PrimExpr, b: int | None) -> PrimExpr | None:
    """``(x + a) + b`` and ``(x - a) + b`` with constants next to each other."""
    if b is None or op not in ("Add", "Sub") or not isinstance(x, Binary) or x.op not in ("Add", "Sub"):
        return None
    inner = as_int(x.b)
    if inner is None:
        return None
    total = (inner if x.op == "Add" else -inner) + (b if op == "Add" else -b)
    if total == 0:
        return x.a
    return Binary("Add" if total > 0 else "Sub", x.a, int_imm(abs(total), x.dtype))


def indexed(op: BinaryOp, a: Scalar, b: Scalar) -> Scalar:
    """An operation on indices, folded where both are known."""
    x, y = as_int(a.node), as_int(b.node)
    if op not in _COMPARE:
        return _arithmetic(op, a, b)
    return compare(op, a, b) if x is None or y is None else Scalar(bool_imm(_COMPARE[op](x, y)))


def maximum(a: Scalar, b: Scalar | Number) -> Scalar:
    """The greater of two."""
    return _arithmetic("Max", a, b)


def minimum(a: Scalar, b: Scalar | Number) -> Scalar:
    """The lesser of two."""
    return _arithmetic("Min", a, b)


def cast(dtype: str, a: Scalar) -> Scalar:
    """``a`` converted; itself if it has the dtype."""
    return a if a.dtype == dtype else Scalar(Cast(dtype, a.node))


def function(name: str, *args: Scalar, dtype: str | None = None) -> Scalar:
    """``T.name(args)``, of the first argument's dtype unless said otherwise."""
    return Scalar(Intrinsic(name, tuple(a.node for a in args), dtype or args[0].dtype))


def select(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """``T.Select``: both are evaluated."""
    return Scalar(Select(condition.node, a.node, b.node))


def if_then_else(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """``T.if_then_else``: one is evaluated."""
    if as_int(condition.node) is not None:
        return a if as_int(condition.node) else b
    return Scalar(Intrinsic("if_then_else", (condition.node, a.node, b.node), a.dtype))


def all_of(conditions: Sequence[Scalar]) -> Scalar:
    """All conditions, evaluated from the left; true for none."""
    result = TRUE
    for each in conditions:
        result = each if result is TRUE else result & each
    return result


def product(dims: Sequence[Scalar]) -> Scalar:
    """The number of elements of a shape."""
    result = index(1)
    for each in dims:
        result = result * each
    return result


def least(dtype: str) -> Scalar:
    """What every number of ``dtype`` is at least: the start of a maximum."""
    return _end(dtype, -1.0) if dtypes.is_float(dtype) else lit(dtype, dtypes.integer_range(dtype)[0])


def greatest(dtype: str) -> Scalar:
    """What every number of ``dtype`` is at most: the start of a minimum."""
    return _end(dtype, 1.0) if dtypes.is_float(dtype) else lit(dtype, dtypes.integer_range(dtype)[1])


def _end(dtype: str, sign: float) -> Scalar:
    """The outermost number of a float format: an infinity; in a format without, the last number; without a sign, the
    smallest."""
    for value in (sign * float("inf"), sign * float(bits.largest_finite(dtype))):
        found = bits.decode(dtype, bits.encode(dtype, value))
        if found == found:
            return lit(dtype, value)
    return lit(dtype, 0.0)
