"""``T.Let`` taken out of a claim: its value stands wherever its variable stood, and is evaluated first.

Spec: ``spec/06b-solver.md``, ``sh/definedness``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from refrelax.syntax.dtypes import is_float
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
    int_imm,
    literal_int,
    walk,
)


def without_lets(e: PrimExpr) -> PrimExpr:
    """``e`` without ``T.Let``, with a value and steps out of range exactly where ``e`` has them; ``e`` itself if it has
    none. Values are shared, not copied."""
    return _opened(e, {}) if any(isinstance(node, Let) for node in walk(e)) else e


def _opened(e: PrimExpr, scope: Mapping[str, PrimExpr]) -> PrimExpr:
    match e:
        case SymVar(name):
            return scope.get(name, e)
        case Let(var, value, body):
            bound = _opened(value, scope)
            return evaluated(bound, _opened(body, {**scope, var.name: bound}))
        case Binary(op, a, b):
            return Binary(op, _opened(a, scope), _opened(b, scope), span=e.span)
        case Not(a):
            return replace(e, a=_opened(a, scope))
        case Cast():
            return replace(e, value=_opened(e.value, scope))
        case Select(c, a, b):
            return Select(_opened(c, scope), _opened(a, scope), _opened(b, scope), span=e.span)
        case Intrinsic():
            return replace(e, args=tuple(_opened(each, scope) for each in e.args))
        case _:
            return e


def evaluated(value: PrimExpr, body: PrimExpr) -> PrimExpr:
    """``body``, after ``value`` has been evaluated: it may have no value, or leave a range."""
    if isinstance(value, SymVar) or (isinstance(value, Literal) and not _may_leave(value)):
        return body
    done: PrimExpr = Binary("EQ", value, value)
    if is_float(value.dtype):
        done = Binary("Or", done, Not(done))  # a NaN is evaluated, too
    if body.dtype == "bool":
        return Binary("And", done, body)
    nothing = Cast(body.dtype, int_imm(0)) if is_float(body.dtype) else int_imm(0)
    return Intrinsic("if_then_else", (done, body, nothing), body.dtype)


def _may_leave(value: Literal) -> bool:
    """Whether a literal is a step that may leave a range; every range holds 0 and 1."""
    return not is_float(value.dtype) and literal_int(value) not in (0, 1)
