"""Shorter spellings of quotients and remainders by constants, offered to ``simplify``, which proves them equal.

Spec: ``spec/06-shapes.md``, ``sh/simplify-under-assumptions``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.shape_solver.parse import integer
from refrelax.syntax.scalars import Binary, Intrinsic, PrimExpr, Select, as_int


def respelled(e: PrimExpr) -> PrimExpr:
    """``e`` with the rules of ``_one`` applied from the leaves upwards."""
    match e:
        case Binary(op, a, b):
            return _one(Binary(op, respelled(a), respelled(b)))
        case Select(c, a, b):
            return Select(respelled(c), respelled(a), respelled(b))
        case Intrinsic("if_then_else", (c, a, b)):
            return replace(e, args=(respelled(c), respelled(a), respelled(b)))
        case _:
            return e


def _one(e: Binary) -> PrimExpr:
    match e:
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
