"""A question as facts over atoms: the checker's own reading of what a certificate claims to prove.

The facts say: the assumptions are defined and true, the claim is defined and false (or undefined, where definedness is
required). A contradiction among them is a proof. What is no polynomial is an *atom*: a certificate ships the table of
all atoms, and reading only looks them up; a writer's reading makes the atoms that it meets.

Spec: ``spec/06b-solver.md``, ``sh/certificate-log``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.schemas import KINDS
from refrelax.shape_solver.checker.steps import Walk
from refrelax.shape_solver.checker.terms import (
    COMPARISONS,
    DIVISIONS,
    MAX_SHIFT,
    SHIFTS,
    Fuel,
    Question,
    Rejected,
    Term,
    dtype_range,
    expect,
    shown,
)

Formula = tuple[Any, ...]
"""``("ge", p)``: ``p >= 0``; ``("eq", p)``: ``p == 0``; ``("and", f, …)``; ``("or", f, …)``."""

MAX_WORK = 200_000
"""Nodes, terms of products and parts of facts that reading and checking one certificate may look at."""


def ge(p: Poly) -> Formula:
    return ("ge", p)


def eq(p: Poly) -> Formula:
    return ("eq", p)


def both(*parts: Formula) -> Formula:
    """Conjunction, flattened."""
    flat = [each for part in parts for each in (part[1:] if part[0] == "and" else (part,))]
    return flat[0] if len(flat) == 1 else ("and", *flat)


def some(*parts: Formula) -> Formula:
    """Disjunction, flattened."""
    flat = [each for part in parts for each in (part[1:] if part[0] == "or" else (part,))]
    return flat[0] if len(flat) == 1 else ("or", *flat)


def negated(f: Formula) -> Formula:
    """``not f``, pushed inwards."""
    match f:
        case ("ge", p):
            return ge(-p - 1)
        case ("eq", p):
            return some(ge(p - 1), ge(-p - 1))
        case ("and", *parts):
            return some(*map(negated, parts))
        case (_, *parts):
            return both(*map(negated, parts))
    raise ValueError(f)


@dataclass(frozen=True, slots=True)
class Atom:
    """``kind`` and operands as in ``schemas``; ``sym`` has the number of a symbol, ``ite`` a condition and what it says
    where it holds and where it does not."""

    kind: str
    args: tuple[Poly, ...] = ()
    symbol: int = -1
    condition: Term = None
    branches: tuple[Formula, Formula] | None = None

    def row(self) -> list[Any]:
        """For JSON; ``Reading.load`` reads it back."""
        match self.kind:
            case "sym":
                return ["sym", self.symbol]
            case "ite":
                return ["ite", self.condition, *(arg.written() for arg in self.args)]
            case kind:
                return [kind, *(arg.written() for arg in self.args)]


@dataclass(slots=True)
class Reading:
    """The atoms of a question, by number."""

    question: Question
    fuel: Fuel = field(default_factory=lambda: Fuel(MAX_WORK))
    atoms: list[Atom] = field(default_factory=list)
    numbers: dict[Any, int] = field(default_factory=dict)
    scope: dict[int, Poly] = field(default_factory=dict)
    """What stands for symbols past those of the question: of a writer."""
    masks: list[tuple[Poly, int, Poly]] = field(default_factory=list)
    """Operands of ``&``, one a number, and what they were read as: for a writer."""
    shipped: bool = False
    """Whether the table of atoms is a certificate's, and only looked up."""

    def load(self, rows: Any) -> None:
        """Takes in a certificate's table of atoms: operands before the atoms that they occur in."""
        expect(isinstance(rows, list), "a table of atoms", rows)
        for row in rows:
            before = len(self.atoms)
            match row:
                case ["sym", number] if type(number) is int and 0 <= number < len(self.question.symbols):
                    self.make_symbol(number)
                case ["ite", condition, p, q]:
                    self.question.well_formed(condition, "bool")
                    self.shipped = True
                    branches = self.branches(condition)
                    self.shipped = False
                    self.make_choice(condition, branches, *self.polys((p, q)))
                case [str() as kind, *args] if kind in KINDS:
                    expect(len(args) == KINDS[kind] or (kind == "min" and len(args) > 1), "its operands", row)
                    self.make(kind, self.polys(args))
                case _:
                    raise Rejected(f"expected an atom, found {shown(row)}")
            expect(len(self.atoms) > before, "a new atom", row)
        self.shipped = True

    def polys(self, args: Any) -> tuple[Poly, ...]:
        return tuple(Poly.read(each, len(self.atoms)) for each in args)

    def make(self, kind: str, args: tuple[Poly, ...]) -> Poly:
        """The atom with this kind and these operands."""
        return self.known((kind, args), Atom(kind, args))

    def make_symbol(self, number: int) -> Poly:
        return self.scope[number] if number in self.scope else self.known(("sym", number), Atom("sym", (), number))

    def make_choice(self, c: Term, branches: tuple[Formula, Formula], a: Poly, b: Poly) -> Poly:
        """``a`` where ``c`` holds, else ``b``."""
        return self.known(("ite", *branches, a, b), Atom("ite", (a, b), -1, c, branches))

    def known(self, key: Any, atom: Atom) -> Poly:
        if key not in self.numbers:
            if self.shipped:
                raise Rejected(f"expected the atom {shown(atom.row())} in the table, found none")
            self.numbers[key] = len(self.atoms)
            self.atoms.append(atom)
        return Poly.atom(self.numbers[key])

    def forget(self, count: int, masked: int) -> None:
        """For a writer: that there are more than ``count`` atoms and more than ``masked`` masks."""
        del self.atoms[count:]
        del self.masks[masked:]
        self.numbers = {key: number for key, number in self.numbers.items() if number < count}

    # --- integers

    def term(self, e: Term) -> Poly:
        """The value of the integer ``e``."""
        self.fuel.spend()
        match e:
            case ["const", value]:
                return Poly.of(value)
            case ["sym", number]:
                return self.make_symbol(number)
            case ["select", c, a, b]:
                p, q = self.term(a), self.term(b)
                return self.make_choice(c, self.branches(c), p, q)
            case ["wrap", dtype, a]:
                return self.wrapped(dtype, self.term(a))
            case ["abs", a]:
                p = self.term(a)
                return -self.make("min", (p, -p))
            case ["not", a]:
                return -self.term(a) - 1
            case [op, a, b]:
                return self.binary(op, self.term(a), self.term(b))
        raise Rejected(f"expected an integer, found {shown(e)}")

    def binary(self, op: str, a: Poly, b: Poly) -> Poly:
        match op:
            case "add":
                return self.bounded(a + b)
            case "sub":
                return self.bounded(a - b)
            case "mul":
                return a.times(b, self.fuel)
            case "floordiv" | "truncdiv":
                return self.make(QUOTIENTS[op], (a, b))
            case "floormod" | "truncmod":
                return a - b.times(self.make(QUOTIENTS[op], (a, b)), self.fuel)
            case "min":
                return self.make("min", (a, b))
            case "max":
                return -self.make("min", (-a, -b))
            case "shl":
                return a.times(self.two_to(b), self.fuel)
            case "shr":
                return self.make("fd", (a, self.two_to(b)))
            case "and":
                return self.bit_and(a, b)
            case "or":
                return a + b - self.bit_and(a, b)
            case _:
                return a + b - 2 * self.bit_and(a, b)

    def bounded(self, p: Poly) -> Poly:
        self.fuel.spend(len(p.terms))
        return p

    def wrapped(self, dtype: str, p: Poly) -> Poly:
        low, high = dtype_range(dtype)
        return p - (high - low + 1) * self.make("fd", (p - low, Poly.of(high - low + 1)))

    def two_to(self, k: Poly) -> Poly:
        value = k.constant()
        return Poly.of(1 << value) if value is not None and 0 <= value <= MAX_SHIFT else self.make("p2", (k,))

    def bit_and(self, a: Poly, b: Poly) -> Poly:
        """``a & c`` with a constant is a sum of ``a // 2**k % 2**w * 2**k`` over the runs of ``w`` ones from bit ``k``
        of ``c``; for a negative one it is ``a - (a & ~c)``."""
        x, y = a.constant(), b.constant()
        if x is not None and y is not None:
            return Poly.of(x & y)
        if x is None and y is None:
            return self.make("and", (a, b))
        p, mask = (a, y) if y is not None else (b, x or 0)
        found = p - self.masked(p, ~mask) if mask < 0 else self.masked(p, mask)
        self.masks.append((p, mask, found))
        return found

    def masked(self, p: Poly, mask: int) -> Poly:
        total, start = Poly.of(0), 0
        while mask >> start:
            self.fuel.spend(len(p.terms) + len(total.terms))
            start += ((mask >> start) & -(mask >> start)).bit_length() - 1
            ones = mask >> start
            width = ((ones + 1) & -(ones + 1)).bit_length() - 1
            q = p if start == 0 else self.make("fd", (p, Poly.of(1 << start)))
            total = total + (1 << start) * (q - (1 << width) * self.make("fd", (q, Poly.of(1 << width))))
            start += width
        return total

    # --- truth

    def branches(self, c: Term) -> tuple[Formula, Formula]:
        """What it says that ``c`` holds, and that it does not."""
        return self.truth(c, True), self.truth(c, False)

    def truth(self, e: Term, value: bool) -> Formula:
        """That ``e`` is ``value``; what is undefined has some value."""
        self.fuel.spend()
        match e:
            case ["true"] | ["false"]:
                return ("and",) if (e == ["true"]) == value else ("or",)
            case ["sym", number]:
                return eq(self.make_symbol(number) - int(value))
            case ["not", a]:
                return self.truth(a, not value)
            case ["implies", a, b]:
                return self.join(not value, self.truth(a, not value), self.truth(b, value))
            case [("and" | "or") as op, a, b]:
                return self.join((op == "and") == value, self.truth(a, value), self.truth(b, value))
            case ["iff", a, b]:
                return self.join(False, self.join(True, self.truth(a, True), self.truth(b, value)),
                                 self.join(True, self.truth(a, False), self.truth(b, not value)))  # fmt: skip
            case ["select", c, a, b]:
                return self.join(False, self.join(True, self.truth(c, True), self.truth(a, value)),
                                 self.join(True, self.truth(c, False), self.truth(b, value)))  # fmt: skip
            case [op, a, b] if op in COMPARISONS:
                return compared(op, self.term(a), self.term(b), value)
        raise Rejected(f"expected a truth, found {shown(e)}")

    def join(self, conjunction: bool, *parts: Formula) -> Formula:
        self.fuel.spend(sum(map(len, parts)))
        return both(*parts) if conjunction else some(*parts)

    # --- definedness

    def has_value(self, e: Term) -> Formula:
        """That the integer ``e`` has a value: no division by zero, no negative shift count where evaluation gets to."""
        self.fuel.spend()
        match e:
            case ["const" | "sym", _]:
                return ("and",)
            case ["select", c, a, b]:
                return self.lazy(c, self.has_value(a), self.has_value(b))
            case ["wrap", _, a] | ["abs" | "not", a]:
                return self.has_value(a)
            case [op, a, b]:
                return self.join(True, self.has_value(a), self.has_value(b), *self.own(op, b))
        raise Rejected(f"expected an integer, found {shown(e)}")

    def own(self, op: str, b: Term) -> list[Formula]:
        if op in DIVISIONS:
            p = self.term(b)
            return [] if p.constant() else [negated(eq(p))]
        if op in SHIFTS:
            p = self.term(b)
            fixed = p.constant()
            return [] if fixed is not None and fixed >= 0 else [ge(p)]
        return []

    def defined(self, e: Term) -> Formula:
        """That the truth ``e`` has a value."""
        self.fuel.spend()
        match e:
            case ["true"] | ["false"] | ["sym", _]:
                return ("and",)
            case ["not", a]:
                return self.defined(a)
            case [("and" | "or" | "implies") as op, a, b]:
                return self.join(True, self.defined(a), *self.guarded(self.defined(b), a, op == "or"))
            case ["iff", a, b]:
                return self.join(True, self.defined(a), self.defined(b))
            case ["select", c, a, b]:
                return self.lazy(c, self.defined(a), self.defined(b))
            case [_, a, b]:
                return self.join(True, self.has_value(a), self.has_value(b))
        raise Rejected(f"expected a truth, found {shown(e)}")

    def guarded(self, needed: Formula, c: Term, excuse: bool) -> list[Formula]:
        """``needed``, unless ``c`` is ``excuse``."""
        return [] if needed == ("and",) else [self.join(False, self.truth(c, excuse), needed)]

    def lazy(self, c: Term, a: Formula, b: Formula) -> Formula:
        return self.join(True, self.defined(c), *self.guarded(a, c, False), *self.guarded(b, c, True))

    def settled(self, e: Term, value: bool) -> Formula:
        """That ``e`` is defined here and is ``value``."""
        match e:
            case ["not", a]:
                return self.settled(a, not value)
            case ["implies", a, b]:
                return self.settled(["or", ["not", a], b], value)
            case [("and" | "or") as op, a, b]:
                if (op == "and") == value:
                    return self.join(True, self.settled(a, value), self.settled(b, value))
                rest = self.join(True, self.settled(a, not value), self.settled(b, value))
                return self.join(False, self.settled(a, value), rest)
            case _:
                return self.join(True, self.defined(e), self.truth(e, value))

    # --- the question

    def facts(self) -> tuple[list[Formula], list[Formula]]:
        """The facts that the assumptions give, and those that the negated claim gives."""
        asked = self.question
        given = [self.settled(each, True) for each in asked.assumptions]
        if asked.fits is not None:
            wanted = self.refuting()
        elif asked.require:
            wanted = negated(self.settled(asked.claim, True))
        else:
            wanted = self.settled(asked.claim, False)
        for number, atom in enumerate(self.atoms):
            if atom.kind == "sym":
                given += self.ranged(Poly.atom(number), atom.symbol)
        return flattened(given), flattened([wanted])

    def ranged(self, x: Poly, symbol: int) -> list[Formula]:
        if self.question.symbols[symbol] == "bool":
            return [ge(x), ge(1 - x)]
        fits = self.question.fits
        return [] if fits is None else [ge(x - fits[0]), ge(fits[1] - x)]

    def refuting(self) -> Formula:
        """That the first step of the claim that goes wrong refutes it, or that none does and it is false: a step out of
        range refutes it, and one without a value where definedness is required."""
        found: dict[str, tuple[bool, Term]] = {}
        for defines, each in Walk(self.question, self.fuel).truth(self.question.claim):
            text = json.dumps(each)
            self.fuel.spend(len(text) // 8)
            found.setdefault(text, (defines, each))
        result = self.settled(self.question.claim, False)
        for defines, each in reversed(found.values()):
            holds = self.truth(each, True)
            result = self.join(True, holds, result) if holds != ("and",) else result
            if self.question.require or not defines:
                result = self.join(False, self.truth(each, False), result)
        return result


QUOTIENTS = {"floordiv": "fd", "floormod": "fd", "truncdiv": "td", "truncmod": "td"}


def compared(op: str, a: Poly, b: Poly, value: bool) -> Formula:
    formula = {
        "eq": lambda: eq(a - b), "ne": lambda: negated(eq(a - b)), "lt": lambda: ge(b - a - 1),
        "le": lambda: ge(b - a), "gt": lambda: ge(a - b - 1), "ge": lambda: ge(a - b),
    }[op]()  # fmt: skip
    return formula if value else negated(formula)


def flattened(formulas: list[Formula]) -> list[Formula]:
    """Conjunctions opened; an empty disjunction is ``-1 >= 0``."""
    result: list[Formula] = []
    for formula in formulas:
        for part in formula[1:] if formula[0] == "and" else (formula,):
            result.append(ge(Poly.of(-1)) if part == ("or",) else part)
    return result
