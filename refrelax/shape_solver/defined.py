"""Where an expression has a value: the conditions that its evaluation meets, in evaluation order.

Spec: ``spec/06-shapes.md``, ``sh/definedness``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.shape_solver.parse import integer
from refrelax.syntax.scalars import (
    Binary,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    SymVar,
    as_int,
    bool_imm,
    children,
    int_imm,
    literal_int,
)

ZERO = int_imm(0)


@rule("sh/definedness")
def conditions(e: PrimExpr) -> list[PrimExpr]:
    """Claims that hold exactly where ``e`` is defined, if each is asked where those before it hold."""
    match e:
        case Literal() | SymVar():
            return []
        case Binary("And", a, b):
            return [*conditions(a), *under(a, conditions(b))]
        case Binary("Or", a, b):
            return [*conditions(a), *under(Not(a), conditions(b))]
        case Intrinsic("if_then_else", (c, a, b)):
            return [*conditions(c), *under(c, conditions(a)), *under(Not(c), conditions(b))]
        case Binary(("FloorDiv" | "FloorMod" | "Div" | "Mod"), a, b):
            own: list[PrimExpr] = [] if as_int(b) else [Binary("NE", b, ZERO)]
            return [*conditions(a), *conditions(b), *own]
        case Intrinsic(("shift_left" | "shift_right"), (a, b)):
            count = as_int(b)
            own = [] if count is not None and count >= 0 else [Binary("GE", b, ZERO)]
            return [*conditions(a), *conditions(b), *own]
        case _:
            return [condition for part in children(e) for condition in conditions(part)]


def under(guard: PrimExpr, needed: list[PrimExpr]) -> list[PrimExpr]:
    """``needed`` where ``guard`` holds."""
    return [Binary("Or", Not(guard), each) for each in needed]


def in_range(e: PrimExpr, low: int, high: int) -> list[PrimExpr]:
    """Claims that every arithmetic step of ``e`` stays within ``low`` and ``high``, in evaluation order.

    Symbols are assumed to be in range.
    """
    match e:
        case Literal():
            return [] if low <= literal_int(e) <= high else [bool_imm(False)]
        case SymVar():
            return []
        case Binary("And", a, b):
            return [*in_range(a, low, high), *under(a, in_range(b, low, high))]
        case Binary("Or", a, b):
            return [*in_range(a, low, high), *under(Not(a), in_range(b, low, high))]
        case Intrinsic("if_then_else", (c, a, b)):
            arms = [*under(c, in_range(a, low, high)), *under(Not(c), in_range(b, low, high))]
            return [*in_range(c, low, high), *arms]
        case _:
            inner = [claim for part in children(e) for claim in in_range(part, low, high)]
            if e.dtype == "bool" or (isinstance(e, Binary) and e.op in ("Min", "Max", "FloorMod", "Mod")):
                return inner
            return [*inner, Binary("GE", e, integer(low)), Binary("LE", e, integer(high))]
