"""An absurdity by branching: linear arithmetic over the integers, led by rational points.

At each node the facts are solved as linear rows over monomials. Where they have no solution, their sum is a step.
Where they have one, it says what to split next: a disjunction or an atom (minimum, choice, truth value) that it
violates, the sign that a quotient's axioms wait for, or a form over the integers whose value at it is none. A branch
that does without what it started from stands for the whole split. Nothing is searched twice: what is looked for is
decided by the point.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from math import floor, gcd

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import ge
from refrelax.shape_solver.prooflog.bitwise import alike, cancelled, unlike
from refrelax.shape_solver.prooflog.forms import Forms
from refrelax.shape_solver.prooflog.learning import conditional, plain, signed
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.lemma import absurd as lemma
from refrelax.shape_solver.prooflog.lemma import scaled
from refrelax.shape_solver.prooflog.places import related
from refrelax.shape_solver.prooflog.point import Point, linear, sight, wrong
from refrelax.shape_solver.prooflog.products import multiplied
from refrelax.shape_solver.prooflog.prune import outside
from refrelax.shape_solver.prooflog.simplex import solution
from refrelax.shape_solver.prooflog.splitting import (
    MAX_TRIED,
    Split,
    best,
    changed,
    factors,
    fractions,
    halves,
    residues,
    splits,
    undecided,
)

ABSURD = ge(Poly.of(-1))

MAX_CUTS = 12
"""Splits of integer forms above one another."""


@dataclass(slots=True)
class Branching:
    """One search; ``nodes`` more may be looked at."""

    nodes: int
    products: int
    forms: Forms
    changes: int
    """How many symbols may still be made for forms over the integers."""
    """How often products of facts may be looked for."""
    values: int = 0
    """How many values of a symbol are split, before more is looked for."""

    def absurd(self, ledger: Ledger, cuts: int = MAX_CUTS) -> int | None:
        """The number of an absurdity that follows from the facts of ``ledger``."""
        while True:
            if self.nodes <= 0 or ledger.meter.empty:
                return None
            self.nodes -= 1
            found = self.simplified(ledger)
            if found is not None:
                return found
            keys, rows = linear(ledger)
            reasons, values = solution(rows, ledger.meter)
            if reasons is not None:
                return ledger.combine(Poly.of(-1), [[c, [keys[row]]] for row, c in scaled(reasons)])
            if values is None:
                return None
            point = Point(ledger, values)
            if self.more(ledger, point):
                continue
            split = next(splits(ledger, point), None)
            if split is None and self.values:
                split = next(halves(ledger, point, self.values), None)
            monos = wrong(ledger, point) if split is None else []
            if monos:
                before = len(ledger.facts)
                split = next(residues(ledger, monos), None) or next(undecided(ledger, monos), None)
                if split is None and (len(ledger.facts) > before or multiplied(ledger, point, monos)):
                    continue
                if split is None and self.products > 0:
                    self.products -= 1
                    signed(ledger, point, *(Poly({mono: 1}) for mono in monos))
                    product = lemma(ledger)
                    if product is not None:
                        return product
                split = split or next(factors(ledger, point, monos), None)
                if split is None and len(ledger.facts) > before:  # signs that are known by now
                    continue
            if split is None:
                split = next(undecided(ledger, [tuple(unlike(ledger, sight(ledger)))]), None)
            if split is None:
                split = best(ledger, list(itertools.islice(fractions(ledger, point), MAX_TRIED)))
                if split is not None and self.changes > 0 and changed(ledger):
                    self.changes -= 1
                    continue
            if split is None or (split[2] and cuts <= 0):
                return None
            return self.split(ledger, split, cuts - split[2])

    def split(self, ledger: Ledger, split: Split, cuts: int) -> int | None:
        on, starts, _ = split
        branches = []
        for start in starts:
            below = ledger.branch(start)
            found = self.absurd(below, cuts)
            if found is None:
                return None
            below.goal = found
            if not outside(below, len(ledger.facts)):
                return adopted(ledger, below)
            branches.append(below)
        return ledger.cases(on, branches, ABSURD)

    # --- before a node is solved

    def simplified(self, ledger: Ledger) -> int | None:
        """Equations replace atoms, bounds become tight, and atoms say what is known of them; an absurdity, if that
        ends in one."""
        done = 0
        sides: dict[Poly, int] = {}
        while done < len(ledger.facts):
            if not done:
                sides = {}
            before, count = len(ledger.rules), len(ledger.facts)
            for number in range(done, count):
                p = ledger.reduced[number]
                if p is None:
                    continue
                value = p.constant()
                exact = ledger.facts[number][0] == "eq"
                if value is not None:
                    if value < 0 or (exact and value):
                        return ledger.combine(Poly.of(-1), [[1 if value < 0 else -1, [number]]])
                    continue
                if not exact:
                    number = tightened(ledger, number, p)
                    p = ledger.reduced[number]
                    assert p is not None
                    opposite = sides.get(-p)
                    sides[p] = number
                    if opposite is None:
                        continue
                    number = joined(ledger, number, opposite)
                    p = ledger.reduced[number]
                    assert p is not None
                found = solved(ledger, number, p)
                if found is not None:
                    return found
            done = count
            self.learn(ledger)
            if len(ledger.rules) != before:
                done = 0
        return None

    def learn(self, ledger: Ledger) -> None:
        """The axioms that need no search, of all atoms in sight."""
        for number in sight(ledger):
            if number not in ledger.settled:
                ledger.settled.add(number)
                plain(ledger, number, ledger.reading.atoms[number])

    def more(self, ledger: Ledger, point: Point) -> bool:
        """Whether an axiom was written down whose premise is known by now."""
        before = len(ledger.facts)
        seen = sight(ledger)
        for number in seen:
            if number not in ledger.axioms and not ledger.meter.empty:
                conditional(ledger, point, number, self.forms)
        if ledger.meter.empty or alike(ledger, seen) or len(ledger.facts) > before:
            return True
        if cancelled(ledger):
            related(ledger)
        return len(ledger.facts) > before


def solved(ledger: Ledger, number: int, p: Poly) -> int | None:
    """Lets the equation replace an atom; with no factor 1, after division with new symbols. An absurdity, if its
    factors have a common divisor that its constant has not."""
    while True:
        common = gcd(*(c for mono, c in p.terms.items() if mono))
        if common > 1:
            quotient = Poly({mono: c // common for mono, c in p.terms.items()})
            first = (
                ledger.combine(quotient, [[common, ["not"]], [1, [number]]])
                if p.terms.get((), 0) % common == 0
                else None
            )
            if first is None:
                up = Poly({mono: c // common for mono, c in p.terms.items() if mono}) - (-p.terms[()] // common + 1)
                low = ledger.combine(up, [[common, ["not"]], [1, [number]]])
                return ledger.combine(Poly.of(-1), [[common, [low]], [-1, [number]]])
            number = ledger.equal(first, ledger.combine(-quotient, [[common, ["not"]], [-1, [number]]]))
            p = quotient
        units = [mono[0] for mono, c in p.terms.items() if len(mono) == 1 and abs(c) == 1]
        kinds = ledger.reading.atoms
        for atom in sorted(units, key=lambda each: (kinds[each].kind in ("sym", "define"), -each)):
            if ledger.rule(number, atom):
                return None
        if units or any(len(mono) > 1 for mono in p.terms):
            return None
        least = min((abs(c), mono[0]) for mono, c in p.terms.items() if mono)
        x, a = least[1], p.terms[(least[1],)]
        rest = {mono: rounded(c, a) for mono, c in p.terms.items() if mono}
        _, equation = ledger.define(Poly({mono: c for mono, c in rest.items() if c}))
        if not ledger.rule(equation, x):
            return None
        after = ledger.reduced[number]
        assert after is not None
        p = after


def rounded(c: int, a: int) -> int:
    """The quotient nearest to ``c / a``."""
    return floor(Fraction(c, a) + Fraction(1, 2))


def tightened(ledger: Ledger, number: int, p: Poly) -> int:
    """A bound divided by the common divisor of its factors, and rounded."""
    common = gcd(*(c for mono, c in p.terms.items() if mono))
    if common == 1:
        return number
    quotient = {mono: c // common for mono, c in p.terms.items() if c // common}
    return ledger.combine(Poly(quotient), [[common, ["not"]], [1, [number]]])


def joined(ledger: Ledger, number: int, opposite: int) -> int:
    """The equation that two opposite bounds give."""
    p = ledger.reduced[number]
    assert p is not None
    first = ledger.combine(p, [[1, ["not"]], [1, [number]]])
    return ledger.equal(first, ledger.combine(-p, [[1, ["not"]], [1, [opposite]]]))


def adopted(ledger: Ledger, below: Ledger) -> int:
    """Takes over the steps of a branch that did without what it started from."""
    trivial = ge(Poly.of(0))
    step = {"rule": "combine", "terms": [[1, ["not"]]], "gives": ["ge", []]}
    needed = outside(below, len(ledger.facts), True)
    for number in range(len(ledger.facts), len(below.facts)):
        place = number - (len(below.facts) - len(below.steps))
        kept = place >= 0 and number in needed
        ledger.facts.append(below.facts[number] if kept else trivial)
        ledger.reduced.append(None)
        ledger.steps.append(below.steps[place] if kept else step)
    return below.goal
