"""Facts about ``&`` and sums that no bits make hold, written down by the rule ``carries``: no search.

What is neither ``&`` nor a sum is a leaf, of which any bits are looked at: a symbol, a product, a quotient. ``2**k`` times
a quotient by ``2**k`` is what it divides without its lowest bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from refrelax.shape_solver.checker.carries import MAX_STATES, refuted
from refrelax.shape_solver.checker.poly import Mono, Poly
from refrelax.shape_solver.checker.reading import Atom, Formula, ge
from refrelax.shape_solver.checker.terms import Fuel, Rejected
from refrelax.shape_solver.prooflog.axioms import acquaint
from refrelax.shape_solver.prooflog.ledger import Ledger, written
from refrelax.shape_solver.prooflog.recorded import undecided

MAX_LEAVES = len(MAX_STATES) - 1
MAX_FACTS = 24
"""Facts that are looked at together."""

MAX_DIVISOR = 1 << 10
"""Of a quotient of which more is asked than a multiple: carries are as large."""

WORK = 20_000
"""What the checker may look at."""

MAX_SPLITS = 3

ABSURD = ge(Poly.of(-1))


def carried(ledger: Ledger, goals: list[int]) -> int | None:
    """The number of an absurdity, from the facts ``goals`` and what is known of the atoms in them."""
    if not any(atom.kind in ("and", "fd") for atom in ledger.reading.atoms) or ledger.meter.empty:
        return None
    for chosen in choices(ledger, goals):
        rows = Rows(ledger, floors(ledger, chosen))
        for number in chosen:
            for p in polys(ledger.facts[number]):
                rows.stream(p)
        fuel = ledger.reading.fuel
        ledger.reading.fuel = Fuel(WORK)
        try:
            refuted(ledger.reading, rows.rows, [ledger.facts[number] for number in chosen])
        except Rejected:
            continue
        finally:
            ledger.meter.spent += (WORK - max(0, ledger.reading.fuel.left)) // 4
            ledger.reading.fuel = fuel
        step = {"rule": "carries", "streams": rows.rows, "premises": chosen, "gives": written(ABSURD)}
        return ledger.add(ABSURD, step)
    return None


def parted(ledger: Ledger, goals: list[int], depth: int = MAX_SPLITS) -> int | None:
    """The same, by the cases of choices, minima and signs where it takes these."""
    found = carried(ledger, goals)
    if found is not None or depth == 0 or ledger.meter.empty:
        return found
    for number in within(ledger, goals):
        cases = undecided(ledger, number)
        if cases is None:
            continue
        on, starts = cases
        branches = []
        for start in starts:
            below = ledger.branch(start)
            below.used.add(number)
            acquaint(below, number)
            fresh = range(len(ledger.facts), len(below.facts))
            goal = parted(below, [*goals, *fresh], depth - 1)
            if goal is None:
                return None
            below.goal = goal
            branches.append(below)
        return ledger.cases(on, branches, ABSURD)
    return None


def within(ledger: Ledger, goals: list[int]) -> list[int]:
    """The atoms in facts, and those in them."""
    pending = [p for number in goals for p in polys(ledger.facts[number])]
    found: dict[int, None] = {}
    for p in pending:
        for number in sorted(p.mentions()):
            if number not in found:
                found[number] = None
                pending += ledger.reading.atoms[number].args
    return list(found)


def choices(ledger: Ledger, goals: list[int]) -> Iterator[list[int]]:
    """Facts with few leaves in all: ``goals`` and all others that speak of nothing else, then also those that say what
    a leaf is."""
    chosen = list(goals)
    leaves = set().union(*(leaves_of(ledger, ledger.facts[number]) for number in chosen))
    before: list[int] = []
    while len(leaves) <= MAX_LEAVES:
        for each in sorted({atom for mono in leaves for atom in mono}):
            axioms(ledger, each, ledger.reading.atoms[each])
        for number, fact in enumerate(ledger.facts):
            if number not in chosen and len(chosen) < MAX_FACTS and leaves_of(ledger, fact) <= leaves:
                chosen.append(number)
        if chosen != before:
            yield chosen
        before = list(chosen)
        more = next((each for each in joined(ledger, leaves) if each not in chosen), None)
        if more is None:
            return
        chosen.append(more)
        leaves |= leaves_of(ledger, ledger.facts[more])


def joined(ledger: Ledger, leaves: set[Mono]) -> Iterator[int]:
    """Facts that say of a leaf more, in terms of the fewest others first: equations that replace it, bounds."""
    equations = {equation for equation, atom, _ in ledger.rules if (atom,) in leaves}
    found = []
    for number, fact in enumerate(ledger.facts):
        others = leaves_of(ledger, fact)
        if others & leaves and len(others | leaves) <= MAX_LEAVES:
            found.append((number not in equations, len(others - leaves), number))
    return (number for _, _, number in sorted(found))


def axioms(ledger: Ledger, number: int, atom: Atom) -> None:
    """What is known of a quotient by a number and of a minimum without a premise."""
    match atom.kind:
        case "fd" if 0 < (atom.args[1].constant() or 0) <= MAX_DIVISOR:
            ledger.axiom("fd/low", [number], [None])
            ledger.axiom("fd/high", [number], [None])
        case "min":
            for member in range(len(atom.args)):
                ledger.axiom("min/low", [number], [], member)
        case _:
            pass


def polys(fact: Formula) -> Iterator[Poly]:
    """The polynomials in a fact."""
    if fact[0] in ("ge", "eq"):
        yield fact[1]
    else:
        for part in fact[1:]:
            yield from polys(part)


def leaves_of(ledger: Ledger, fact: Formula) -> set[Mono]:
    """What is neither ``&`` nor a sum in a fact; of a multiple of a quotient by a power of two, what it divides."""
    found: set[Mono] = set()
    pending = list(polys(fact))
    while pending:
        for mono, c in pending.pop().terms.items():
            atom = ledger.reading.atoms[mono[0]] if len(mono) == 1 else None
            if atom is not None and (atom.kind == "and" or floored(atom, c)):
                pending += atom.args
            elif mono:
                found.add(mono)
    return found


def floored(atom: Atom, factor: int) -> bool:
    """Whether ``factor`` times the atom is a multiple of what it divides without its lowest bits."""
    divisor = atom.args[1].constant() or 0 if atom.kind == "fd" else 0
    return divisor > 1 and not divisor & (divisor - 1) and not factor % divisor


def floors(ledger: Ledger, chosen: list[int]) -> set[int]:
    """Quotients of which nothing but such multiples are asked."""
    found: dict[int, bool] = {}
    pending = [p for number in chosen for p in polys(ledger.facts[number])]
    seen: set[int] = set()
    while pending:
        for mono, c in pending.pop().terms.items():
            for number in mono:
                atom = ledger.reading.atoms[number]
                found[number] = found.get(number, True) and len(mono) == 1 and floored(atom, c)
                if number not in seen:
                    seen.add(number)
                    pending += atom.args if atom.kind in ("and", "fd") else ()
    return {number for number, only in found.items() if only}


@dataclass(slots=True)
class Rows:
    """The streams of a step, as they are needed."""

    ledger: Ledger
    floors: set[int]
    rows: list[Any] = field(default_factory=list)
    known: dict[Poly, int] = field(default_factory=dict)

    def stream(self, p: Poly) -> int:
        if p not in self.known:
            ((mono, c),) = p.terms.items() if len(p.terms) == 1 else (((), 0),)
            row = self.leaf(mono) if c == 1 and mono else self.sum(p)
            self.known[p] = len(self.rows)
            self.rows.append(row)
        return self.known[p]

    def leaf(self, mono: Mono) -> Any:
        atom = self.ledger.reading.atoms[mono[0]]
        if len(mono) == 1 and atom.kind == "and":
            return ["and", mono[0], *map(self.stream, atom.args)]
        return ["leaf", Poly({mono: 1}).written()]

    def sum(self, p: Poly) -> Any:
        return ["sum", [self.weight(mono, c) for mono, c in p.terms.items() if mono], p.terms.get((), 0)]

    def weight(self, mono: Mono, c: int) -> list[int]:
        if len(mono) > 1 or mono[0] not in self.floors:
            return [c, self.stream(Poly({mono: 1}))]
        a, b = self.ledger.reading.atoms[mono[0]].args
        divisor = b.constant() or 1
        whole = Poly({mono: divisor})
        if whole not in self.known:
            row = ["floor", mono[0], self.stream(a), self.stream(Poly.of(-divisor))]
            self.known[whole] = len(self.rows)
            self.rows.append(row)
        return [c // divisor, self.known[whole]]
