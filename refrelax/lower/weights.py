"""What computing an element again would cost: the measure by which fusion decides what to repeat.

A load, a literal, a cast, a choice and everything inside an index cost nothing; an arithmetic operation costs 1, an
intrinsic 8. Costs steer which rewrites are worth while; none is right or wrong because of them.
"""

from __future__ import annotations

from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    children,
)

INTRINSIC = 8
CHOICES = frozenset({"if_then_else", "likely"})


def weigh(e: PrimExpr) -> int:
    """The cost of a value."""
    match e:
        case BufferLoad() | Literal() | SymVar():
            return 0
        case Cast():
            return weigh(e.value)
        case Select():
            return weigh(e.true_value) + weigh(e.false_value) + (weigh(e.condition) and 1)
        case Intrinsic(op=op) if op in CHOICES:
            return sum(weigh(a) for a in e.args[-2:])
        case Intrinsic():
            return INTRINSIC + sum(map(weigh, e.args))
        case Binary() | Not():
            return 1 + sum(map(weigh, children(e)))
        case _:
            return INTRINSIC + sum(map(weigh, children(e)))


def nodes(e: PrimExpr) -> int:
    """The size of an expression."""
    return 1 + sum(map(nodes, children(e)))
