"""The facts of a proof in the making, and the steps that are written down.

Facts are kept twice: as the checker will see them, and *reduced* by the equations found so far, each of which replaces
one atom. Nothing here is trusted: the checker decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Formula, Reading, eq, ge
from refrelax.shape_solver.checker.schemas import BIT, BY_ID, MASK, NUMBERED, POWER, Axiom, Zero

Step = dict[str, Any]


@dataclass(slots=True)
class Meter:
    """What the search for one log has cost, in terms of rows that were looked at, and what it may cost."""

    limit: int
    spent: int = 0

    @property
    def empty(self) -> bool:
        return self.spent > self.limit


@dataclass(slots=True)
class Ledger:
    """One scope of a proof: a branch sees what stood before it."""

    reading: Reading
    symbols: list[tuple[str, str]]
    """Names and dtypes of the question's symbols, by number."""
    meter: Meter
    facts: list[Formula] = field(default_factory=list)
    reduced: list[Poly | None] = field(default_factory=list)
    """``None`` for a disjunction."""
    rules: list[tuple[int, int, Poly]] = field(default_factory=list)
    """(equation, atom, what replaces it), in the order in which they apply."""
    places: dict[int, int] = field(default_factory=dict)
    """Which rule replaces an atom."""
    steps: list[Step] = field(default_factory=list)
    index: dict[Any, int] = field(default_factory=dict)
    """Facts by content."""
    starts: int = 0
    """How many facts this scope started with, beside those of the scope above."""
    goal: int = -1
    """The fact that this scope was made for, once it is there."""
    used: set[int] = field(default_factory=set)
    """Disjunctions and atoms on which this scope or one above it has branched."""
    axioms: set[int] = field(default_factory=set)
    """Atoms whose axioms were written down."""
    deferred: set[int] = field(default_factory=set)
    """Atoms whose axioms wait for what was learnt of their operands."""
    settled: set[int] = field(default_factory=set)
    """Atoms that were compared with their normal form."""
    beside: range = range(0)
    """Facts that say nothing of what the prover knew."""
    made: set[int] = field(default_factory=set)
    """Symbols that stand for parts of rows."""

    def branch(self, start: Iterable[Formula]) -> Ledger:
        """A scope below this one, with the facts ``start``."""
        below = Ledger(
            self.reading, self.symbols, self.meter, list(self.facts), list(self.reduced), list(self.rules),
            dict(self.places), [], dict(self.index),
        )  # fmt: skip
        below.axioms, below.settled = set(self.axioms), set(self.settled)
        below.beside = self.beside
        below.used, below.made, below.deferred = set(self.used), set(self.made), set(self.deferred)
        for fact in start:
            below.add(fact)
        below.starts = len(below.facts) - len(self.facts)
        return below

    def adopted(self, ledger: Ledger, found: int) -> int:
        """``found``, after ``ledger`` has taken over what this attempt below it added."""
        ledger.steps += self.steps
        ledger.facts, ledger.reduced, ledger.index = self.facts, self.reduced, self.index
        ledger.rules, ledger.places = self.rules, self.places
        return found

    def add(self, fact: Formula, step: Step | None = None) -> int:
        """A new fact, given by ``step`` if it is not given; its number."""
        number = len(self.facts)
        self.facts.append(fact)
        self.index.setdefault(fact, number)
        self.reduced.append(None if fact[0] == "or" else self.reduce(fact[1]))
        if step is not None:
            self.steps.append(step)
        return number

    def reduce(self, p: Poly) -> Poly:
        """``p`` with every replaced atom gone. No rule gives an atom of one before it."""
        while True:
            place = min((self.places[atom] for atom in p.mentions() if atom in self.places), default=None)
            if place is None:
                return p
            _, atom, rest = self.rules[place]
            p = p.replaced(atom, rest)
            self.meter.spent += len(p.terms)

    def rule(self, equation: int, atom: int) -> bool:
        """Lets ``equation`` replace ``atom``; ``False`` if it does not give it."""
        p = self.reduced[equation]
        assert p is not None
        factor = p.terms.get((atom,), 0)
        if factor not in (1, -1):
            return False
        rest = (p - factor * Poly.atom(atom)) * -factor
        if atom in rest.mentions():
            return False
        if p != self.facts[equation][1]:
            equation = self.equal(self.combine(p, [[1, ["not"]], [1, [equation]]]),
                                  self.combine(-p, [[1, ["not"]], [-1, [equation]]]))  # fmt: skip
        self.places[atom] = len(self.rules)
        self.rules.append((equation, atom, rest))
        self.reduced = [None if each is None else each.replaced(atom, rest) for each in self.reduced]
        return True

    # --- steps

    def define(self, value: Poly) -> tuple[Poly, int]:
        """A symbol that is ``value``, and the number of its equation."""
        x = self.reading.make("define", (value,))
        return x, self.axiom("define", [*x.mentions()], [])

    def combine(self, conclusion: Poly, terms: list[list[Any]]) -> int:
        """``conclusion >= 0``, from factors and products of facts (and of ``"not"``, its negation)."""
        fact = ge(conclusion)
        if fact in self.index:
            return self.index[fact]
        total = Poly.of(0)
        for factor, numbers in terms:
            product = Poly.of(factor) if isinstance(factor, int) else Poly.read(factor, len(self.reading.atoms))
            for number in numbers:
                product = product * self.factor(number, conclusion)
            total = total + product
        cofactors = []
        for equation, atom, rest in self.rules:
            quotient, total = total.divided(atom, rest)
            if quotient.terms:  # the equation is sign * (atom - rest) == 0
                sign = self.facts[equation][1].terms[(atom,)]
                cofactors.append([(quotient * -sign).written(), [equation]])
        value = total.constant()
        assert value is not None and value < 0, total
        return self.add(fact, {"rule": "combine", "terms": [*terms, *cofactors], "gives": written(fact)})

    def factor(self, number: Any, conclusion: Poly) -> Poly:
        if isinstance(number, list):
            root = Poly.read(number, len(self.reading.atoms))
            return root * root
        found: Poly = -conclusion - 1 if number == "not" else self.facts[number][1]
        return found

    def equal(self, i: int, j: int) -> int:
        fact = eq(self.facts[i][1])
        return self.add(fact, {"rule": "equal", "premises": [i, j], "gives": written(fact)})

    def axiom(self, name: str, atoms: list[int], premises: list[int | None], extra: int | None = None) -> int:
        """An instance of a schema; ``premises`` must fit."""
        parts = [self.reading.atoms[each] for each in atoms]
        schema: Axiom = BY_ID[name] if extra is None else NUMBERED[name][2](extra)
        found = schema.gives(*map(Poly.atom, atoms), *(arg for each in parts for arg in each.args))
        fact = eq(found.p) if isinstance(found, Zero) else ge(Poly.of(found))
        if fact in self.index:
            return self.index[fact]
        more = {} if extra is None else {"number": extra}
        step = {"rule": name, "atoms": atoms, "premises": premises, **more, "gives": written(fact)}
        return self.add(fact, step)

    def mask(self, number: int) -> int:
        """That the atom ``a & b``, one a number, is what it is read as."""
        fact = eq(Poly.atom(number) - self.reading.bit_and(*self.reading.atoms[number].args))
        if fact in self.index:
            return self.index[fact]
        return self.add(fact, {"rule": MASK, "atoms": [number], "premises": [], "gives": written(fact)})

    def power(self, v: int, w: int, u: int, premise: int | None) -> int:
        """That ``v``, the atom ``a & (2**k - 1)``, is a remainder; ``w`` is the power, ``u`` the quotient."""
        fact = eq(Poly.atom(v) - self.reading.atoms[v].args[0] + Poly.atom(w) * Poly.atom(u))
        step = {"rule": POWER, "atoms": [v, w, u], "premises": [premise], "gives": written(fact)}
        return self.index[fact] if fact in self.index else self.add(fact, step)

    def bit(self, v: int, w: int, u: int, premise: int | None) -> int:
        """That ``v``, the atom ``a & 2**k``, is the bit at ``k``; ``w`` is the power, ``u`` the quotient."""
        power, quotient = Poly.atom(w), Poly.atom(u)
        half = self.reading.make("fd", (quotient, Poly.of(2)))
        fact = eq(Poly.atom(v) - power * (quotient - 2 * half))
        step = {"rule": BIT, "atoms": [v, w, u, *half.mentions()], "premises": [premise], "gives": written(fact)}
        return self.index[fact] if fact in self.index else self.add(fact, step)

    def congruence(self, u: int, v: int, premises: list[int | None]) -> int:
        fact = eq(Poly.atom(u) - Poly.atom(v))
        step = {"rule": "congruence", "atoms": [u, v], "premises": premises, "gives": written(fact)}
        return self.add(fact, step)

    def bits(self, leaves: list[Any], atoms: list[int], sums: list[Any], p: Poly) -> int:
        """``p == 0``, by what holds of its bits at every place (``checker/places.py``)."""
        fact = eq(p)
        step = {"rule": "bits", "leaves": leaves, "atoms": list(atoms), "sums": sums, "gives": written(fact)}
        return self.add(fact, step)

    def cases(self, on: dict[str, Any], branches: list[Ledger], conclusion: Formula) -> int:
        step = {"rule": "cases", "on": on, "branches": [each.steps for each in branches], "gives": written(conclusion),
                "starts": [each.starts for each in branches], "goals": [each.goal for each in branches]}  # fmt: skip
        return self.add(conclusion, step)


def written(fact: Formula) -> list[Any]:
    return [fact[0], fact[1].written()]
