"""The checker of proof logs: accepts a log, or says which step fails and why.

A log ships the table of its atoms (symbols, quotients, minima, … and what stands for a polynomial) and is a list of
steps. Each adds one fact (``p >= 0`` or ``p == 0``) to the facts of the question, until one is absurd. Facts are
numbered in order, those of the question first; a branch sees the facts before it. The steps are:

* an axiom of ``schemas``, instantiated;
* ``combine``: ordered-ring reasoning. A sum of products of facts and perhaps of the negated conclusion with positive
  factors, and of equations with any factors, is a negative constant: so the conclusion holds;
* ``equal``: ``p >= 0`` and ``-p >= 0`` give ``p == 0``; ``congruence``: equal operands give equal atoms;
* ``bits``: what holds of the bits at every place (``places``);
* ``carries``: facts that no bits make hold (``carries``);
* ``cases``: branches of which one must hold; each ends with the same conclusion, or with an absurdity.

Imports nothing of the prover, of ``semantics`` or of any solver.

Spec: ``spec/06b-solver.md``, ``sh/certificate-log``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from refrelax.shape_solver.checker.carries import refuted
from refrelax.shape_solver.checker.places import zero
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Atom, Formula, Reading, eq, flattened, ge
from refrelax.shape_solver.checker.schemas import (
    BIT,
    BY_ID,
    CHOICE_BY_ID,
    COUNT,
    KINDS,
    MASK,
    NUMBERED,
    POWER,
    Axiom,
    Zero,
)
from refrelax.shape_solver.checker.terms import Question, Rejected, expect, integer, shown

ABSURD = ge(Poly.of(-1))


@dataclass(frozen=True, slots=True)
class CheckResult:
    """``accepted``, or the place of the step that fails (a path of numbers) and why."""

    accepted: bool
    reason: str = ""
    place: tuple[int, ...] = ()


@dataclass(slots=True)
class Checker:
    """The facts in force, and the atoms."""

    reading: Reading
    facts: list[Formula]
    place: list[int] = field(default_factory=list)

    def run(self, steps: Any, wanted: Formula) -> None:
        """Checks ``steps``; the last fact is then ``wanted``, or some fact is absurd."""
        expect(isinstance(steps, list), "a list of steps", steps)
        for number, step in enumerate(steps):
            self.place.append(number)
            self.facts.append(self.step(step))
            self.place.pop()
        done = any(fact == wanted or absurd(fact) for fact in reversed(self.facts))
        expect(done, f"a proof of {said(wanted)}", f"{len(steps)} steps without it")

    def step(self, step: Any) -> Formula:
        """The fact that ``step`` gives."""
        self.reading.fuel.spend(1 + len(self.facts) // 64)
        match step:
            case {"rule": "combine", "terms": [*terms], "gives": gives, **rest} if not rest:
                return self.combined(terms, self.fact(gives))
            case {"rule": "equal", "premises": [i, j], "gives": gives, **rest} if not rest:
                p = self.inequality(i)
                expect(self.inequality(j) == -p, "a premise and its opposite", step)
                return self.same(eq(p), gives)
            case {"rule": "congruence", "atoms": [u, v], "premises": [*premises], "gives": gives, **rest} if not rest:
                return self.same(self.congruent(u, v, premises), gives)
            case {"rule": "bits", "leaves": [*leaves], "atoms": [*on], "sums": [*sums], "gives": gives, **rest} if (
                not rest
            ):
                atoms = [self.known_atom(each) for each in on]
                return self.same(eq(zero(self.reading, [self.poly(each) for each in leaves], atoms, sums)), gives)
            case {"rule": "carries", "streams": rows, "premises": [*premises], "gives": gives, **rest} if not rest:
                refuted(self.reading, rows, [self.premise(each) for each in premises])
                return self.same(ABSURD, gives)
            case {"rule": "cases", "on": on, "branches": [*branches], "gives": gives, **rest} if not rest:
                return self.split(self.alternatives(on), branches, self.fact(gives))
            case {"rule": str() as name, "atoms": [*atoms], "premises": [*premises], "gives": gives, **rest}:
                expect(not set(rest) - {"number"}, "a step", step)
                return self.same(self.axiom(name, atoms, premises, rest.get("number")), gives)
            case _:
                raise Rejected(f"expected a step, found {shown(step)}")

    # --- what a step is made of

    def poly(self, rows: Any) -> Poly:
        return Poly.read(rows, len(self.reading.atoms))

    def fact(self, given: Any) -> Formula:
        match given:
            case ["ge", rows]:
                return ge(self.poly(rows))
            case ["eq", rows]:
                return eq(self.poly(rows))
            case _:
                raise Rejected(f"expected a fact, found {shown(given)}")

    def same(self, found: Formula, given: Any) -> Formula:
        expect(self.fact(given) == found, f"the conclusion {said(found)}", said(self.fact(given)))
        return found

    def premise(self, number: Any) -> Formula:
        if type(number) is not int or not 0 <= number < len(self.facts):
            raise Rejected(f"expected the number of an earlier fact, found {shown(number)}")
        return self.facts[number]

    def inequality(self, number: Any) -> Poly:
        kind, *parts = self.premise(number)
        expect(kind == "ge", "a fact p >= 0", said(self.facts[number]))
        return check_poly(parts[0])

    def equation(self, number: Any) -> Poly:
        kind, *parts = self.premise(number)
        expect(kind == "eq", "a fact p == 0", said(self.facts[number]))
        return check_poly(parts[0])

    def atom(self, number: Any) -> Atom:
        return self.reading.atoms[self.known_atom(number)]

    def known_atom(self, number: Any) -> int:
        if type(number) is not int or not 0 <= number < len(self.reading.atoms):
            raise Rejected(f"expected the number of an atom, found {shown(number)}")
        return number

    # --- the rules

    def combined(self, terms: list[Any], conclusion: Formula) -> Formula:
        """``conclusion``, since its negation and the facts give a negative constant that should be at least 0."""
        expect(conclusion[0] == "ge", "a conclusion p >= 0", said(conclusion))
        total = Poly.of(0)
        for term in terms:
            match term:
                case [int() as factor, [*numbers]] if not isinstance(factor, bool):
                    total = total + self.product(Poly.of(integer(factor)), numbers, conclusion)
                case [[*rows], [*numbers]]:
                    total = total + self.product(self.poly(rows), numbers, conclusion)
                case _:
                    raise Rejected(f"expected [factor, [fact, ...]], found {shown(term)}")
            self.reading.fuel.spend(len(total.terms))
        value = total.constant()
        expect(value is not None and value < 0, "a sum that is a negative constant", total)
        return conclusion

    def product(self, factor: Poly, numbers: list[Any], conclusion: Formula) -> Poly:
        """Never negative: a product of facts ``p >= 0`` and squares (of what is spelled out) with a positive factor;
        or zero: one with an equation in it."""
        result, signed = factor, True
        for number in numbers:
            if number == "not":
                result = result.times(-conclusion[1] - 1, self.reading.fuel)
                continue
            if isinstance(number, list):
                root = self.poly(number)
                result = result.times(root.times(root, self.reading.fuel), self.reading.fuel)
                continue
            kind, *parts = self.premise(number)
            expect(kind in ("ge", "eq"), "a fact p >= 0 or p == 0", said(self.facts[number]))
            signed = signed and kind == "ge"
            result = result.times(parts[0], self.reading.fuel)
        expect(not signed or (factor.constant() or 0) > 0, "a positive factor", factor)
        return result

    def congruent(self, u: Any, v: Any, premises: list[Any]) -> Formula:
        a, b = self.atom(u), self.atom(v)
        expect(a.kind == b.kind and a.kind in KINDS and len(a.args) == len(b.args), "two atoms of one kind", (u, v))
        expect(len(premises) == len(a.args), "an equation for each operand", premises)
        for x, y, number in zip(a.args, b.args, premises):
            if number is None:
                expect(x == y, "equal operands", (x, y))
            else:
                p = self.equation(number)
                expect(x - y in (p, -p), f"an equation for {x!r} and {y!r}", p)
        return eq(Poly.atom(u) - Poly.atom(v))

    def axiom(self, name: str, numbers: list[Any], premises: list[Any], number: Any) -> Formula:
        """An instance of a schema; a premise that is a nonnegative constant needs no fact."""
        atoms = [self.atom(each) for each in numbers]
        if name == MASK:
            expect(number is None and not premises and len(atoms) == 1 and atoms[0].kind == "and", "one a & b", numbers)
            return eq(Poly.atom(numbers[0]) - self.reading.bit_and(*atoms[0].args))
        if name == POWER:
            expect(
                number is None and [each.kind for each in atoms] == ["and", "p2", "fd"], "a & b, 2**k, a // b", numbers
            )
            v, w, u = numbers
            return self.remainder(v, w, u, premises)
        if name == BIT:
            expect(
                number is None and [each.kind for each in atoms] == ["and", "p2", "fd", "fd"],
                "a & b, 2**k, a // b, a // b // 2", numbers,
            )  # fmt: skip
            return self.bit(numbers, premises)
        if name in NUMBERED:
            count, limit, made = NUMBERED[name]
            expect(type(number) is int and 0 <= number < limit, f"a number below {limit}", number)
            schema = made(number)
        else:
            expect(name in BY_ID and number is None, "a rule", name)
            count, schema = COUNT[name], BY_ID[name]
        expect(len(atoms) == count, f"{count} atoms", numbers)
        expect(all(each.kind == schema.kind for each in atoms), f"atoms of kind {schema.kind}", numbers)
        expect(name != "min/low" or number < len(atoms[0].args), "an operand of the minimum", number)
        operands = [*map(Poly.atom, numbers), *(arg for each in atoms for arg in each.args)]
        return self.instance(schema, operands, premises)

    def remainder(self, v: int, w: int, u: int, premises: list[Any]) -> Formula:
        """``a & (2**k - 1)`` is the remainder of ``a`` by ``2**k``."""
        (a, mask), power = self.reading.atoms[v].args, Poly.atom(w)
        expect(mask == power - 1, f"the operand {power - 1!r}", mask)
        expect(self.reading.atoms[u].args == (a, power), f"the quotient of {a!r} by {power!r}", u)
        needs = Axiom(POWER, "p2", lambda w, k: [k], lambda w, k: Zero(Poly.atom(v) - a + w * Poly.atom(u)))
        return self.instance(needs, [power, *self.reading.atoms[w].args], premises)

    def bit(self, numbers: list[int], premises: list[Any]) -> Formula:
        """``a & 2**k`` is ``2**k`` times the last bit of the quotient of ``a`` by it."""
        v, w, u, t = numbers
        (a, power), value = self.reading.atoms[v].args, Poly.atom(w)
        expect(power == value, f"the operand {value!r}", power)
        expect(self.reading.atoms[u].args == (a, value), f"the quotient of {a!r} by {value!r}", u)
        half = (Poly.atom(u), Poly.of(2))
        expect(self.reading.atoms[t].args == half, f"the quotient of {half[0]!r} by 2", t)
        gives = Zero(Poly.atom(v) - value * (Poly.atom(u) - 2 * Poly.atom(t)))
        needs = Axiom(BIT, "p2", lambda w, k: [k], lambda w, k: gives)
        return self.instance(needs, [value, *self.reading.atoms[w].args], premises)

    def instance(self, schema: Axiom, operands: Sequence[Poly], premises: list[Any]) -> Formula:
        needs = [Poly.of(each) for each in schema.needs(*operands)]
        expect(len(premises) == len(needs), f"{len(needs)} premises", premises)
        for need, number in zip(needs, premises):
            value = need.constant()
            if value is not None and value >= 0 and number is None:
                continue
            expect(self.inequality(number) == need, f"a premise {need!r} >= 0", said(self.facts[number]))
        found = schema.gives(*operands)
        return eq(found.p) if isinstance(found, Zero) else ge(Poly.of(found))

    def alternatives(self, on: Any) -> list[list[Formula]]:
        """The branches of ``cases``: in each, the facts it may start from."""
        match on:
            case {"sign": rows, **rest} if not rest:
                return [[ge(part[0])] for part in CHOICE_BY_ID["sign"].branches(self.poly(rows))]
            case {"or": int() as number, **rest} if not rest:
                kind, *parts = self.premise(number)
                expect(kind == "or", "a disjunction", said(self.facts[number]))
                return [flattened([part]) for part in parts]
            case {"atom": int() as number, **rest} if not rest:
                return self.choices(number)
            case _:
                raise Rejected(f"expected a choice, found {shown(on)}")

    def choices(self, number: int) -> list[list[Formula]]:
        atom, v = self.atom(number), Poly.atom(number)
        if atom.kind == "ite":
            assert atom.branches is not None
            ends = [eq(v - arg) for arg in atom.args]
            return [[*flattened([branch]), end] for branch, end in zip(atom.branches, ends)]
        schema = next((each for each in CHOICE_BY_ID.values() if each.kind == atom.kind), None)
        expect(schema is not None, "an atom with a choice", atom.kind)
        assert schema is not None
        return [
            [eq(fact.p) if isinstance(fact, Zero) else ge(Poly.of(fact)) for fact in branch]
            for branch in schema.branches(v, *atom.args)
        ]

    def split(self, alternatives: list[list[Formula]], branches: list[Any], wanted: Formula) -> Formula:
        expect(len(branches) == len(alternatives), f"{len(alternatives)} branches", len(branches))
        before = len(self.facts)
        for number, (start, steps) in enumerate(zip(alternatives, branches)):
            self.facts += start
            self.place.append(number)
            self.run(steps, wanted)
            self.place.pop()
            del self.facts[before:]
        return wanted


def check_poly(p: Any) -> Poly:
    assert isinstance(p, Poly)
    return p


def absurd(fact: Formula) -> bool:
    """Whether ``fact`` can never hold."""
    if fact[0] == "or":
        return False
    value = fact[1].constant()
    return value is not None and (value < 0 if fact[0] == "ge" else value != 0)


def said(fact: Any) -> str:
    """A fact in words."""
    match fact:
        case ("ge", p):
            return f"{p!r} >= 0"
        case ("eq", p):
            return f"{p!r} == 0"
        case _:
            return str(fact)


def check(question: Any, log: Any) -> CheckResult:
    """Whether ``log`` (``{"atoms": [...], "steps": [...]}``) proves ``question`` (see ``terms``)."""
    checker = None
    try:
        match log:
            case {"atoms": atoms, "steps": steps, **rest} if not rest:
                reading = Reading(Question.read(question))
            case _:
                raise Rejected("expected a log: atoms and steps")
        reading.load(atoms)
        given, wanted = reading.facts()
        checker = Checker(reading, [*given, *wanted])
        checker.run(steps, ABSURD)
    except Rejected as error:
        return CheckResult(False, str(error), tuple(checker.place) if checker else ())
    except RecursionError:
        return CheckResult(False, "expected a certificate that is nested less deeply", ())
    return CheckResult(True)
