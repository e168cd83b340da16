"""A question as formulas over integers, ready for a solver: two readings of "the claim is false here, and defined".

``Normal`` goes through the normal form (short, many divisions gone); ``Plain`` follows the expression (nothing
rewritten). Both give the small formula language of ``axioms.py``: nested tuples that any solver interface can walk.

Spec: ``spec/06b-solver.md``, ``sh/encoding``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any

from refrelax.semantics.dims.atoms import Atom, Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly
from refrelax.shape_solver.axioms import Fresh, Node, both, le, lt, no, plus, some, times, var
from refrelax.shape_solver.context import Context, negation
from refrelax.shape_solver.defined import conditions
from refrelax.syntax.dtypes import is_integer
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
    literal_int,
)


class TooMany(Exception):
    """A question has more formulas than are to be made of it."""


AXIOM = 6
"""Terms and formulas in an axiom."""

# --- the two readings ------------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Reading:
    """What both have. ``most``: terms and formulas after which no more are made."""

    fresh: Fresh = field(default_factory=Fresh)
    kept: Kept = field(default_factory=dict)
    terms: dict[Any, Any] = field(default_factory=dict)
    most: float = inf

    @property
    def size(self) -> int:
        """Terms and formulas so far, about."""
        return len(self.terms) + len(self.kept) + AXIOM * len(self.fresh.axioms)


@dataclass(slots=True)
class Plain(_Reading):
    """Follows the expression. ``terms``: by identity, so that what is shared is read once, each with its expression."""

    @property
    def work(self) -> int:
        """Operations on terms so far."""
        return len(self.terms) + len(self.kept)

    def compare(self, op: str, a: PrimExpr, b: PrimExpr) -> Node:
        return comparison(op, self.term(a), self.term(b))

    def term(self, e: PrimExpr) -> Node:
        found = self.terms.get(id(e))
        if found is None:
            found = self.terms[id(e)] = (e, self.read(e))
        return found[1]

    def read(self, e: PrimExpr) -> Node:
        match e:
            case Literal():
                return literal_int(e)
            case SymVar(name):
                return var(name)
            case Binary("Add", a, b):
                return plus(self.term(a), self.term(b))
            case Binary("Sub", a, b):
                return plus(self.term(a), times(-1, self.term(b)))
            case Binary("Mul", a, b):
                return times(self.term(a), self.term(b))
            case Binary("Min", a, b):
                return self.fresh.minimum(self.term(a), self.term(b))
            case Binary("Max", a, b):
                return times(-1, self.fresh.minimum(times(-1, self.term(a)), times(-1, self.term(b))))
            case Binary(("FloorDiv" | "FloorMod" | "Div" | "Mod") as op, a, b):
                return self.quotient(op, self.term(a), self.term(b))
            case Select(c, a, b) | Intrinsic("if_then_else", (c, a, b)):
                return ("ite", truth(c, self), self.term(a), self.term(b))
            case Cast(dtype, a):
                return self.fresh.wrapped(self.term(a), dtype)
            case _ if e.dtype == "bool":
                return ("ite", truth(e, self), 1, 0)
            case _:
                return self.intrinsic(e)

    def quotient(self, op: str, a: Node, b: Node) -> Node:
        q = self.fresh.floordiv(a, b) if op.startswith("Floor") else self.fresh.truncdiv(a, b)
        return q if op in ("FloorDiv", "Div") else plus(a, times(-1, b, q))

    def intrinsic(self, e: PrimExpr) -> Node:
        match e:
            case Intrinsic("abs", (a,)):
                x = self.term(a)
                return times(-1, self.fresh.minimum(x, times(-1, x)))
            case Intrinsic("shift_left", (a, b)):
                return times(self.term(a), self.two_to(b))
            case Intrinsic("shift_right", (a, b)):
                return self.fresh.floordiv(self.term(a), self.two_to(b))
            case Intrinsic("bitwise_not", (a,)):
                return plus(times(-1, self.term(a)), -1)
            case Intrinsic(op, (a, b)):
                x, y = self.term(a), self.term(b)
                common = self.fresh.masked(x, y)
                if op == "bitwise_and":
                    return common
                return plus(x, y, times(-1 if op == "bitwise_or" else -2, common))
            case _:
                raise AssertionError(e)

    def two_to(self, k: PrimExpr) -> Node:
        fixed = as_int(k)
        return 1 << fixed if fixed is not None and 0 <= fixed <= 256 else self.fresh.power(self.term(k))


@dataclass(slots=True)
class Normal(_Reading):
    """Goes through the normal form. ``terms``: of atoms, by key."""

    atoms: Atoms

    @property
    def work(self) -> int:
        """Operations on terms so far."""
        return self.atoms.cost + len(self.kept)

    def compare(self, op: str, a: PrimExpr, b: PrimExpr) -> Node:
        p = normal(Binary(op, a, b), self.atoms)  # type: ignore[arg-type]
        return comparison("EQ", self.poly(p), 1)

    def term(self, e: PrimExpr) -> Node:
        return self.poly(normal(e, self.atoms))

    def poly(self, p: Poly) -> Node:
        terms = [times(c, *map(self.atom, mono)) if mono else c for mono, c in sorted(p.items())]
        return terms[0] if len(terms) == 1 else plus(*terms) if terms else 0

    def atom(self, key: str) -> Node:
        if key not in self.terms:
            self.terms[key] = self.define(self.atoms.table[key])
        return self.terms[key]

    def define(self, atom: Atom) -> Node:
        parts = [self.poly(each) for each in atom.args]
        match atom.kind, atom.name:
            case "var", _:
                return var(atom.name)
            case ("fd", _) | ("call", "//"):
                return self.fresh.floordiv(parts[0], parts[1])
            case ("td", _) | ("call", "truncdiv"):
                return self.fresh.truncdiv(parts[0], parts[1])
            case "call", "*":
                return times(*parts)
            case "min", _:
                return self.fresh.minimum(*parts)
            case "ge", _:
                return ("ite", le(0, parts[0]), 1, 0)
            case "eq", _:
                return ("ite", ("=", parts[0], 0), 1, 0)
            case "p2", _:
                return self.fresh.power(parts[0])
            case "cast", _ if is_integer(atom.dtype):
                return self.fresh.wrapped(parts[0], atom.dtype)
            case "call", "bitwise_and":
                return self.fresh.masked(parts[0], parts[1])
            case _:
                return self.fresh.make(("opaque", atom.key), lambda r: [])


def comparison(op: str, a: Node, b: Node) -> Node:
    match op:
        case "EQ":
            return ("=", a, b)
        case "NE":
            return ("not", ("=", a, b))
        case "LT":
            return lt(a, b)
        case "LE":
            return le(a, b)
        case "GT":
            return lt(b, a)
        case _:
            return le(b, a)


Kept = dict[tuple[int, str], tuple[PrimExpr, Node]]
"""Formulas by the identity of the expression and by what they say of it; guards make one part stand many times."""


def truth(e: PrimExpr, reading: Plain | Normal) -> Node:
    """``e`` as a formula, total: what is undefined has some value."""
    return _once(e, "truth", reading, _truth)


def _once(e: PrimExpr, what: str, reading: Plain | Normal, make: Callable[[PrimExpr, Plain | Normal], Node]) -> Node:
    found = reading.kept.get((id(e), what))
    if found is None:
        if reading.size > reading.most:
            raise TooMany
        found = reading.kept[id(e), what] = (e, make(e, reading))
    return found[1]


def _truth(e: PrimExpr, reading: Plain | Normal) -> Node:
    match e:
        case Literal():
            return bool(literal_int(e))
        case SymVar(name):
            return ("=", var(name), 1)
        case Not(a):
            return no(truth(a, reading))
        case Binary("And", a, b):
            return both(truth(a, reading), truth(b, reading))
        case Binary("Or", a, b):
            return some(truth(a, reading), truth(b, reading))
        case Binary(("EQ" | "NE") as op, a, b) if a.dtype == "bool":
            x, y = truth(a, reading), truth(b, reading)
            same = some(both(x, y), both(no(x), no(y)))
            return same if op == "EQ" else no(same)
        case Binary(op, a, b):
            return reading.compare(op, a, b)
        case Select(c, a, b) | Intrinsic("if_then_else", (c, a, b)):
            x = truth(c, reading)
            return some(both(x, truth(a, reading)), both(no(x), truth(b, reading)))
        case _:
            return no(("=", reading.term(e), 0))


def settled(e: PrimExpr, value: bool, reading: Plain | Normal) -> Node:
    """That ``e`` is defined here and is ``value``."""
    return _once(e, f"is {value}", reading, lambda part, _: _settled(part, value, reading))


def _settled(e: PrimExpr, value: bool, reading: Plain | Normal) -> Node:
    match e:
        case Not(a):
            return settled(a, not value, reading)
        case Binary(("And" | "Or") as op, a, b):
            if (op == "And") == value:
                return both(settled(a, value, reading), settled(b, value, reading))
            return some(settled(a, value, reading), both(settled(a, not value, reading), settled(b, value, reading)))
        case _:
            needed = [truth(condition, reading) for condition in conditions(e)]
            return both(*needed, truth(e if value else negation(e), reading))


def question(claim: PrimExpr, context: Context, reading: Plain | Normal) -> list[Node]:
    """Formulas that hold together exactly where the context holds and ``claim`` is defined and false.

    Raises:
        TooMany: more than the reading makes.
    """
    wanted = settled(context.image(claim), False, reading)
    return [wanted, *known(context, reading)]


def known(context: Context, reading: Plain | Normal) -> list[Node]:
    """What the context says of its free symbols, and the axioms met so far."""
    hypotheses = [settled(each, True, reading) for each in context.hypotheses]
    bounds: list[Node] = []
    for name, (low, high) in context.facts.known.items():
        bounds += [le(low, var(name))] if low is not None else []
        bounds += [le(var(name), high)] if high is not None else []
    return [*hypotheses, *bounds, *reading.fresh.axioms]
