"""Facts about ``&`` and sums that no bits make hold, written down by the rule ``carries``: no search.

What is neither ``&`` nor a sum is a leaf, of which any bits are looked at: a symbol, a product. ``2**k`` times a
quotient by ``2**k`` is what it divides without its lowest bits, so facts are multiplied by what makes such multiples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, islice
from math import gcd
from random import Random
from typing import Any

from refrelax.shape_solver.checker.carries import MAX_STATES, power_of_two, refuted
from refrelax.shape_solver.checker.poly import Mono, Poly
from refrelax.shape_solver.checker.reading import Atom, Formula, flattened, ge
from refrelax.shape_solver.checker.terms import Fuel, Rejected
from refrelax.shape_solver.prooflog.axioms import acquaint
from refrelax.shape_solver.prooflog.branching import Branching
from refrelax.shape_solver.prooflog.forms import Forms
from refrelax.shape_solver.prooflog.ledger import Ledger, written
from refrelax.shape_solver.prooflog.recorded import undecided

MAX_LEAVES = len(MAX_STATES) - 1
MAX_FACTS = 24
"""Facts that are looked at together."""

MAX_DIVISOR = 1 << 10
"""Of a quotient of which more is asked than a multiple: carries are as large."""

MAX_TRIED = 4
"""Sets of facts, each with more leaves than the one before."""

MAX_SCALE = 1 << 64

WORK = 20_000
"""What the checker may look at."""

SAMPLED = 24
"""Points at which facts are asked before their bits are."""

MAX_SPLITS = 5

MAX_NODES = 40
"""Of a branching that shows that operands are equal."""

ABSURD = ge(Poly.of(-1))


def carried(ledger: Ledger, goals: list[int], tries: int = MAX_TRIED, work: int = WORK) -> int | None:
    """The number of an absurdity, from the facts ``goals`` and what is known of the atoms in them."""
    if not any(atom.kind in ("and", "fd") for atom in ledger.reading.atoms) or ledger.meter.empty:
        return None
    for chosen in islice(choices(ledger, goals), tries):
        found = shown(ledger, chosen, work)
        if found is not None:
            return found
    return None


def shown(ledger: Ledger, chosen: list[int], work: int) -> int | None:
    """The number of an absurdity from the facts ``chosen``."""
    rows, premises = Rows(ledger), list[int]()
    if ledger.meter.empty:
        return None
    for number in chosen:
        scaled = multiplied(ledger, rows, number)
        if scaled is not None:
            premises.append(scaled)
            for p in polys(ledger.facts[scaled]):
                rows.stream(p)
    facts = [ledger.facts[number] for number in premises]
    ledger.meter.spent += len(rows.rows)
    if rows.hold(facts):
        return None
    fuel = ledger.reading.fuel
    ledger.reading.fuel = Fuel(work)
    try:
        refuted(ledger.reading, rows.rows, facts)
    except Rejected:
        return None
    finally:
        ledger.meter.spent += (work - max(0, ledger.reading.fuel.left)) // 4
        ledger.reading.fuel = fuel
    step = {"rule": "carries", "streams": rows.rows, "premises": premises, "gives": written(ABSURD)}
    return ledger.add(ABSURD, step)


def multiplied(ledger: Ledger, rows: Rows, number: int) -> int | None:
    """The fact times the power of two that makes streams of it, where that is not larger than words are."""
    fact = ledger.facts[number]
    scales = [rows.scale(p) for p in polys(fact)]
    c = max(scales, default=1)
    if c == 1:
        return number
    if fact[0] not in ("ge", "eq") or c > MAX_SCALE:
        return None
    first = ledger.combine(c * fact[1], [[1, ["not"]], [c, [number]]])
    if fact[0] == "ge":
        return first
    return ledger.equal(first, ledger.combine(-c * fact[1], [[1, ["not"]], [-c, [number]]]))


def parted(ledger: Ledger, goals: list[int], depth: int = MAX_SPLITS) -> int | None:
    """The same, by the parts of disjunctions, and by the cases of choices, minima and signs where it takes these."""
    rows = Rows(ledger)
    for goal in goals:
        fact = ledger.facts[goal]
        if fact[0] == "or":
            whole = all(rows.scale(p) == 1 for p in polys(fact))
            for tried in ([goal], goals) if whole and len(goals) > 1 else (goals,) if whole else ():
                found = carried(ledger, tried, 1)
                if found is not None:
                    return found
            starts = [flattened([part]) for part in fact[1:]]
            return divided(ledger, {"or": goal}, starts, [each for each in goals if each != goal], depth)
    found = by_lemmas(ledger, goals, depth) if depth == MAX_SPLITS else None
    if found is not None:
        return found
    split = next(((n, cases) for n in within(ledger, goals) if depth and (cases := undecided(ledger, n))), None)
    found = carried(ledger, goals, MAX_TRIED if split is None else 1)
    if found is not None or split is None or ledger.meter.empty:
        return found
    number, cases = split
    return divided(ledger, *cases, goals, depth - 1, number)


def by_lemmas(ledger: Ledger, goals: list[int], depth: int) -> int | None:
    """An absurdity from one of ``goals``, ``a * r + k >= 0`` with ``k < 0``, where ``r`` is 0; or after atoms of one
    kind are equal, as their operands are."""
    for goal in [each for each in goals if ledger.facts[each][0] == "ge"]:
        p: Poly = ledger.facts[goal][1]
        monos = [mono for mono in p.terms if mono]
        for a in sorted(set(monos[0]).intersection(*monos[1:])) if len(monos) > 1 and p.terms.get((), 0) < 0 else ():
            rest = Poly({tuple(_less(mono, a)): c for mono, c in p.terms.items() if mono})
            zero = nothing(ledger, rest, depth) if any(rest.mentions()) else None
            if zero is not None:
                return ledger.combine(Poly.of(-1), [[1, [goal]], [(-Poly.atom(a)).written(), [zero]]])
        for u, v in pairs(ledger, p):
            both = list(zip(ledger.reading.atoms[u].args, ledger.reading.atoms[v].args))
            equations = [None if x == y else nothing(ledger, x - y, depth) for x, y in both]
            if any(each is None and x != y for each, (x, y) in zip(equations, both)):
                continue
            same = ledger.congruence(u, v, equations)
            c = p.terms[(u,)]
            short = p - c * (Poly.atom(u) - Poly.atom(v))
            fact = ledger.combine(short, [[1, ["not"]], [1, [goal]], [-c, [same]]])
            if (short.constant() or 0) < 0:
                return fact
            return carried(ledger, [fact, *(each for each in goals if each != goal)])
    return None


def _less(mono: Mono, atom: int) -> list[int]:
    found = list(mono)
    found.remove(atom)
    return found


def pairs(ledger: Ledger, p: Poly) -> Iterator[tuple[int, int]]:
    """Atoms of one kind in ``p`` that have opposite factors and one or two operands that differ."""
    atoms = ledger.reading.atoms
    alone = sorted(mono[0] for mono in p.terms if len(mono) == 1 and atoms[mono[0]].kind in ("and", "min", "fd", "td"))
    for u, v in combinations(alone, 2):
        if atoms[u].kind == atoms[v].kind and len(atoms[u].args) == len(atoms[v].args):
            if p.terms[(u,)] == -p.terms[(v,)]:
                yield u, v


def nothing(ledger: Ledger, p: Poly, depth: int) -> int | None:
    """The equation ``p == 0``, as neither ``p < 0`` nor ``p > 0`` can be."""
    ends: list[int] = []
    for q in (p, -p):
        above, below = ledger.branch([ge(q)]), ledger.branch([ge(-q - 1)])
        above.goal = len(ledger.facts)
        found = parted(below, [len(ledger.facts)], depth - 1) or arithmetic(below, [len(ledger.facts)])
        if found is None:
            return None
        below.goal = found
        ends.append(ledger.cases({"sign": q.written()}, [above, below], ge(q)))
    return ledger.equal(ends[0], ends[1])


def arithmetic(ledger: Ledger, goals: list[int]) -> int | None:
    """An absurdity without a look at bits, where there are none to look at."""
    atoms = ledger.reading.atoms
    if ledger.meter.empty or any(atoms[each].kind == "and" for each in within(ledger, goals)):
        return None
    below = ledger.branch([])
    found = Branching(MAX_NODES, 0, Forms(goals[0]), 0).absurd(below)
    return None if found is None else below.adopted(ledger, found)


def divided(
    ledger: Ledger,
    on: dict[str, Any],
    starts: list[list[Formula]],
    goals: list[int],
    depth: int,
    atom: int | None = None,
) -> int | None:
    """An absurdity in each case."""
    branches = []
    for start in starts:
        below = ledger.branch(start)
        if atom is not None:
            below.used.add(atom)
            acquaint(below, atom)
        goal = parted(below, [*goals, *range(len(ledger.facts), len(below.facts))], depth)
        if goal is None:
            return None
        below.goal = goal
        branches.append(below)
    return ledger.cases(on, branches, ABSURD)


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
    for each in sorted({atom for mono in leaves for atom in mono}):
        axioms(ledger, each, ledger.reading.atoms[each])
    others = {
        number: found
        for number, fact in enumerate(ledger.facts)
        if number not in chosen and (found := leaves_of(ledger, fact))
    }
    for _ in range(MAX_TRIED):
        if len(leaves) > MAX_LEAVES:
            return
        within = [number for number, found in others.items() if number not in chosen and found <= leaves]
        chosen = [*chosen, *within[: max(0, MAX_FACTS - len(chosen))]]
        yield chosen
        more = next(joined(ledger, leaves, others), None)
        if more is None:
            return
        chosen = [*chosen, more]
        leaves = leaves | others[more]


def joined(ledger: Ledger, leaves: set[Mono], others: dict[int, set[Mono]]) -> Iterator[int]:
    """Facts that say of a leaf more, by others: first equations that replace it, then what has the fewest others."""
    equations = {equation for equation, atom, _ in ledger.rules if (atom,) in leaves}
    found = [
        (number not in equations, len(each - leaves), number)
        for number, each in others.items()
        if each & leaves and each - leaves and len(each | leaves) <= MAX_LEAVES
    ]
    return (number for _, _, number in sorted(found))


def axioms(ledger: Ledger, number: int, atom: Atom) -> None:
    """What is known of a quotient by a number and of a minimum without a premise."""
    match atom.kind:
        case "fd" if 0 < abs(atom.args[1].constant() or 0) <= MAX_DIVISOR and not divisor(atom):
            ending = "" if (atom.args[1].constant() or 0) > 0 else "-negative"
            ledger.axiom(f"fd/low{ending}", [number], [None])
            ledger.axiom(f"fd/high{ending}", [number], [None])
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
    """What is neither ``&`` nor a sum nor a quotient by a power of two in a fact."""
    found: set[Mono] = set()
    pending = list(polys(fact))
    while pending:
        for mono in pending.pop().terms:
            atom = ledger.reading.atoms[mono[0]] if len(mono) == 1 else None
            if atom is not None and (atom.kind == "and" or divisor(atom)):
                pending += atom.args if atom.kind == "and" else atom.args[:1]
            elif mono:
                found.add(mono)
    return found


def divisor(atom: Atom) -> int:
    """By which power of two the atom is a quotient; 0 if it is none."""
    found = atom.args[1].constant() or 0 if atom.kind == "fd" else 0
    return found if power_of_two(found) else 0


@dataclass(slots=True)
class Rows:
    """The streams of a step, as they are needed."""

    ledger: Ledger
    rows: list[Any] = field(default_factory=list)
    known: dict[Poly, int] = field(default_factory=dict)
    scales: dict[int, int] = field(default_factory=dict)

    def scale(self, p: Poly) -> int:
        """The least power of two by which ``p`` is a sum of whole streams."""
        return max((self.factor(mono) // gcd(c, self.factor(mono)) for mono, c in p.terms.items()), default=1)

    def factor(self, mono: Mono) -> int:
        """The same for one product."""
        if len(mono) != 1:
            return 1
        (number,) = mono
        if number not in self.scales:
            atom = self.ledger.reading.atoms[number]
            scales = [self.scale(p) for p in atom.args] if atom.kind in ("and", "fd") else [1]
            self.scales[number] = max(scales) if atom.kind == "and" else (divisor(atom) or 1) * scales[0]
        return self.scales[number]

    def stream(self, p: Poly) -> int:
        """Of a polynomial of scale 1."""
        if p not in self.known:
            ((mono, c),) = p.terms.items() if len(p.terms) == 1 else (((), 0),)
            row = self.single(mono, c) if mono and c == self.factor(mono) else self.sum(p)
            if p not in self.known:
                self.known[p] = len(self.rows)
                self.rows.append(row)
        return self.known[p]

    def single(self, mono: Mono, c: int) -> Any:
        """The stream of ``c`` times a product that is one atom, or a leaf."""
        atom = self.ledger.reading.atoms[mono[0]]
        if len(mono) == 1 and atom.kind == "and":
            return ["and", mono[0], c, *(self.stream(c * arg) for arg in atom.args)]
        if len(mono) == 1 and divisor(atom):
            return [
                "floor",
                mono[0],
                c // divisor(atom),
                self.stream(c // divisor(atom) * atom.args[0]),
                self.stream(Poly.of(-c)),
            ]
        return ["leaf", Poly({mono: 1}).written()]

    def hold(self, facts: list[Formula]) -> bool:
        """Whether some numbers for the leaves make all facts hold: then their bits do, and need not be read."""
        random = Random(len(self.rows))
        return any(all(self.true(fact, values) for fact in facts) for values in map(self.values, [random] * SAMPLED))

    def values(self, random: Random) -> list[int]:
        """Of the streams, where the leaves are drawn."""
        found: list[int] = []
        for row in self.rows:
            match row:
                case ["leaf", _]:
                    size = random.choice((2, 8, 64, 1 << 20))
                    found.append(random.randint(-size, size))
                case ["sum", factors, constant]:
                    found.append(sum([c * found[each] for c, each in factors], constant))
                case [_, _, _, i, j]:
                    found.append(found[i] & found[j])
        return found

    def true(self, fact: Formula, values: list[int]) -> bool:
        """Whether a fact holds; one of which nothing is known may."""
        kind, *parts = fact
        if kind in ("ge", "eq"):
            number = self.known.get(parts[0])
            return number is None or (values[number] >= 0 if kind == "ge" else values[number] == 0)
        return (all if kind == "and" else any)([self.true(part, values) for part in parts])

    def sum(self, p: Poly) -> Any:
        factors = [
            [c // self.factor(mono), self.stream(Poly({mono: self.factor(mono)}))]
            for mono, c in p.terms.items()
            if mono
        ]
        return ["sum", factors, p.terms.get((), 0)]
