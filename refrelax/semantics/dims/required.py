"""The part of ``sh/equal`` that every implementation shows: polynomial arithmetic, closed values, exact quotients.

Spec: ``spec/06-shapes.md``, *What must be shown*.
"""

from __future__ import annotations

from refrelax.errors import Ended
from refrelax.rules import rule
from refrelax.semantics.dims.exact import value
from refrelax.semantics.dims.normal import INTEGRAL, attributes
from refrelax.semantics.dims.poly import Mono, Poly, add, as_const, const, join, serial, sub, without
from refrelax.syntax.dtypes import kind, lanes
from refrelax.syntax.scalars import (
    Binary,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    SymVar,
    children,
    int_imm,
    literal_int,
)

TERMS = 512
"""A product that would have more monomials is opaque, as in ``sh/polynomial``."""

Scope = dict[str, Poly]


@rule("sh/required")
def required(a: PrimExpr, b: PrimExpr) -> bool | None:
    """What every implementation answers: ``True`` equal, ``False`` different, ``None``: it may leave the question open,
    or show more."""
    if kind(a.dtype) not in INTEGRAL or kind(b.dtype) not in INTEGRAL:
        return None
    reader = _Reader()
    difference = sub(reader.form(a), reader.form(b))
    if not difference:
        return True
    return False if as_const(difference) is not None else None


class _Reader:
    """Expressions on their way to sums of products of symbols and opaque parts; each object is opened once."""

    def __init__(self, scope: Scope | None = None) -> None:
        self.scope = scope or {}
        self.known: dict[int, Poly] = {}

    def form(self, e: PrimExpr) -> Poly:
        if id(e) not in self.known:
            self.known[id(e)] = self._form(e)
        return self.known[id(e)]

    def _form(self, e: PrimExpr) -> Poly:
        match e:
            case Literal() if kind(e.dtype) in INTEGRAL:
                return const(literal_int(e))
            case SymVar() if e.name in self.scope:
                return self.scope[e.name]
            case SymVar() if kind(e.dtype) in INTEGRAL and lanes(e.dtype) == 1:
                return {(f"{e.name!r}:{e.dtype}",): 1}
            case Let():
                return _Reader({**self.scope, e.var.name: self.form(e.value)}).form(e.body)
            case Binary(op="Add", a=a, b=b) if kind(e.dtype) in INTEGRAL:
                return add(self.form(a), self.form(b))
            case Binary(op="Sub", a=a, b=b) if kind(e.dtype) in INTEGRAL:
                return sub(self.form(a), self.form(b))
            case Binary(op="Mul", a=a, b=b) if kind(e.dtype) in INTEGRAL:
                p, q = self.form(a), self.form(b)
                return self.opaque(e) if len(p) * len(q) > TERMS else _product(p, q)
            case _:
                return self.other(e)

    def other(self, e: PrimExpr) -> Poly:
        """What is no sum or product: its value where its parts have one, the quotient of what divides, else itself."""
        found = self.evaluated(e)
        if found is not None:
            return const(found)
        match e:
            case Binary(op=("FloorDiv" | "FloorMod") as op, a=a, b=b):
                quotient = _quotient(self.form(a), self.form(b))
                if quotient is not None:
                    return quotient if op == "FloorDiv" else {}
            case Binary(op="Min" | "Max", a=a, b=b) if not sub(self.form(a), self.form(b)):
                return self.form(a)
            case _:
                pass
        return self.opaque(e)

    def evaluated(self, e: PrimExpr) -> int | None:
        """The value of an operator on integers that its operands' forms are."""
        if not isinstance(e, Binary | Not) or any(kind(each.dtype) not in INTEGRAL for each in children(e)):
            return None
        parts = [as_const(self.form(each)) for each in children(e)]
        numbers = [int_imm(n, "int64") for n in parts if n is not None and -(2**63) <= n < 2**63]
        if len(numbers) != len(parts):
            return None
        try:
            if isinstance(e, Not):
                return value(Not(numbers[0]), {})
            return value(Binary(e.op, numbers[0], numbers[1]), {})
        except Ended:
            return None

    def opaque(self, e: PrimExpr) -> Poly:
        """A name that equal operators on equal operands have."""
        match e:
            case Intrinsic():
                head = f"{e.op}{list(e.attrs)!r}{[each.dtype for each in e.args]}"
            case Literal() | SymVar():
                head = repr(e)
            case _:
                head = f"{type(e).__name__}{attributes(e)}"
        parts = [serial(self.form(each)) for each in children(e)]
        if isinstance(e, Binary) and e.op in ("Min", "Max"):
            parts.sort()
        return {(f"{head}:{e.dtype}({';'.join(parts)})",): 1}


def _product(p: Poly, q: Poly) -> Poly:
    total: Poly = {}
    for mono, factor in q.items():
        total = add(total, {join(mono, each): factor * c for each, c in p.items()})
    return total


def _quotient(p: Poly, q: Poly) -> Poly | None:
    """``p / q`` where ``q`` is one product that divides every product of ``p``."""
    if len(q) != 1:
        return None
    ((divisor, factor),) = q.items()
    found: Poly = {}
    for mono, c in p.items():
        rest: Mono | None = without(mono, divisor)
        if rest is None or c % factor:
            return None
        found[rest] = c // factor
    return found


__all__ = ["required"]
