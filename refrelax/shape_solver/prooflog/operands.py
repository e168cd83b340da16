"""Operands first: what is equal to something shorter gives way to it, from the inside out.

``n << ((5 & m) | (5 & ~m))`` is ``n << 5``: no step about the power says so, one about its exponent does. Values at
points say which parts are numbers, or equal to what is in them; that they are is shown as any equation is; the atoms
around them are then those of the shorter operands, by congruence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Atom, eq, flattened, ge
from refrelax.shape_solver.checker.schemas import MAX_STEP
from refrelax.shape_solver.prooflog.bitwise import equation
from refrelax.shape_solver.prooflog.branching import Branching, solved
from refrelax.shape_solver.prooflog.carried import nothing, parted, within
from refrelax.shape_solver.prooflog.carried import polys as in_formula
from refrelax.shape_solver.prooflog.forms import Forms
from refrelax.shape_solver.prooflog.ledger import Ledger, Meter
from refrelax.shape_solver.prooflog.places import compared
from refrelax.shape_solver.prooflog.samples import Samples
from refrelax.shape_solver.prooflog.search import alternatives, take

MAX_ASKED = 24
"""Equations that are looked for."""

WORK = 6_000
"""What looking for one may cost."""

DEPTH = 3
"""Choices, minima and signs that are split for one, below each other."""

MAX_BITS = 8
"""Atoms ``a & b`` whose bits are compared at every place."""

NODES = 40
"""Of a branching from what is left."""

ABSURD = ge(Poly.of(-1))
LEAVES = ("sym", "define")


def lifted(ledger: Ledger, goals: list[int]) -> int | None:
    """The number of an absurdity from ``goals``, after parts of them gave way to shorter ones."""
    operands = Operands(ledger, Samples.of(ledger, *goals))
    if not operands.samples.points:
        return None
    before, facts = len(ledger.rules), len(ledger.facts)
    for number in sorted(within(ledger, goals)):  # operands are numbered before the atoms of them
        operands.replace(number)
    if len(ledger.rules) == before or ledger.meter.empty:
        return None
    ledger.reduced[facts:] = [None] * (len(ledger.facts) - facts)  # of how they were shown nothing more is asked
    return ended(ledger, goals)


def ended(ledger: Ledger, goals: list[int]) -> int | None:
    """An absurdity from what is left of ``goals``, of which the last says most."""
    *others, last = goals
    if ledger.facts[last][0] == "or":
        branches = []
        for part in ledger.facts[last][1:]:
            below = ledger.branch(flattened([part]))
            below.used.add(-1 - last)
            found = ended(below, [*others, *range(len(ledger.facts), len(below.facts))])
            if found is None:
                return None
            below.goal = found
            branches.append(below)
        return ledger.cases({"or": last}, branches, ABSURD)
    asked = [left(ledger, each) for each in goals]
    return within_reach(
        ledger, [each for each in asked if any(map(Poly.mentions, in_formula(ledger.facts[each])))], asked
    )


def left(ledger: Ledger, goal: int) -> int:
    """The fact ``goal`` as the equations leave it."""
    fact, p = ledger.facts[goal], ledger.reduced[goal]
    if p is None or p == fact[1]:
        return goal
    first = ledger.combine(p, [[1, ["not"]], [1, [goal]]])
    return first if fact[0] == "ge" else ledger.equal(first, ledger.combine(-p, [[1, ["not"]], [-1, [goal]]]))


def within_reach(ledger: Ledger, asked: list[int], all_of: list[int]) -> int | None:
    """An absurdity by arithmetic, or by bits."""
    for each in all_of:
        p = ledger.reduced[each]
        value = None if p is None else p.constant()
        if value is not None and (value < 0 or (value and ledger.facts[each][0] == "eq")):
            return ledger.combine(Poly.of(-1), [[1 if value < 0 else -1, [each]]])
    meter, below = ledger.meter, ledger.branch([])
    below.meter = Meter(min(WORK, meter.limit - meter.spent))
    found = Branching(NODES, 0, Forms(asked[0]), 0).absurd(below) if asked else None
    meter.spent += below.meter.spent
    if found is not None:
        return below.adopted(ledger, found)
    return parted(ledger, asked, DEPTH) if asked and not meter.empty else None


@dataclass(slots=True)
class Operands:
    ledger: Ledger
    samples: Samples
    left: int = MAX_ASKED

    def replace(self, number: int) -> None:
        """Lets the atom of shorter operands replace the atom ``number``, and what that is."""
        ledger = self.ledger
        atom = ledger.reading.atoms[number]
        if atom.kind in LEAVES or number in ledger.places:
            return
        if atom.branches is not None:
            for p in (*atom.args, *in_formula(atom.branches[0])):
                self.shorter(p)
        else:
            number = self.congruent(number, atom)
        self.valued(number)

    def congruent(self, number: int, atom: Atom) -> int:
        """The atom of shorter operands, which replaces the atom ``number``; that itself, if there are none."""
        ledger = self.ledger
        found = [self.shorter(arg) for arg in atom.args]
        if all(each is None for each in found):
            return number
        args = tuple(arg if each is None else each[0] for arg, each in zip(atom.args, found))
        (other,) = ledger.reading.make(atom.kind, args).mentions()
        same = ledger.congruence(number, other, [None if each is None else each[1] for each in found])
        ledger.rule(same, number)
        return int(other)

    def shorter(self, p: Poly) -> tuple[Poly, int] | None:
        """What ``p`` is, if that is shorter, and the equation of both."""
        ledger = self.ledger
        short = ledger.reduce(p)
        for q in self.candidates(short):
            found = self.shown(short - q)
            if found is not None:
                ends = [ledger.combine(s * (p - q), [[1, ["not"]], [s, [found]]]) for s in (1, -1)]
                rest = ledger.reduced[found]
                if rest is not None and rest.mentions():
                    solved(ledger, found, rest)
                return q, ledger.equal(*ends)
        return None if short == p else (short, equation(ledger, p - short))

    def valued(self, number: int) -> None:
        """Lets what the atom is replace it, if that is a number or a part of it."""
        ledger = self.ledger
        atom, value = ledger.reading.atoms[number], Poly.atom(number)
        if number in ledger.places or atom.kind in LEAVES:
            return
        numbers = [arg.constant() for arg in atom.args]
        if atom.kind == "and" and any(each is not None for each in numbers):
            ledger.rule(ledger.mask(number), number)
        elif atom.kind == "p2" and (k := numbers[0]) is not None:
            if 0 <= k <= MAX_STEP:
                ends = ledger.axiom("p2/above", [number], [None], k), ledger.axiom("p2/below", [number], [None] * 2, k)
                ledger.rule(ledger.equal(*ends), number)
        else:
            found = self.chosen(number)
            if found is None:
                asked = (self.shown(value - q) for q in self.candidates(value))
                found = next((each for each in asked if each is not None), None)
            if found is not None:
                ledger.rule(found, number)

    def chosen(self, number: int) -> int | None:
        """The equation of a choice or a minimum and what all that it chooses from are."""
        ledger = self.ledger
        atom, value = ledger.reading.atoms[number], Poly.atom(number)
        short = {ledger.reduce(arg) for arg in atom.args}
        if atom.kind not in ("ite", "min") or len(short) > 1:
            return None
        (q,) = short
        branches = []
        for start in alternatives(ledger, number):
            below = ledger.branch(start)
            take(below)
            if below.reduce(value - q).terms:
                return None
            below.goal = equation(below, value - q)
            branches.append(below)
        return ledger.cases({"atom": number}, branches, eq(value - q))

    def candidates(self, p: Poly) -> Iterator[Poly]:
        """What ``p`` may be by its values: a number, or a part of what is in it that is shorter."""
        ledger, samples = self.ledger, self.samples
        inside = self.inside(p)
        if all(ledger.reading.atoms[each].kind in LEAVES for each in inside) or self.left <= 0 or ledger.meter.empty:
            return
        value = samples.value(p, samples.points[0])
        if value is not None and samples.zero(p - value):
            yield Poly.of(value)
            return
        seen: set[Poly] = {p}
        parts = [q for each in inside for q in (Poly.atom(each), *ledger.reading.atoms[each].args)]
        parts += [c * Poly.atom(each) for each in inside if (c := self.times(p, each)) not in (0, 1)]
        for q in sorted(map(ledger.reduce, parts), key=lambda q: len(self.inside(q))):
            if q not in seen and q.mentions() and len(self.inside(q)) < len(inside) and samples.zero(p - q):
                seen.add(q)
                yield q

    def times(self, p: Poly, number: int) -> int:
        """How many times the atom ``p`` is where it has its first value; 0 if that is no whole number."""
        value, unit = (self.samples.value(each, self.samples.points[0]) for each in (p, Poly.atom(number)))
        return value // unit if value and unit and value % unit == 0 else 0

    def inside(self, p: Poly) -> list[int]:
        """The atoms in ``p``, and those in them."""
        pending, found = [p], dict[int, None]()
        for each in pending:
            for number in sorted(each.mentions()):
                if number not in found:
                    found[number] = None
                    pending += self.ledger.reading.atoms[number].args
        return list(found)

    def shown(self, p: Poly) -> int | None:
        """The equation ``p == 0``, by little work."""
        ledger, meter = self.ledger, self.ledger.meter
        if not ledger.reduce(p).terms:
            return equation(ledger, p)
        self.left -= 1
        below = ledger.branch([])
        below.meter = Meter(min(WORK, meter.limit - meter.spent))
        count, masked = len(ledger.reading.atoms), len(ledger.reading.masks)
        found = self.zero(below, p)
        meter.spent += below.meter.spent
        if found is None:
            ledger.reading.forget(count, masked)
            return None
        return below.adopted(ledger, found)

    def zero(self, ledger: Ledger, p: Poly) -> int | None:
        """The equation ``p == 0``: of bits at every place, of a factor, or as neither sign can be."""
        bits = [each for each in self.inside(p) if ledger.reading.atoms[each].kind == "and"]
        if bits:
            below = ledger.branch([])
            compared(below, sorted(bits)[:MAX_BITS])
            if not below.reduce(p).terms:
                return below.adopted(ledger, equation(below, p))
        factors = sorted(set(next(iter(p.terms))).intersection(*p.terms))
        if not factors:
            return nothing(ledger, p, DEPTH)
        monos = {mono: mono.index(factors[0]) for mono in p.terms}
        rest = Poly({mono[:at] + mono[at + 1 :]: p.terms[mono] for mono, at in monos.items()})
        found = self.zero(ledger, rest) if rest.mentions() else None
        if found is None:
            return None
        ends = [
            ledger.combine(s * p, [[1, ["not"]], [(s * Poly.atom(factors[0])).written(), [found]]]) for s in (1, -1)
        ]
        return ledger.equal(*ends)
