"""Bit operators and conversions as arithmetic, exact on all integers (two's complement without end).

Integers under ``^`` and ``&`` are a ring in which ``x & x == x`` and ``x ^ x == 0``. An expression of bit operators is
a polynomial in it: a set of products of *parts* (what is no bit operator), each under a constant mask. The polynomial
is unique; as arithmetic it is a sum over the sets of its products, ``a ^ b == a + b - 2 * (a & b)`` and so on. What is
left is ``a & b`` of parts that are no constants. A conversion to a dtype from ``l`` to ``h`` is
``(x - l) % (h - l + 1) + l``.

Spec: ``spec/06b-solver.md``, ``sh/bits``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from refrelax.semantics.dims.atoms import Atoms
from refrelax.shape_solver.bit_forms import BITWISE, is_bits, number_or, wrapped
from refrelax.shape_solver.bit_products import either, short
from refrelax.shape_solver.bit_ring import Ring
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.core import INT, each_once, integer, operators_in, rebuilt
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import (
    Binary,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    children,
    int_imm,
)

MAX_OPENED = 64
"""Bit operators opened in one claim."""

OPENED = BITWISE | {"Cast", "Div"}
"""Operators without which a term stays as it is."""

NOTHING = Context()


def opened(e: PrimExpr, context: Context = NOTHING, moves: bool = True) -> PrimExpr:
    """``e`` with its conversions and its bit operators opened (the latter unless there are too many). ``context``: what
    is known of its symbols. ``moves``: whether a quotient of bit operators is one itself."""
    if OPENED.isdisjoint(operators_in(e)):
        return e
    count = sum(1 for node in each_once(e) if isinstance(node, Intrinsic) and node.op in BITWISE)
    ring = Ring(context, atoms=Atoms(context.facts)) if 0 < count <= MAX_OPENED else None
    return _Opening(ring, moves).visit(e)


@dataclass(slots=True)
class _Opening:
    ring: Ring | None
    moves: bool
    known: dict[int, PrimExpr] = field(default_factory=dict)

    def visit(self, e: PrimExpr) -> PrimExpr:
        if isinstance(e, (SymVar, Literal)):
            return e
        if id(e) not in self.known:
            self.known[id(e)] = self.opened(e)
        return self.known[id(e)]

    def opened(self, e: PrimExpr) -> PrimExpr:
        if self.ring is not None and (found := self.compared(self.ring, e)) is not None:
            return found
        if self.ring is not None and (is_bits(e) if self.moves else isinstance(e, Intrinsic) and e.op in BITWISE):
            bits = self.ring.read(e, self.visit)
            if bits is not None and short(bits):
                return self.ring.spelled(bits)
        if self.ring is not None and self.moves and isinstance(e, Cast) and is_bits(e.value):
            bits = self.ring.read(e, self.visit)
            if bits is not None and short(bits):
                return self.ring.spelled(bits)
        inner = rebuilt(e, tuple(map(self.visit, children(e))))
        match inner:
            case Select(c, a, b) | Intrinsic("if_then_else", (c, a, b)) if a.dtype != "bool":
                return chosen(c, a, b) or inner
            case Cast(dtype, a):
                return wrapped(a, *integer_range(dtype))
            case Binary("Div", Binary("Div", a, b), c) if as_int(b) and as_int(c):
                return Binary("Div", a, integer(number_or(as_int(b), 1) * number_or(as_int(c), 1)))
            case Intrinsic(op, args) if self.ring is not None and op in BITWISE:
                return arithmetic(op, *args)
            case _:
                return inner

    def compared(self, ring: Ring, e: PrimExpr) -> PrimExpr | None:
        """An equation of bit operators as one of what is left of both sides by ``^``, if that is less; ``a | b == 0``
        as two."""
        match e:
            case Binary("EQ" | "NE" as op, Intrinsic("bitwise_or", (a, b)), zero) if ring.read(zero, self.visit) == {}:
                x_zero, y_zero = (Binary("EQ", self.visit(part), int_imm(0)) for part in (a, b))
                neither = Binary("And", x_zero, y_zero)
                return neither if op == "EQ" else Not(neither)
            case Binary("EQ" | "NE" as op, a, b) if a.dtype != "bool" and (is_bits(a) or is_bits(b)):
                x, y = ring.read(a, self.visit), ring.read(b, self.visit)
                left = either(x, y)
                if x is None or y is None or left is None:
                    return None
                if left and all(mask == 1 for mask in left.values()) and ring.lowest(left) == {}:
                    return Binary(op, int_imm(0), int_imm(0))
                if len(left) == 2 < len(x) + len(y):  # the same bits on both sides are gone
                    one, other = left.items()
                    return Binary(op, ring.spelled(dict([one])), ring.spelled(dict([other])))
                if len(left) >= max(len(x), len(y)) or not short(left):
                    return None
                return Binary(op, ring.spelled(left), int_imm(0))
            case _:
                return None


def chosen(c: PrimExpr, a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
    """``a if a < b else b`` as a minimum, and the like."""
    match c:
        case Binary("LT" | "LE" | "GT" | "GE" as op, x, y) if (x, y) in ((a, b), (b, a)):
            return Binary("Min" if (op in ("LT", "LE")) == ((x, y) == (a, b)) else "Max", a, b)
        case _:
            return None


def arithmetic(op: str, a: PrimExpr, b: PrimExpr | None = None) -> PrimExpr:
    """One bit operator over opened operands."""
    if b is None:
        return Binary("Sub", integer(-1), a)
    common: PrimExpr = Intrinsic("bitwise_and", (a, b), INT)
    if op == "bitwise_and":
        return common
    return Binary("Sub", Binary("Add", a, b), common if op == "bitwise_or" else Binary("Mul", int_imm(2), common))


def has_moves(e: PrimExpr) -> bool:
    """Whether a part of ``e`` moves or cuts the bits of a bit operator."""
    return not BITWISE.isdisjoint(operators_in(e)) and any(
        is_bits(node) and not (isinstance(node, Intrinsic) and node.op in BITWISE) for node in each_once(e)
    )
