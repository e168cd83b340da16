"""A question as formulas over integers, ready for a solver: two readings of "the claim is false here, and defined".

``Normal`` goes through the normal form (short, many divisions gone); ``Plain`` follows the expression (nothing
rewritten). Both give the same small formula language, nested tuples that any solver interface can walk:

* terms: ``int`` | ``("var", name)`` | ``("+", t…)`` | ``("*", t…)`` | ``("ite", f, t, t)``;
* formulas: ``bool`` | ``("and", f…)`` | ``("or", f…)`` | ``("not", f)`` | ``("<=", t, t)`` | ``("=", t, t)``.

Quotients, minima and powers are fresh variables with axioms.

Spec: ``spec/06-shapes.md``, ``sh/encoding``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atom, Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly
from refrelax.shape_solver.context import Context, negation
from refrelax.shape_solver.defined import conditions
from refrelax.syntax.dtypes import integer_range, is_integer
from refrelax.syntax.scalars import (
    Binary,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    literal_int,
)

Node = Any
"""A term or a formula of the language above."""


def var(name: str) -> Node:
    return ("var", name)


def plus(*terms: Node) -> Node:
    return ("+", *terms)


def times(*terms: Node) -> Node:
    return ("*", *terms)


def le(a: Node, b: Node) -> Node:
    return ("<=", a, b)


def lt(a: Node, b: Node) -> Node:
    return ("<=", plus(a, 1), b)


def both(*parts: Node) -> Node:
    return ("and", *parts)


def some(*parts: Node) -> Node:
    return ("or", *parts)


def no(part: Node) -> Node:
    return (not part) if isinstance(part, bool) else ("not", part)


@dataclass(slots=True)
class Fresh:
    """Fresh variables for what is not polynomial, one for each meaning, and the axioms that define them."""

    axioms: list[Node] = field(default_factory=list)
    known: dict[Node, Node] = field(default_factory=dict)
    powers: list[tuple[Node, Node]] = field(default_factory=list)

    def make(self, key: Node, axioms: Callable[[Node], list[Node]]) -> Node:
        """The variable of ``key``."""
        if key not in self.known:
            self.known[key] = var(f"!{len(self.known)}")
            self.axioms += axioms(self.known[key])
        return self.known[key]

    @rule("sh/encoding")
    def floordiv(self, a: Node, b: Node) -> Node:
        return self.make(("fd", a, b), lambda q: floor_axioms(q, a, b))

    def truncdiv(self, a: Node, b: Node) -> Node:
        return self.make(("td", a, b), lambda q: trunc_axioms(q, a, b))

    def minimum(self, *terms: Node) -> Node:
        return self.make(("min", *terms), lambda m: [*(le(m, t) for t in terms), some(*(("=", m, t) for t in terms))])

    def wrapped(self, a: Node, dtype: str) -> Node:
        low, high = integer_range(dtype)
        turns = self.make(("turns", a, dtype), lambda k: [])
        result = plus(a, times(-(high - low + 1), turns))
        self.axioms += [le(low, result), le(result, high)]
        return result

    def power(self, k: Node) -> Node:
        """``2 ** k``: its values up to 64, growth, and how it relates to the powers already there."""

        def axioms(p: Node) -> list[Node]:
            found = [le(1, p), some(lt(k, 0), le(plus(k, 1), p))]
            found += [some(no(("=", k, c)), ("=", p, 1 << c)) for c in range(9)]
            for other, q in self.powers:
                found += [some(no(le(k, other)), le(p, q)), some(no(le(other, k)), le(q, p))]
                found += [some(no(("=", plus(k, 1), other)), ("=", times(2, p), q))]
                found += [some(no(("=", plus(other, 1), k)), ("=", times(2, q), p))]
                found += [some(no(lt(k, other)), le(times(2, p), q)), some(no(lt(other, k)), le(times(2, q), p))]
            for place, (i, p_i) in enumerate(self.powers):
                for j, p_j in self.powers[: place + 1]:
                    found.append(some(no(("=", k, plus(i, j))), ("=", p, times(p_i, p_j))))
                    found.append(some(no(("=", i, plus(k, j))), ("=", p_i, times(p, p_j))))
                    found.append(some(no(("=", j, plus(k, i))), ("=", p_j, times(p, p_i))))
            self.powers.append((k, p))
            return found

        return self.make(("p2", k), axioms)

    def masked(self, op: str, a: Node, b: Node) -> Node:
        positive = both(le(0, a), le(0, b))
        return self.make(
            (op, a, b),
            lambda r: [some(no(positive), both(le(0, r), le(r, a), le(r, b)))] if op == "bitwise_and" else [],
        )


def floor_axioms(q: Node, a: Node, b: Node) -> list[Node]:
    """``q == floor(a / b)`` where ``b`` is not 0."""
    product, above = times(b, q), both(le(times(b, q), a), lt(a, plus(times(b, q), b)))
    if isinstance(b, int) and b > 0:
        return [above]
    below = both(le(a, product), lt(plus(product, b), a))
    return [some(le(b, 0), above), some(le(0, b), below)]


def trunc_axioms(q: Node, a: Node, b: Node) -> list[Node]:
    """``q == a / b`` rounded towards zero where ``b`` is not 0."""
    p, minus = times(b, q), times(-1, b)
    up, down = both(le(p, a), lt(a, plus(p, b))), both(le(a, p), lt(plus(p, minus), a))
    if isinstance(b, int) and b > 0:
        return [some(lt(a, 0), up), some(le(0, a), down)]
    up_negative, down_negative = both(le(p, a), lt(a, plus(p, minus))), both(le(a, p), lt(plus(p, b), a))
    return [
        some(le(b, 0), lt(a, 0), up), some(le(b, 0), le(0, a), down),
        some(le(0, b), lt(a, 0), up_negative), some(le(0, b), le(0, a), down_negative),
    ]  # fmt: skip


# --- the two readings ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Plain:
    """Follows the expression."""

    fresh: Fresh = field(default_factory=Fresh)
    scope: dict[str, Node] = field(default_factory=dict)

    def compare(self, op: str, a: PrimExpr, b: PrimExpr) -> Node:
        return comparison(op, self.term(a), self.term(b))

    def term(self, e: PrimExpr) -> Node:
        match e:
            case Literal():
                return literal_int(e)
            case SymVar(name):
                return self.scope.get(name, var(name))
            case Binary("Add", a, b):
                return plus(self.term(a), self.term(b))
            case Binary("Sub", a, b):
                return plus(self.term(a), times(-1, self.term(b)))
            case Binary("Mul", a, b):
                return times(self.term(a), self.term(b))
            case Binary("Min", a, b):
                x, y = self.term(a), self.term(b)
                return ("ite", le(x, y), x, y)
            case Binary("Max", a, b):
                x, y = self.term(a), self.term(b)
                return ("ite", le(x, y), y, x)
            case Binary(("FloorDiv" | "FloorMod" | "Div" | "Mod") as op, a, b):
                return self.quotient(op, self.term(a), self.term(b))
            case Select(c, a, b) | Intrinsic("if_then_else", (c, a, b)):
                return ("ite", truth(c, self), self.term(a), self.term(b))
            case Cast(dtype, a):
                return self.cast(dtype, a)
            case Let(bound, value, body):
                saved, self.scope = self.scope, {**self.scope, bound.name: self.term(value)}
                result = self.term(body)
                self.scope = saved
                return result
            case _ if e.dtype == "bool":
                return ("ite", truth(e, self), 1, 0)
            case _:
                return self.intrinsic(e)

    def quotient(self, op: str, a: Node, b: Node) -> Node:
        q = self.fresh.floordiv(a, b) if op.startswith("Floor") else self.fresh.truncdiv(a, b)
        return q if op in ("FloorDiv", "Div") else plus(a, times(-1, b, q))

    def cast(self, dtype: str, a: PrimExpr) -> Node:
        inner = self.term(a)
        if dtype == "bool":
            return ("ite", ("=", inner, 0), 0, 1)
        (low, high), (least, greatest) = integer_range(dtype), integer_range(a.dtype)
        return inner if low <= least and greatest <= high else self.fresh.wrapped(inner, dtype)

    def intrinsic(self, e: PrimExpr) -> Node:
        match e:
            case Intrinsic("likely", (a,)):
                return self.term(a)
            case Intrinsic("abs", (a,)):
                x = self.term(a)
                return ("ite", le(0, x), x, times(-1, x))
            case Intrinsic("shift_left", (a, b)):
                return times(self.term(a), self.two_to(b))
            case Intrinsic("shift_right", (a, b)):
                return self.fresh.floordiv(self.term(a), self.two_to(b))
            case Intrinsic(("bitwise_and" | "bitwise_or" | "bitwise_xor") as op, (a, b)):
                return self.bits(op, a, b)
            case _:
                return self.fresh.make(("opaque", repr(e)), lambda r: [])

    def two_to(self, k: PrimExpr) -> Node:
        fixed = as_int(k)
        return 1 << fixed if fixed is not None and 0 <= fixed <= 256 else self.fresh.power(self.term(k))

    def bits(self, op: str, a: PrimExpr, b: PrimExpr) -> Node:
        mask = as_int(b)
        if op == "bitwise_and" and mask is not None and mask >= 0 and mask & (mask + 1) == 0:
            return self.quotient("FloorMod", self.term(a), mask + 1)
        return self.fresh.masked(op, self.term(a), self.term(b))


@dataclass(slots=True)
class Normal:
    """Goes through the normal form."""

    atoms: Atoms
    fresh: Fresh = field(default_factory=Fresh)
    named: dict[str, Node] = field(default_factory=dict)

    def compare(self, op: str, a: PrimExpr, b: PrimExpr) -> Node:
        p = normal(Binary(op, a, b), self.atoms)  # type: ignore[arg-type]
        return comparison("EQ", self.poly(p), 1)

    def term(self, e: PrimExpr) -> Node:
        return self.poly(normal(e, self.atoms))

    def poly(self, p: Poly) -> Node:
        terms = [times(c, *map(self.atom, mono)) if mono else c for mono, c in sorted(p.items())]
        return terms[0] if len(terms) == 1 else plus(*terms) if terms else 0

    def atom(self, key: str) -> Node:
        if key not in self.named:
            self.named[key] = self.define(self.atoms.table[key])
        return self.named[key]

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
            case "call", ("bitwise_and" | "bitwise_or" | "bitwise_xor"):
                return self.fresh.masked(atom.name, parts[0], parts[1])
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


def truth(e: PrimExpr, reading: Plain | Normal) -> Node:
    """``e`` as a formula, total: what is undefined has some value."""
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
        case Intrinsic("likely", (a,)):
            return truth(a, reading)
        case Cast(_, a) if a.dtype == "bool":
            return truth(a, reading)
        case _:
            return no(("=", reading.term(e), 0))


def settled(e: PrimExpr, value: bool, reading: Plain | Normal) -> Node:
    """That ``e`` is defined here and is ``value``."""
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
    """Formulas that hold together exactly where the context holds and ``claim`` is defined and false."""
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
