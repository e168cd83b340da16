"""Claims on exact integers, as closures: the judge of every counterexample. Shares nothing with the normal form.

A closure takes the values of the symbols and gives an integer (truth values are 0 and 1); it raises ``Undefined``
where the expression has no value: a division by zero, a negative shift count; ``OutOfRange`` where a step leaves the
range of ``fits`` first; ``TooLarge`` where nobody computes the value. ``and``, ``or``, ``implies`` and
``select`` evaluate what they need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import add, and_, eq, floordiv, ge, gt, le, lt, mod, mul, ne, or_, sub, xor

from refrelax.semantics.dims.exact import truncated
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Literal, Not, PrimExpr, Select, SymVar, literal_int

Env = Mapping[str, int]
Run = Callable[[Env], int]
MAX_SHIFT = 4096
"""Counts past this are not computed."""


class Undefined(Exception):
    """The expression has no value here."""


class TooLarge(Exception):
    """There is a value, but it is not computed: a shift by a count past ``MAX_SHIFT``."""


class OutOfRange(Exception):
    """A step left the range that ``fits`` asks for."""


def _truncmod(a: int, b: int) -> int:
    return a - b * truncated(a, b)


def _shift_left(a: int, b: int) -> int:
    if b < 0:
        raise Undefined
    if b > MAX_SHIFT and a:
        raise TooLarge
    return a << b if a else 0


def _shift_right(a: int, b: int) -> int:
    if b < 0:
        raise Undefined
    return a >> b


_BINARY: dict[str, Callable[[int, int], int]] = {
    "Add": add, "Sub": sub, "Mul": mul, "FloorDiv": floordiv, "FloorMod": mod, "Div": truncated, "Mod": _truncmod,
    "Min": min, "Max": max, "EQ": eq, "NE": ne, "LT": lt, "LE": le, "GT": gt, "GE": ge,
}  # fmt: skip
DIVISIONS = (floordiv, mod, truncated, _truncmod)
_INTRINSIC: dict[str, Callable[[int, int], int]] = {
    "shift_left": _shift_left, "shift_right": _shift_right, "bitwise_and": and_, "bitwise_or": or_, "bitwise_xor": xor,
}  # fmt: skip


def compiled(e: PrimExpr, fits: tuple[int, int] | None = None) -> Run:
    """``e``, a term of the core, as a closure; with ``fits`` every arithmetic step is held to that range."""
    run = _compiled(e, fits)
    if fits is None or e.dtype == "bool":
        return run
    low, high = fits

    def checked(env: Env) -> int:
        result = run(env)
        if not low <= result <= high:
            raise OutOfRange
        return result

    return checked


def _compiled(e: PrimExpr, fits: tuple[int, int] | None) -> Run:
    match e:
        case Literal():
            value = literal_int(e)
            return lambda env: value
        case SymVar(name):
            return lambda env: env[name]
        case Binary("And", a, b):
            left, right = compiled(a, fits), compiled(b, fits)
            return lambda env: left(env) and right(env)
        case Binary("Or", a, b):
            left, right = compiled(a, fits), compiled(b, fits)
            return lambda env: left(env) or right(env)
        case Binary(op, a, b):
            return _two(_BINARY[op], a, b, fits)
        case Not(a):
            inner = compiled(a, fits)
            return lambda env: 1 - inner(env)
        case Select(c, a, b):
            test, left, right = compiled(c, fits), compiled(a, fits), compiled(b, fits)

            def strict(env: Env) -> int:
                chosen, x, y = test(env), left(env), right(env)
                return x if chosen else y

            return strict
        case Cast(dtype, a):
            return _wrapped(dtype, compiled(a, fits))
        case Intrinsic():
            return _intrinsic(e, fits)
        case _:
            raise AssertionError(e)


def _two(apply: Callable[[int, int], int], a: PrimExpr, b: PrimExpr, fits: tuple[int, int] | None) -> Run:
    """Both operands, then the operator; without a call for an operand that is a symbol or a literal."""
    left, right = compiled(a, fits), compiled(b, fits)
    if fits is None and isinstance(b, Literal):
        value = literal_int(b)
        if value or apply not in DIVISIONS:
            if isinstance(a, SymVar):
                x = a.name
                return lambda env: apply(env[x], value)
            return lambda env: apply(left(env), value)
    if fits is None and isinstance(a, SymVar) and isinstance(b, SymVar) and apply not in DIVISIONS:
        x, y = a.name, b.name
        return lambda env: apply(env[x], env[y])
    if apply not in DIVISIONS:
        return lambda env: apply(left(env), right(env))

    def run(env: Env) -> int:
        try:
            return apply(left(env), right(env))
        except ZeroDivisionError:
            raise Undefined from None

    return run


def _wrapped(dtype: str, inner: Run) -> Run:
    """Wrapped into ``dtype``, always."""
    low, high = integer_range(dtype)
    width = high - low + 1
    return lambda env: (inner(env) - low) % width + low


def _intrinsic(e: Intrinsic, fits: tuple[int, int] | None) -> Run:
    match e.op, e.args:
        case "if_then_else", (c, a, b):
            test, left, right = compiled(c, fits), compiled(a, fits), compiled(b, fits)
            return lambda env: left(env) if test(env) else right(env)
        case "likely", (a,):
            return compiled(a, fits)
        case "abs", (a,):
            inner = compiled(a, fits)
            return lambda env: abs(inner(env))
        case "bitwise_not", (a,):
            inner = compiled(a, fits)
            return lambda env: ~inner(env)
        case op, (a, b) if op in _INTRINSIC:
            return _two(_INTRINSIC[op], a, b, fits)
        case _:
            raise AssertionError(e)
