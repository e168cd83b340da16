"""The floats inside a dimension: what they are at given values of the symbols, by the arithmetic of ``numbers``.

They are read as ``enclosure``: every permitted result of every step. A dimension takes the one integer or truth that
all of them give; where they give several, or poison, the run is open.

Spec: ``spec/06-shapes.md``, ``sh/float-value``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from refrelax.errors import Ended, Exhausted, InternalError, unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.enclosure import enclosure
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.scalar_operators import ARITHMETIC, BINARY, TERNARY, UNARY
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Let, Literal, PrimExpr, Select, SymVar

Env = Mapping[str, Any]
"""Symbols by name: an ``int``; of a float a number, or the payload that a ``T.Let`` gave it."""

Symbols = dict[str, int | float]
"""The symbols of one call, by name."""

Value = Callable[[PrimExpr, Env], int]
"""``exact.value``: the index and truth terms that stand in a float."""


@rule("sh/float-value")
def decided(e: PrimExpr, env: Env, value: Value) -> int:
    """The index or truth ``e`` that is computed from floats (``kinds.of_floats``).

    Raises:
        Ended: the rule of the poison that it is, or ``num/undetermined`` where several values are permitted.
    """
    try:
        found = payload(e, env, value)
        if dtypes.kind(e.dtype) == "bool":
            return int(enclosure().decide(found))
        return enclosure().to_index(found, e.dtype)
    except Ended as end:
        if isinstance(end.outcome, Exhausted) or end.outcome.span is not None:
            raise
        raise Ended(replace(end.outcome, span=e.span)) from None


@rule("sh/float-value")
def number(e: PrimExpr, env: Env, value: Value) -> float:
    """The float ``e``, a prim value. Raises as ``decided`` does."""
    found = payload(e, env, value)
    if isinstance(found, float):
        return found
    mark = enclosure().poison_rule(found)
    if mark is not None:
        raise unspecified(mark, "a prim value depends on an element that may have no meaning", e.span)
    raise unspecified("num/undetermined", f"several values of {e.dtype} are permitted for a prim value", e.span)


def payload(e: PrimExpr, env: Env, value: Value) -> Payload:
    """``e`` in the reading ``enclosure``. Index terms in it are exact, as everywhere in a dimension."""
    home = enclosure()
    match e:
        case Literal() if dtypes.is_float(e.dtype):
            return home.at(e.dtype).from_bits(e.bits)
        case SymVar() if dtypes.is_float(e.dtype):
            if e.name not in env:
                raise InternalError(f"no value for the symbol {e.name!r}")
            found = env[e.name]
            return home.at(e.dtype).lit(found) if isinstance(found, (int, float)) else found
        case Binary() if dtypes.is_float(e.a.dtype):
            a, b = payload(e.a, env, value), payload(e.b, env, value)
            return ARITHMETIC[e.op](home.at(e.a.dtype))(a, b)
        case Cast() if dtypes.is_float(e.dtype) or dtypes.is_float(e.value.dtype):
            return home.at(e.dtype).cast(payload(e.value, env, value), e.value.dtype)
        case Select() if dtypes.is_float(e.dtype):
            chosen = value(e.condition, env)
            a, b = payload(e.true_value, env, value), payload(e.false_value, env, value)
            return a if chosen else b
        case Let() if dtypes.is_float(e.dtype):
            return payload(e.body, bound(e, env, value), value)
        case Intrinsic() if dtypes.is_float(e.dtype) or any(dtypes.is_float(each.dtype) for each in e.args):
            return _intrinsic(e, env, value)
        case _ if dtypes.kind(e.dtype) == "bool":
            return home.truth(bool(value(e, env)))
        case _ if dtypes.is_integer(e.dtype):
            return home.at(e.dtype).lit(value(e, env))
        case _:
            raise InternalError(f"{type(e).__name__} of {e.dtype} is no scalar of a dimension")


def bound(e: Let, env: Env, value: Value) -> Env:
    """The symbols in the body of ``e``; its value is evaluated first."""
    given = payload(e.value, env, value) if dtypes.is_float(e.var.dtype) else value(e.value, env)
    return {**env, e.var.name: given}


def _intrinsic(e: Intrinsic, env: Env, value: Value) -> Payload:
    if e.op == "if_then_else":
        return payload(e.args[1] if value(e.args[0], env) else e.args[2], env, value)
    args = [payload(each, env, value) for each in e.args]
    if e.op == "likely":
        return args[0]
    source = e.args[0].dtype
    if e.op == "reinterpret":
        return enclosure().at(e.dtype).reinterpret(args[0], source)
    f = enclosure().at(source)
    match args:
        case [a] if e.op in UNARY:
            return UNARY[e.op](f)(a)
        case [a, b] if e.op in BINARY:
            return BINARY[e.op](f)(a, b)
        case [a, b, c] if e.op in TERNARY:
            return TERNARY[e.op](f)(a, b, c)
        case _:
            raise InternalError(f"T.{e.op} of {len(args)} arguments is no scalar of a dimension")
