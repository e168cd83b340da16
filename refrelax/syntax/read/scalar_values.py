"""What an expression of the loop level evaluates to while it is read, and the operators that build it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from refrelax.syntax.scalars import PrimExpr

Value = Any
"""What an expression of the text evaluates to (see the module's docstring)."""


@dataclass(frozen=True, slots=True)
class DTypeName:
    """``T.float32`` as a value: it can be called, subscripted, or stand in an annotation."""

    dtype: str


ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "Add",
    ast.Sub: "Sub",
    ast.Mult: "Mul",
    ast.FloorDiv: "FloorDiv",
    ast.Mod: "FloorMod",
}
BITWISE: dict[type[ast.operator], str] = {
    ast.LShift: "shift_left",
    ast.RShift: "shift_right",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
}
COMPARISON: dict[type[ast.cmpop], str] = {
    ast.Eq: "EQ",
    ast.NotEq: "NE",
    ast.Lt: "LT",
    ast.LtE: "LE",
    ast.Gt: "GT",
    ast.GtE: "GE",
}


def is_constant(value: Value) -> bool:
    """Whether a value is a Python constant."""
    return value is None or isinstance(value, (bool, int, float, str))


def is_expression(value: Value) -> bool:
    """Whether a value is an expression of the language."""
    return isinstance(value, PrimExpr)
