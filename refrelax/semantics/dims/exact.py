"""The value of an expression at given values of its symbols, on exact integers.

Spec: ``spec/06-shapes.md``, ``sh/value``.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import eq, ge, gt, le, lt, ne

from refrelax.errors import InternalError, unspecified
from refrelax.rules import rule
from refrelax.syntax.dtypes import bits, integer_range, kind
from refrelax.syntax.scalars import (
    Binary,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    literal_int,
)

_COMPARE = {"EQ": eq, "NE": ne, "LT": lt, "LE": le, "GT": gt, "GE": ge}


@rule("sh/value")
def value(e: PrimExpr, env: Mapping[str, int]) -> int:
    """The value of ``e``; truth values are 0 and 1. ``and``, ``or`` and ``T.if_then_else`` evaluate what they need.

    Raises:
        Ended: ``sh/overflow`` where a step leaves its dtype, ``num/int-division-by-zero``, ``num/shift-range``.
        InternalError: a symbol without a value, or a term that is no integer arithmetic.
    """
    match e:
        case Literal():
            return literal_int(e)
        case SymVar():
            if e.name not in env:
                raise InternalError(f"no value for the symbol {e.name!r}")
            return _fits(int(env[e.name]), e)
        case Binary():
            return _binary(e, env)
        case Not():
            return 1 - value(e.a, env)
        case Select():
            chosen, a, b = value(e.condition, env), value(e.true_value, env), value(e.false_value, env)
            return a if chosen else b
        case Cast():
            return _cast(value(e.value, env), e.dtype)
        case Let():
            return value(e.body, {**env, e.var.name: value(e.value, env)})
        case Intrinsic():
            return _intrinsic(e, env)
        case _:
            raise InternalError(f"{type(e).__name__} is no integer arithmetic")


@rule("sh/overflow")
def _fits(result: int, e: PrimExpr) -> int:
    low, high = integer_range(e.dtype)
    if not low <= result <= high:
        raise unspecified("sh/overflow", f"expected a value of {e.dtype}, found {result}", e.span)
    return result


def _binary(e: Binary, env: Mapping[str, int]) -> int:
    if e.op == "And":
        return value(e.b, env) if value(e.a, env) else 0
    if e.op == "Or":
        return 1 if value(e.a, env) else value(e.b, env)
    a, b = value(e.a, env), value(e.b, env)
    if e.op in _COMPARE:
        return int(_COMPARE[e.op](a, b))
    if b == 0 and e.op in ("Div", "Mod", "FloorDiv", "FloorMod"):
        raise unspecified("num/int-division-by-zero", f"{a} divided by 0", e.span)
    return _fits(arithmetic(e.op, a, b), e)


def arithmetic(op: str, a: int, b: int) -> int:
    """One arithmetic operation of ``scalars.BinaryOp`` on unbounded integers; ``b`` is not 0 where it divides."""
    match op:
        case "Add":
            return a + b
        case "Sub":
            return a - b
        case "Mul":
            return a * b
        case "FloorDiv":
            return a // b
        case "FloorMod":
            return a % b
        case "Div":
            return truncated(a, b)
        case "Mod":
            return a - b * truncated(a, b)
        case "Min":
            return min(a, b)
        case "Max":
            return max(a, b)
        case _:
            raise InternalError(f"{op} is no arithmetic")


def truncated(a: int, b: int) -> int:
    """The quotient of ``a`` and ``b`` rounded towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _cast(number: int, dtype: str) -> int:
    """Converted to ``dtype``: to bool by ``!= 0``, else wrapped (two's complement)."""
    if dtype == "bool":
        return int(number != 0)
    low, high = integer_range(dtype)
    return (number - low) % (high - low + 1) + low


def _intrinsic(e: Intrinsic, env: Mapping[str, int]) -> int:
    if e.op == "if_then_else":
        return value(e.args[1] if value(e.args[0], env) else e.args[2], env)
    arguments = [value(each, env) for each in e.args]
    match e.op, arguments:
        case "likely", [a]:
            return a
        case "abs", [a]:
            return _fits(abs(a), e)
        case "bitwise_and", [a, b]:
            return a & b
        case "bitwise_or", [a, b]:
            return a | b
        case "bitwise_xor", [a, b]:
            return a ^ b
        case "bitwise_not", [a]:
            return _cast(~a, e.dtype)
        case (("shift_left" | "shift_right"), [a, b]):
            return _shift(e, a, b)
        case _:
            raise InternalError(f"T.{e.op} is no integer arithmetic of a dimension")


def _shift(e: Intrinsic, a: int, b: int) -> int:
    if not 0 <= b < bits(e.dtype):
        raise unspecified("num/shift-range", f"expected a count from 0 to {bits(e.dtype) - 1}, found {b}", e.span)
    if e.op == "shift_right":
        return a >> b
    assert kind(e.dtype) in ("int", "uint")
    return _fits(a << b, e)
