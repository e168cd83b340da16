"""A shorter equal expression, spelled as TVM's analyzer and printer spell it in the usual cases.

Spec: ``spec/06-shapes.md``, ``sh/simplify``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.facts import Facts
from refrelax.semantics.dims.kinds import of_floats
from refrelax.semantics.dims.linear import Linear, content, leaf, plus, spelled, term, times
from refrelax.semantics.dims.normal import INTEGRAL, normal
from refrelax.semantics.dims.poly import Poly, add, as_const, sub
from refrelax.semantics.dims.ranges import nonneg
from refrelax.semantics.dims.spell import STEP, Spent, TooWide, imm, spell_in_full
from refrelax.syntax.dtypes import kind, lanes
from refrelax.syntax.scalars import (
    COMPARISONS,
    Binary,
    BinaryOp,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    bool_imm,
    int_imm,
    walk,
)

_NEGATED: dict[str, BinaryOp] = {"EQ": "NE", "NE": "EQ", "LT": "GE", "GE": "LT", "LE": "GT", "GT": "LE"}
_TURNED: dict[str, BinaryOp] = {"GT": "LT", "GE": "LE"}


@rule("sh/simplify")
def simplify(e: PrimExpr, facts: Facts) -> PrimExpr:
    """An expression with the value of ``e`` wherever that is defined and the facts hold; idempotent."""
    for _ in range(8):
        if isinstance(e, (Literal, SymVar)) or kind(e.dtype) not in INTEGRAL or lanes(e.dtype) > 1:
            return e
        try:
            result = _Simplifier(Atoms(facts)).shortest(e)
        except (TooWide, Spent):
            return e
        if result == e:
            return e
        e = result
    return e


def size(e: PrimExpr) -> int:
    """How many leaves of ``e`` are no constants."""
    return sum(1 for node in walk(e) if isinstance(node, SymVar))


@dataclass(frozen=True, slots=True)
class _Simplifier:
    atoms: Atoms

    @rule("sh/fuel")
    def opened(self, e: PrimExpr) -> Poly:
        """The normal form. Raises ``Spent`` once the fuel of this question is."""
        p = normal(e, self.atoms)
        if self.atoms.exhausted:
            raise Spent
        return p

    def shortest(self, e: PrimExpr) -> PrimExpr:
        """The shape-keeping form, or the normal form where that mentions fewer symbols."""
        shaped = self.truth(e) if e.dtype == "bool" else spelled(self.linear(e), e.dtype)
        opened = spell_in_full(self.opened(e), self.atoms, e.dtype)
        return opened if opened is not None and size(opened) < size(shaped) else shaped

    def nonneg(self, a: PrimExpr, b: PrimExpr, less: int = 0) -> bool:
        """Whether ``a - b - less >= 0`` is shown."""
        difference = sub(self.opened(a), self.opened(b))
        return nonneg(add(difference, {(): less} if less else {}, -1), self.atoms)

    # --- integers

    def linear(self, e: PrimExpr) -> Linear:
        """``e`` as a sum of products, every part simplified."""
        if kind(e.dtype) not in INTEGRAL:
            return leaf(e)
        if not self.atoms.charge(STEP):
            raise Spent
        match e:
            case Binary("Add", a, b):
                return self.pushed(plus(self.linear(a), self.linear(b)), e.dtype)
            case Binary("Sub", a, b):
                return self.pushed(plus(self.linear(a), self.linear(b), -1), e.dtype)
            case Binary("Mul", a, b):
                return times(self.linear(a), self.linear(b), e.dtype)
            case Binary("FloorDiv", a, b):
                return self.floordiv(self.linear(a), self.linear(b), e.dtype)
            case Binary("FloorMod", a, b):
                return self.floormod(self.linear(a), self.linear(b), e.dtype)
            case Binary(("Div" | "Mod") as op, a, b):
                return self.truncated(op, a, b, e.dtype)
            case Binary(("Min" | "Max") as op, a, b):
                return self.extreme(op, self.linear(a), self.linear(b), e.dtype)
            case _:
                return leaf(self.other(e))

    def floordiv(self, a: Linear, b: Linear, dtype: str) -> Linear:
        if b.terms or b.fixed <= 0:
            common = gcd(content(a), a.fixed, content(b), b.fixed)
            if common > 1 and b.terms:
                a, b = _reduced(a, common), _reduced(b, common)
            return leaf(self.decided(Binary("FloorDiv", spelled(a, dtype), spelled(b, dtype))))
        out, rest = self.divided(a, b.fixed)
        common = gcd(content(rest), b.fixed)
        if common > 1 and rest.terms:
            return plus(self.floordiv(_reduced(rest, common), Linear(b.fixed // common), dtype), out)
        if not rest.terms:
            return plus(Linear(rest.fixed // b.fixed), out)
        return plus(self.quotient(rest, b.fixed, dtype), out)

    @staticmethod
    def divided(a: Linear, divisor: int) -> tuple[Linear, Linear]:
        """``q, r`` with ``a == divisor * q + r``: the parts that ``divisor`` divides, and the others."""
        out = {key: (c // divisor, factors) for key, (c, factors) in a.terms.items() if c % divisor == 0}
        rest = {key: (c, factors) for key, (c, factors) in a.terms.items() if c % divisor}
        whole = a.fixed // divisor if a.fixed % divisor == 0 else 0
        return Linear(whole, out), Linear(a.fixed - whole * divisor, rest)

    def quotient(self, a: Linear, divisor: int, dtype: str) -> Linear:
        """``a // divisor`` where nothing comes out; a quotient of a quotient is one quotient."""
        match a.sole():
            case (1, (Binary("FloorDiv", x, y),)) if (inner := as_int(y)) is not None and inner > 0:
                return self.floordiv(self.linear(x), Linear(inner * divisor), dtype)
            case _:
                return leaf(self.decided(Binary("FloorDiv", spelled(a, dtype), imm(divisor, dtype))))

    def floormod(self, a: Linear, b: Linear, dtype: str) -> Linear:
        if b.terms or b.fixed <= 0:
            return leaf(self.decided(Binary("FloorMod", spelled(a, dtype), spelled(b, dtype))))
        _, rest = self.divided(a, b.fixed)
        reduced = {k: (c % b.fixed if abs(c) > b.fixed else c, f) for k, (c, f) in rest.terms.items()}
        rest = Linear(rest.fixed, reduced)
        common = gcd(content(rest), rest.fixed, b.fixed)
        if common > 1 and rest.terms:
            inner = self.floormod(_reduced(rest, common), Linear(b.fixed // common), dtype)
            return plus(Linear(), inner, common)
        if not rest.terms:
            return Linear(rest.fixed % b.fixed)
        return leaf(self.decided(Binary("FloorMod", spelled(rest, dtype), imm(b.fixed, dtype))))

    def truncated(self, op: BinaryOp, a: PrimExpr, b: PrimExpr, dtype: str) -> Linear:
        """Truncated division keeps its spelling, except where the divisor divides or the result is known."""
        left, right = self.linear(a), self.linear(b)
        if not right.terms and right.fixed > 0:
            out, rest = self.divided(left, right.fixed)
            if not rest.terms and not rest.fixed:
                return out if op == "Div" else Linear()
        return leaf(self.decided(Binary(op, spelled(left, dtype), spelled(right, dtype))))

    def extreme(self, op: BinaryOp, a: Linear, b: Linear, dtype: str) -> Linear:
        """``min`` and ``max``: decided where one operand is shown to win; shared constants and factors come out."""
        x, y = spelled(a, dtype), spelled(b, dtype)
        for winner, loser, form in ((x, y, a), (y, x, b)):
            if self.nonneg(winner, loser) if op == "Max" else self.nonneg(loser, winner):
                return form
        if a.fixed == b.fixed and a.fixed and a.terms and b.terms:
            return plus(Linear(a.fixed), self.extreme(op, Linear(0, a.terms), Linear(0, b.terms), dtype))
        common = gcd(content(a), a.fixed, content(b), b.fixed)
        if common > 1:
            return plus(Linear(), self.extreme(op, _reduced(a, common), _reduced(b, common), dtype), common)
        return leaf(Binary(op, x, y))

    def pushed(self, a: Linear, dtype: str) -> Linear:
        """``max(n - 1, 0) + 1`` as ``max(n, 1)``: the constant goes in where it cancels one."""
        if a.fixed and len(a.terms) == 1:
            ((coefficient, factors),) = a.terms.values()
            match coefficient, factors:
                case 1, (Binary(("Min" | "Max") as op, x, y),):
                    parts = [self.linear(x), self.linear(y)]
                    if any(part.terms and part.fixed == -a.fixed for part in parts):
                        x, y = (spelled(plus(part, Linear(a.fixed)), dtype) for part in parts)
                        return term(1, (Binary(op, x, y),))
        return a

    def decided(self, e: PrimExpr) -> PrimExpr:
        """``e``, or its value where the normal form is a constant or one symbol."""
        p = self.opened(e)
        if as_const(p) is not None or (len(p) == 1 and all(len(mono) == 1 for mono in p)):
            opened = spell_in_full(p, self.atoms, e.dtype)
            if opened is not None and size(opened) < size(e):
                return opened
        return e

    def other(self, e: PrimExpr) -> PrimExpr:
        """What is no arithmetic: the parts are simplified, a known condition chooses."""
        if of_floats(e):
            known = as_const(self.opened(e))
            return e if known is None else imm(known, e.dtype)
        match e:
            case Select(c, a, b) | Intrinsic("if_then_else", (c, a, b)):
                condition = self.shortest(c)
                known = as_int(condition)
                if known is not None:
                    return self.shortest(a if known else b)
                parts = (condition, self.shortest(a), self.shortest(b))
                return Select(*parts) if isinstance(e, Select) else replace(e, args=parts)
            case Cast(dtype, value):
                inner = self.shortest(value) if kind(value.dtype) in INTEGRAL else value
                known = as_int(inner)
                return e if known is None and inner is value else _cast(dtype, inner)
            case Intrinsic():
                return replace(e, args=tuple(self.shortest(a) if kind(a.dtype) in INTEGRAL else a for a in e.args))
            case Let() | _:
                return e

    # --- truth values

    def truth(self, e: PrimExpr) -> PrimExpr:
        """A condition: decided, or turned into ``==``, ``!=``, ``<``, ``<=`` over simplified sides."""
        value = as_const(self.opened(e))
        if value in (0, 1):
            return bool_imm(bool(value))
        match e:
            case Binary(op, a, b) if op in COMPARISONS and kind(a.dtype) in INTEGRAL:
                return self.comparison(op, a, b)
            case Binary(("And" | "Or") as op, a, b):
                return _connected(op, self.truth(a), self.truth(b))
            case Not(Binary(op, a, b)) if op in COMPARISONS and kind(a.dtype) in INTEGRAL:
                return self.truth(Binary(_NEGATED[op], a, b))
            case Not(a):
                return Not(self.truth(a))
            case _:
                return self.other(e)

    def comparison(self, op: BinaryOp, a: PrimExpr, b: PrimExpr) -> PrimExpr:
        if op in _TURNED:
            op, a, b = _TURNED[op], b, a
        dtype = a.dtype
        if dtype == "bool":
            return Binary(op, self.truth(a), self.truth(b))
        difference = plus(self.linear(a), self.linear(b), -1)
        common = content(difference)
        if common > 1 and op in ("LT", "LE"):
            fixed = difference.fixed // common if op == "LT" else -(-difference.fixed // common)
            difference = Linear(fixed, _reduced(difference, common).terms)
        elif common > 1 and difference.fixed % common == 0:
            difference = _reduced(difference, common)
        return _sides(op, difference, dtype)


def _reduced(a: Linear, common: int) -> Linear:
    """``a`` with coefficients and constant divided by ``common``; the constant is floored."""
    return Linear(a.fixed // common, {key: (c // common, factors) for key, (c, factors) in a.terms.items()})


def _sides(op: BinaryOp, difference: Linear, dtype: str) -> PrimExpr:
    """``difference op 0`` with what is added on the left and what is subtracted on the right."""
    left = Linear(max(difference.fixed, 0), {k: t for k, t in difference.terms.items() if t[0] > 0})
    right = Linear(max(-difference.fixed, 0), {k: (-t[0], t[1]) for k, t in difference.terms.items() if t[0] < 0})
    return Binary(op, spelled(left, dtype), spelled(right, dtype))


def _connected(op: BinaryOp, a: PrimExpr, b: PrimExpr) -> PrimExpr:
    if a.dtype != "bool" or b.dtype != "bool":
        return Binary(op, a, b)  # neither operand is the truth that it counts as
    for x, y in ((a, b), (b, a)):
        known = as_int(x)
        if known is not None:
            return y if bool(known) == (op == "And") else x
    return a if a == b else Binary(op, a, b)


def _cast(dtype: str, e: PrimExpr) -> PrimExpr:
    known = as_int(e)
    if known is not None:
        return int_imm(known, dtype) if dtype != "bool" else bool_imm(known != 0)
    return e if e.dtype == dtype else Cast(dtype, e)
