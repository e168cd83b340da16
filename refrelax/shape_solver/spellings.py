"""Shorter spellings of quotients and remainders by constants, offered to ``simplify``, which proves them equal.

Spec: ``spec/06b-solver.md``, ``sh/simplify-under-assumptions``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.shape_solver.core import integer
from refrelax.syntax.scalars import Binary, BinaryOp, Intrinsic, PrimExpr, Select, as_int

MAX_NESTED = 8
"""Conditions inside an arm that are compared with the one around it."""


def respelled(e: PrimExpr) -> PrimExpr:
    """``e`` with the rules of ``_one`` applied from the leaves upwards."""
    match e:
        case Binary(op, a, b):
            return _one(Binary(op, respelled(a), respelled(b)))
        case Select(c, a, b):
            return Select(respelled(c), *_chosen(c, respelled(a), respelled(b)))
        case Intrinsic("if_then_else", (c, a, b)):
            return replace(e, args=(respelled(c), *_chosen(c, respelled(a), respelled(b))))
        case _:
            return e


def _chosen(c: PrimExpr, a: PrimExpr, b: PrimExpr) -> tuple[PrimExpr, PrimExpr]:
    """``a`` where ``c`` is known to hold, ``b`` where it is known not to."""
    for _ in range(MAX_NESTED):
        match a:
            case Select(d, x, _) | Intrinsic("if_then_else", (d, x, _)) if d == c:
                a = x
        match b:
            case Select(d, _, x) | Intrinsic("if_then_else", (d, _, x)) if d == c:
                b = x
    return a, b


def with_remainders(e: PrimExpr) -> PrimExpr:
    """``e`` with ``x // c * c`` written as ``x - x % c``: shorter where ``x`` then goes out."""
    match e:
        case Binary("Mul", Binary("FloorDiv", x, c), d) if c == d and _positive(c):
            part = with_remainders(x)
            return Binary("Sub", part, Binary("FloorMod", part, c))
        case Binary(op, a, b):
            return Binary(op, with_remainders(a), with_remainders(b))
        case _:
            return e


def _one(e: Binary) -> PrimExpr:
    match e:
        case Binary(("Min" | "Max") as op, Binary("FloorDiv", x, c), Binary("FloorDiv", y, d)) if c == d and as_int(c):
            turned: BinaryOp = op if _int(c) > 0 else "Max" if op == "Min" else "Min"
            return Binary("FloorDiv", Binary(turned, x, y), c)
        case Binary("FloorDiv", Binary("FloorMod", _, m), k) if _positive(k, m) and _int(m) <= _int(k):
            return integer(0)
        case Binary("FloorMod", Binary("FloorMod", x, m), k) if _divides(k, m):
            return Binary("FloorMod", x, k)
        case Binary("FloorMod", Binary("FloorMod", x, m), k) if _positive(k, m) and _int(m) <= _int(k):
            return Binary("FloorMod", x, m)
        case Binary("FloorDiv", Binary("Add", Binary("FloorDiv", x, c), k), d) if (
            _positive(c, d) and as_int(k) is not None
        ):
            return Binary("FloorDiv", Binary("Add", x, integer(_int(k) * _int(c))), integer(_int(c) * _int(d)))
        case Binary("Add", a, b):
            return _joined(a, b) or _joined(b, a) or e
        case _:
            return e


def _joined(a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
    """``x // c % d * c + x % c`` as ``x % (c * d)``."""
    match a, b:
        case Binary("Mul", Binary("FloorMod", Binary("FloorDiv", x, c), d), k), Binary("FloorMod", y, m) if (
            x == y and c == k == m and _positive(c, d)
        ):
            return Binary("FloorMod", x, integer(_int(c) * _int(d)))
        case _:
            return None


def _divides(k: PrimExpr, m: PrimExpr) -> bool:
    return _positive(k, m) and _int(m) % _int(k) == 0


def _positive(*parts: PrimExpr) -> bool:
    return all((as_int(each) or 0) > 0 for each in parts)


def _int(e: PrimExpr) -> int:
    value = as_int(e)
    assert value is not None
    return value
