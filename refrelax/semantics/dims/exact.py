"""The value of an expression at given values of its symbols, on exact integers; floats in it are those of ``floats``.

Spec: ``spec/06-shapes.md``, ``sh/value``.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import eq, ge, gt, le, lt, ne

from refrelax.errors import InternalError, unspecified
from refrelax.rules import rule
from refrelax.semantics.dims import floats
from refrelax.semantics.dims.kinds import of_floats
from refrelax.semantics.numbers.ieee import ieee
from refrelax.semantics.numbers.scalar_operators import BINARY, TERNARY, UNARY
from refrelax.syntax.dtypes import bits, integer_range, is_float, kind
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
def value(e: PrimExpr, env: Mapping[str, int | float]) -> int:
    """The value of an index or truth ``e``; truth values are 0 and 1. ``and``, ``or`` and ``T.if_then_else`` evaluate
    what they need.

    Raises:
        Ended: ``sh/overflow`` where a step leaves its dtype, ``num/int-division-by-zero``, ``num/shift-range``;
            what ``floats.decided`` raises.
        InternalError: a symbol without a value, or a term that is no arithmetic (``wf/scalar-form`` excludes it).
    """
    match e:
        case Literal():
            return literal_int(e)
        case SymVar():
            if e.name not in env:
                raise InternalError(f"no value for the symbol {e.name!r}")
            return _fits(int(env[e.name]), e)
        case _ if of_floats(e):
            return floats.decided(e, env, value)
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
            return value(e.body, floats.bound(e, env, value))
        case Intrinsic():
            return _intrinsic(e, env)
        case _:
            raise InternalError(f"{type(e).__name__} is no integer arithmetic")


def float_value(e: PrimExpr, env: Mapping[str, int | float]) -> float:
    """The value of a float ``e``. Raises as ``value`` does, and where several results are permitted."""
    return floats.number(e, env, value)


@rule("sh/overflow")
def _fits(result: int, e: PrimExpr) -> int:
    low, high = integer_range(e.dtype)
    if not low <= result <= high:
        raise unspecified("sh/overflow", f"expected a value of {e.dtype}, found {result}", e.span)
    return result


def _binary(e: Binary, env: floats.Env) -> int:
    if e.op == "And":
        return int(value(e.b, env) != 0) if value(e.a, env) else 0
    if e.op == "Or":
        return 1 if value(e.a, env) else int(value(e.b, env) != 0)
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


def _intrinsic(e: Intrinsic, env: floats.Env) -> int:
    if e.op == "if_then_else":
        return value(e.args[1] if value(e.args[0], env) else e.args[2], env)
    arguments = [value(each, env) for each in e.args]
    match e.op, arguments:
        case "likely", [a]:
            return a
        case (("abs" | "fabs"), [a]):
            return _fits(abs(a), e)
        case "square", [a]:
            return _fits(a * a, e)
        case "fma", [a, b, c]:
            return _fits(_fits(a * b, e) + c, e)
        case "pow", [a, b]:
            return _power(e, a, b)
        case (("shift_left" | "shift_right"), [a, b]) if kind(e.dtype) != "bool":
            return _shift(e, a, b)
        case "popcount", [a]:
            return _fits((a & ((1 << bits(e.args[0].dtype)) - 1)).bit_count(), e)
        case "truncmod", [a, b]:
            return _binary(Binary("Mod", e.args[0], e.args[1], span=e.span), env)
        case _:
            return _by_bits(e, arguments)


def _by_bits(e: Intrinsic, arguments: list[int]) -> int:
    """The intrinsics of integers and bools that leave no dtype, by ``numbers``."""
    source = e.args[0].dtype if e.args else ""
    if not source or is_float(e.dtype):
        raise InternalError(f"T.{e.op} is no integer arithmetic of a dimension")
    f = ieee().at(source)
    given = [f.lit(each) for each in arguments]
    match given:
        case [a] if e.op == "reinterpret":
            found = ieee().at(e.dtype).reinterpret(a, source)
        case [a] if e.op in UNARY:
            found = UNARY[e.op](f)(a)
        case [a, b] if e.op in BINARY:
            found = BINARY[e.op](f)(a, b)
        case [a, b, c] if e.op in TERNARY:
            found = TERNARY[e.op](f)(a, b, c)
        case _:
            raise InternalError(f"T.{e.op} is no integer arithmetic of a dimension")
    return ieee().to_index(found, e.dtype)


def _power(e: Intrinsic, a: int, b: int) -> int:
    """``a ** b``; a power that no dtype holds is not computed."""
    if b < 0:
        raise unspecified("num/negative-power", f"expected an exponent that is not negative, found {b}", e.span)
    return _fits(a ** min(b, 64 + b % 2) if abs(a) < 2 else a ** min(b, 65), e)


def _shift(e: Intrinsic, a: int, b: int) -> int:
    if not 0 <= b < bits(e.dtype):
        raise unspecified("num/shift-range", f"expected a count from 0 to {bits(e.dtype) - 1}, found {b}", e.span)
    if e.op == "shift_right":
        return a >> b
    return _fits(a << b, e)
