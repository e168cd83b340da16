"""Shorter terms that may equal one part of an expression, offered to ``simplify``, which proves them equal.

Nothing here is believed: divisors need not be numbers, and what a rule asks of them is left to the prover.

Spec: ``spec/06b-solver.md``, ``sh/simplify-under-assumptions``.
"""

from __future__ import annotations

from collections.abc import Iterator

from refrelax.shape_solver.core import integer
from refrelax.syntax.scalars import Binary, Intrinsic, Literal, PrimExpr, Select, SymVar, as_int, children

LIGHT = ("Add", "Sub", "Mul")


def is_heavy(e: PrimExpr) -> bool:
    """Whether ``e`` is an operation that is not ``+ - *``."""
    return not isinstance(e, (Literal, SymVar)) and getattr(e, "op", "") not in LIGHT


def offered(e: PrimExpr) -> Iterator[PrimExpr]:
    """What may be said instead of ``e``: a rule for quotients and choices, 0, its operands and theirs."""
    yield from _ruled(e)
    if not is_heavy(e) and not (isinstance(e, Binary) and e.op == "Mul"):
        return
    yield integer(0)
    seen: dict[PrimExpr, None] = {}
    for part in children(e):
        seen[part] = None
        seen.update(dict.fromkeys(children(part)))
    yield from (
        each for each in seen if (each.dtype == "bool") == (e.dtype == "bool") and not isinstance(each, Literal)
    )


def _ruled(e: PrimExpr) -> Iterator[PrimExpr]:
    match e:
        case Binary("FloorMod", Binary("FloorMod", x, m), k):
            yield Binary("FloorMod", x, k)
            yield Binary("FloorMod", x, m)
        case Binary("FloorDiv", Binary("FloorDiv", x, c), d):
            yield Binary("FloorDiv", x, _times(c, d))
        case Binary("FloorDiv", Binary("Add", a, b), d):
            for first, k in ((a, b), (b, a)):
                if isinstance(first, Binary) and first.op == "FloorDiv":
                    whole = Binary("Add", first.a, _times(k, first.b))
                    yield Binary("FloorDiv", whole, _times(first.b, d))
        case Binary("Add", a, b):
            yield from filter(None, (_joined(a, b), _joined(b, a)))
        case Binary("Min" | "Max", Binary("FloorDiv", x, c), Binary("FloorDiv", y, d)) if c == d:
            yield Binary("FloorDiv", Binary("Min", x, y), c)
            yield Binary("FloorDiv", Binary("Max", x, y), c)
        case Intrinsic("abs", (x,)):
            yield Binary("Sub", integer(0), x)
        case Select(_, a, b) | Intrinsic("if_then_else", (_, a, b)) if a.dtype != "bool":
            yield Binary("Min", a, b)
            yield Binary("Max", a, b)
        case _:
            pass


def _times(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    first, second = as_int(a), as_int(b)
    return Binary("Mul", a, b) if first is None or second is None else integer(first * second)


def _joined(a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
    """``x // c % d * c + x % c`` as ``x % (c * d)``."""
    match a, b:
        case Binary("Mul", Binary("FloorMod", Binary("FloorDiv", x, c), d), k), Binary("FloorMod", y, m):
            return Binary("FloorMod", x, _times(c, d)) if x == y and c == k == m else None
        case _:
            return None
