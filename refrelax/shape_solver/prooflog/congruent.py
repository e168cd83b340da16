"""Terms that are equal but for places where equal terms stand: congruence, place by place, and arm by arm.

Both sides of what a normal form cancels are read off the claim: atoms that take each other's place in it. Values at
points say which can; that they do follows from their operands, of choices from what is chosen in each case, or is a
question of its own, mostly without the hypotheses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Formula, eq, flattened, ge
from refrelax.shape_solver.prooflog.axioms import acquaint
from refrelax.shape_solver.prooflog.bitwise import equation
from refrelax.shape_solver.prooflog.branching import Branching
from refrelax.shape_solver.prooflog.contrary import contrary
from refrelax.shape_solver.prooflog.forms import Forms, equation_of
from refrelax.shape_solver.prooflog.ledger import Ledger, Meter
from refrelax.shape_solver.prooflog.operands import Operands
from refrelax.shape_solver.prooflog.recorded import unequal
from refrelax.shape_solver.prooflog.samples import Samples
from refrelax.shape_solver.prooflog.search import alternatives

MAX_ATOMS = 30
"""Atoms of a form that are looked at in pairs."""

MAX_DEPTH = 6
"""Operands below one another."""

MAX_CHOICES = 4
"""Choices that are split, one below the other."""

MAX_MISSED = 6
MAX_PARTS = 4
"""Of a claim that is a disjunction, when it is denied."""

NODES = 12
"""Of a branching that shows that two terms are equal."""

WORK = 400
"""What that may cost."""

WITHIN = 3
"""How much more within an arm of a choice, which costs more to come to."""

ABSURD = ge(Poly.of(-1))
BITS = ("and", "p2")
LEAVES = ("sym", "ite", "define")
"""Atoms of which there is no congruence."""

Form = tuple[Any, ...]


def congruent(ledger: Ledger, goals: list[int]) -> int | None:
    """The number of an absurdity from one of ``goals``, of which the last says most, by terms in it that are equal."""
    for goal in reversed(goals):
        fact = ledger.facts[goal]
        p = fact[1] if fact[0] in ("ge", "eq") else unequal(fact)
        if fact == ABSURD:
            return goal
        if p is not None and p.constant() is None:
            found = Congruence(ledger, Samples.of(ledger, goal)).absurd(goal, p)
            if found is not None:
                return found
    return _each(ledger, goals) if goals else None


def _each(ledger: Ledger, goals: list[int]) -> int | None:
    """The same from each part of the disjunction that the last of ``goals`` is."""
    *others, goal = goals
    kind, *parts = ledger.facts[goal]
    if kind != "or" or unequal(ledger.facts[goal]) is not None or len(parts) > MAX_PARTS or ledger.meter.empty:
        return None
    branches = []
    for part in parts:
        below = ledger.branch(flattened([part]))
        below.used.add(-1 - goal)
        found = congruent(below, [*others, *range(len(ledger.facts), len(below.facts))])
        if found is None:
            return None
        below.goal = found
        branches.append(below)
    return ledger.cases({"or": goal}, branches, ABSURD)


@dataclass(slots=True)
class Congruence:
    ledger: Ledger
    samples: Samples
    zeros: dict[Poly, int | None] = field(default_factory=dict)
    """What was asked, and the equation that says that it is 0."""
    asked: set[tuple[Poly, int]] = field(default_factory=set)
    choices: int = MAX_CHOICES
    """How many may still be split."""
    missed: int = 0
    """Equations that were looked for in vain: where points say little, they admit many."""

    def absurd(self, goal: int, p: Poly) -> int | None:
        """From the fact ``goal``, which says that ``p`` is not 0 or at least 0, or 0."""
        ledger = self.ledger
        self.zeros.update({s * (p - p.terms.get((), 0)): None for s in (1, -1)})  # the whole claim is no part of it
        rest, terms = self.merged(p, MAX_DEPTH)
        value = rest.constant()
        if value is None and (found := self.number(rest, not terms)) is not None:
            value, equation = found
            terms = [*terms, (Poly.of(1), equation)]
        kind = ledger.facts[goal][0]
        if value is None or (value >= 0 if kind == "ge" else value == 0 if kind == "eq" else value != 0):
            return None
        if kind != "or":
            sign = 1 if value < 0 else -1
            return ledger.combine(Poly.of(-1), [[sign, [goal]], *_times(terms, -sign)])
        branches = []
        for part in ledger.facts[goal][1:]:
            below = ledger.branch([part])
            sign = -1 if part[1] == p - 1 else 1
            below.goal = below.combine(Poly.of(-1), [[1, [len(ledger.facts)]], *_times(terms, sign)])
            branches.append(below)
        return ledger.cases({"or": goal}, branches, ABSURD)

    def merged(self, p: Poly, depth: int) -> tuple[Poly, list[tuple[Poly, int]]]:
        """``p`` with atoms in place of others that equal them, and the equations of these with their factors."""
        terms: list[tuple[Poly, int]] = []
        while depth and not self.ledger.meter.empty:
            for u, v in self.pairs(p):
                if self.missed >= MAX_MISSED or self.ledger.meter.empty:
                    return p, terms
                equation = self.same(u, v, depth - 1)
                if equation is not None:
                    factor, p = p.divided(u, Poly.atom(v))
                    terms.append((factor, equation))
                    break
            else:
                break
        return p, terms

    def number(self, p: Poly, whole: bool) -> tuple[int, int] | None:
        """A number that ``p`` is, and the equation of both; of the ``whole`` claim only by what is chosen in it."""
        value = self.samples.value(p, self.samples.points[0]) if self.samples.points else None
        if value is None or not self.samples.zero(p - value):
            return None
        found = self.product(p - value, MAX_DEPTH) or self.chosen(p - value, MAX_DEPTH)
        if found is None and not whole:
            found = self.shown(p - value)
        return None if found is None else (value, found)

    def pairs(self, p: Poly) -> Iterator[tuple[int, int]]:
        """Atoms that can be equal, such that one in place of the other makes ``p`` shorter: first those of one form,
        then those whose operands can be equal, too."""
        atoms = sorted(p.mentions())
        if len(atoms) > MAX_ATOMS:
            return
        values = {each: [self.samples.atom(each, point) for point in self.samples.points] for each in atoms}
        forms: dict[int, Form] = {}
        less: list[tuple[int, int]] = []
        least: list[tuple[int, int]] = []
        for v, u in combinations(atoms, 2):
            kinds = {self.ledger.reading.atoms[each].kind for each in (u, v)}
            if kinds != {"sym"} and all(x == y or None in (x, y) for x, y in zip(values[u], values[v])):
                if len(p.replaced(u, Poly.atom(v)).terms) < len(p.terms):
                    if self.form(u, forms) == self.form(v, forms):
                        yield u, v
                    elif self.corresponding(u, v) is not None or kinds == {"ite"}:
                        less.append((u, v))
                    else:
                        least.append((u, v))
        if self.samples.points:  # without one any two can be equal
            yield from less
            yield from least

    def form(self, number: int, known: dict[int, Form]) -> Form:
        """What an atom looks like, whatever its choices are."""
        if number not in known:
            atom = self.ledger.reading.atoms[number]
            args = atom.args if atom.kind != "ite" else ()
            known[number] = (atom.kind, atom.symbol, *(self.looks(arg, known) for arg in args))
        return known[number]

    def looks(self, p: Poly, known: dict[int, Form]) -> Form:
        return tuple(sorted((c, *sorted(repr(self.form(each, known)) for each in mono)) for mono, c in p.terms.items()))

    def corresponding(self, u: int, v: int) -> list[tuple[Poly, Poly]] | None:
        """The operands of two atoms of one kind, if they can be equal."""
        first, second = (self.ledger.reading.atoms[each] for each in (u, v))
        if first.kind != second.kind or first.kind in LEAVES or len(first.args) != len(second.args):
            return None
        both = list(zip(first.args, second.args))
        return both if all(self.samples.zero(x - y) for x, y in both) else None

    def same(self, u: int, v: int, depth: int) -> int | None:
        """The equation of two atoms: as their operands are equal, or else by what they are."""
        p = Poly.atom(u) - Poly.atom(v)
        if self.zeros.get(p) is None and (p, depth) not in self.asked:
            self.asked.add((p, depth))
            found = self.alike(u, v, depth)
            if found is None:
                found = self.chosen(p, depth)
            if found is None:
                found = self.quotients(u, v)
            self.zeros[p] = self.shown(p) if found is None and p not in self.zeros else found
            self.missed += self.zeros[p] is None
        return self.zeros[p]

    def alike(self, u: int, v: int, depth: int) -> int | None:
        both = self.corresponding(u, v)
        if both is None:
            return None
        equations: list[int | None] = []
        for x, y in both:
            equations.append(None if x == y else self.zero(x - y, depth))
            if equations[-1] is None and x != y:
                return None
        return self.ledger.congruence(u, v, equations)

    def quotients(self, u: int, v: int) -> int | None:
        """The same of two quotients by what is no number, of which one encloses the other."""
        ledger, reading = self.ledger, self.ledger.reading
        first, second = (reading.atoms[each] for each in (u, v))
        if first.kind != second.kind or first.kind not in ("fd", "td") or ledger.meter.empty:
            return None
        if not self.samples.points or any(each.args[1].constant() is not None for each in (first, second)):
            return None
        count, masked, below = len(reading.atoms), len(reading.masks), ledger.branch([])
        below.meter = Meter(WITHIN * WORK)
        for each in (u, v):
            acquaint(below, each)
        found = equation_of(below, u, Poly.atom(v))
        ledger.meter.spent += below.meter.spent
        if found is None:
            reading.forget(count, masked)
            return None
        return below.adopted(ledger, found)

    def zero(self, p: Poly, depth: int) -> int | None:
        """The equation ``p == 0``."""
        if p not in self.zeros:
            self.zeros[p] = None
            rest, terms = self.merged(p, depth)
            if rest.terms and (equation := self.nothing(rest, depth)) is not None:
                rest, terms = Poly({}), [*terms, (Poly.of(1), equation)]
            if not rest.terms:
                ledger = self.ledger
                ends = [ledger.combine(s * p, [[1, ["not"]], *_times(terms, s)]) for s in (1, -1)]
                self.zeros[p] = ledger.equal(*ends)
        return self.zeros[p]

    def nothing(self, p: Poly, depth: int) -> int | None:
        """The same where no atoms take each other's place."""
        found = self.product(p, depth)
        if found is None:
            found = self.chosen(p, depth)
        return self.shown(p) if found is None else found

    def product(self, p: Poly, depth: int) -> int | None:
        """The same by a factor that is nothing, where an atom is in every term."""
        common = sorted(set(next(iter(p.terms), ())).intersection(*p.terms)) if p.terms else []
        if not common:
            return None
        places = {mono: mono.index(common[0]) for mono in p.terms}
        rest = Poly({mono[:at] + mono[at + 1 :]: p.terms[mono] for mono, at in places.items()})
        if not rest.mentions() or not self.samples.zero(rest):
            return None
        found, ledger = self.zero(rest, depth), self.ledger
        if found is None:
            return None
        factor = Poly.atom(common[0])
        return ledger.equal(
            *(ledger.combine(s * p, [[1, ["not"]], [(s * factor).written(), [found]]]) for s in (1, -1))
        )

    def chosen(self, p: Poly, depth: int) -> int | None:
        """The same by the arms of a choice in ``p``: what is left of it where one is chosen."""
        ledger, atoms = self.ledger, self.ledger.reading.atoms
        left = sorted(each for each in ledger.reduce(p).mentions() if atoms[each].kind == "ite")
        if not left or depth <= 0 or self.choices <= 0 or ledger.meter.empty or not self.samples.zero(p):
            return None
        count, masked, number = len(atoms), len(ledger.reading.masks), left[0]
        branches = []
        for start in alternatives(ledger, number):
            below = ledger.branch(start)
            below.used.add(number)
            found = self.arm(below, number, start, p, depth - 1)
            if found is None:
                ledger.reading.forget(count, masked)
                return None
            below.goal = found
            branches.append(below)
        return ledger.cases({"atom": number}, branches, eq(p))

    def arm(self, below: Ledger, number: int, start: list[Formula], p: Poly, depth: int) -> int | None:
        """The same in one case, which ``start`` says."""
        below.rule(below.index[start[-1]], number)
        absurd = contrary(below, len(below.facts) - below.starts)
        if absurd is not None:
            return below.equal(*(below.combine(s * p, [[1, [absurd]]]) for s in (1, -1)))
        short = below.reduce(p)
        if short.terms:
            points = [dict(each) for each in self.samples.points if all(self.samples.holds(f, each) for f in start)]
            inner = Congruence(below, Samples(below, points), choices=self.choices - 1)
            inner.zeros = {q: found for q, found in self.zeros.items() if found is not None}
            found = inner.chosen(short, depth)
            if found is None:
                found = inner.zero(short, depth) if points else inner.shown(short)
            if found is None:
                return None
            return below.equal(*(below.combine(s * p, [[1, ["not"]], [s, [found]]]) for s in (1, -1)))
        return equation(below, p)

    def shown(self, p: Poly) -> int | None:
        """The same by what is in ``p``: without hypotheses if that does, in an arm also with them; of bits by
        theirs."""
        ledger, reading = self.ledger, self.ledger.reading
        if any(reading.atoms[each].kind in BITS for each in p.mentions()):
            asked = bool(self.samples.points) and not ledger.meter.empty
            return Operands(ledger, self.samples).shown(p) if asked else None
        count, masked = len(reading.atoms), len(reading.masks)
        for bare in (True, False) if self.choices < MAX_CHOICES else (True,):
            found = self.ended(p, bare)
            if len(found) == 2:
                return ledger.equal(*found)
            if not found:
                reading.forget(count, masked)
        return None

    def ended(self, p: Poly, bare: bool) -> list[int]:
        """That ``p`` is at least 0, and that it is at most 0, as far as that is shown."""
        ledger = self.ledger
        ends: list[int] = []
        for q in (p, -p):
            above, below = ledger.branch([ge(q)]), ledger.branch([])
            above.goal = len(ledger.facts)
            if bare:
                below.reduced, below.index = [None] * len(below.facts), {}
                below.beside = range(len(below.facts))
                below.used |= {-1 - number for number in range(len(below.facts))}
            number = below.add(ge(-q - 1))
            below.starts = 1
            below.meter = Meter(WORK if self.choices == MAX_CHOICES else WITHIN * WORK)
            found = refuted(below, number)
            ledger.meter.spent += below.meter.spent
            if found is None:
                return ends
            below.goal = found
            ends.append(ledger.cases({"sign": q.written()}, [above, below], ge(q)))
        return ends


def refuted(ledger: Ledger, goal: int) -> int | None:
    """An absurdity from one fact by arithmetic: what has bits is any number to it."""
    return Branching(NODES, 0, Forms(goal), 0).absurd(ledger)


def _times(terms: list[tuple[Poly, int]], sign: int) -> list[list[object]]:
    return [[(sign * factor).written(), [equation]] for factor, equation in terms]
