"""Replacing symbols by expressions. Spec: ``spec/06-shapes.md``, ``sh/substitution``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from refrelax.rules import rule
from refrelax.syntax.scalars import (
    Binary,
    Broadcast,
    BufferLoad,
    BufferRef,
    Cast,
    CommReducer,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Ramp,
    RangeArg,
    Select,
    Shuffle,
    StringImm,
    SymVar,
    free_symbols,
)


@rule("sh/substitution")
def substitute(e: PrimExpr, by: Mapping[str, PrimExpr]) -> PrimExpr:
    """``e`` with each free symbol of ``by`` replaced, all at once. Untouched parts are the same objects.

    A ``Let`` hides its variable in its body; the variable is renamed where a replacement mentions it.
    """
    if not by:
        return e
    match e:
        case SymVar():
            return by.get(e.name, e)
        case Literal() | StringImm():
            return e
        case Binary(op, a, b):
            left, right = substitute(a, by), substitute(b, by)
            return e if left is a and right is b else Binary(op, left, right, span=e.span)
        case Not(a):
            return replace(e, a=substitute(a, by))
        case Cast() | Broadcast():
            return replace(e, value=substitute(e.value, by))
        case Select(c, a, b):
            return Select(substitute(c, by), substitute(a, by), substitute(b, by), span=e.span)
        case Intrinsic() | BufferRef():
            return replace(e, args=_all(e.args, by))
        case Let():
            return _let(e, by)
        case _:
            return _rare(e, by)


def _all(parts: tuple[PrimExpr, ...], by: Mapping[str, PrimExpr]) -> tuple[PrimExpr, ...]:
    return tuple(substitute(part, by) for part in parts)


def _let(e: Let, by: Mapping[str, PrimExpr]) -> PrimExpr:
    value = substitute(e.value, by)
    inner = {name: new for name, new in by.items() if name != e.var.name and name in free_symbols(e.body)}
    taken = frozenset().union(*(free_symbols(new) for new in inner.values())) if inner else frozenset()
    var = e.var
    if var.name in taken:
        taken |= free_symbols(e.body)
        fresh = (f"{var.name}_{k}" for k in range(1, len(taken) + 2))
        var = SymVar(next(name for name in fresh if name not in taken), var.dtype)
        inner[e.var.name] = var
    return Let(var, value, substitute(e.body, inner), span=e.span)


def _rare(e: PrimExpr, by: Mapping[str, PrimExpr]) -> PrimExpr:
    """Loads, vectors, and what stands only among the arguments of an intrinsic."""
    match e:
        case BufferLoad():
            predicate = None if e.predicate is None else substitute(e.predicate, by)
            return replace(e, indices=_all(e.indices, by), predicate=predicate)
        case Ramp():
            return replace(e, base=substitute(e.base, by), stride=substitute(e.stride, by))
        case Shuffle():
            return replace(e, vectors=_all(e.vectors, by), indices=_all(e.indices, by))
        case RangeArg():
            return replace(e, ranges=tuple((substitute(a, by), substitute(b, by)) for a, b in e.ranges))
        case CommReducer():
            bound = {each.name for each in (*e.lhs, *e.rhs)}
            inner = {name: new for name, new in by.items() if name not in bound}
            return replace(e, result=_all(e.result, inner), identity=_all(e.identity, by))
        case _:
            return e
