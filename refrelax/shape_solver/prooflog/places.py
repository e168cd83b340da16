"""Equations between ``&``, ``|``, ``^`` and ``~`` of the same operands, written down by the rule ``bits``: no search.

Each atom ``a & b`` has a bit for every assignment of bits to what is no such atom; where these bits are a sum of those
of others, so is the atom.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from refrelax.shape_solver.checker.places import MAX_LEAVES
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.prooflog.ledger import Ledger

MAX_ATOMS = 24
"""Atoms ``a & b`` that are compared."""

MAX_TOGETHER = 8
"""Atoms that are compared whether or not they have anything in common."""

COST = 32
"""What looking at one costs, in terms of rows that are looked at."""

Sum = list[tuple[int, int]]
"""Factors, and numbers of what is known."""


@dataclass(slots=True)
class Opened:
    """Atoms ``a & b`` as functions of leaves."""

    leaves: list[Poly] = field(default_factory=list)
    known: dict[Poly, int] = field(default_factory=dict)
    """-1, leaves and atoms, by number; an atom's is past those of all leaves that there may be."""
    bits: dict[int, list[int]] = field(default_factory=dict)
    """For all assignments to as many leaves as there may be."""
    atoms: list[int] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known[Poly.of(-1)] = 0
        self.bits[0] = [1] * (1 << MAX_LEAVES)

    def open(self, number: int, first: Poly, second: Poly) -> bool:
        """Takes in the atom ``number``; whether there was room for the leaves that it needs."""
        count = len(self.leaves)
        operands = [self.operand(p) for p in (first, second)]
        if None in operands:
            for p in self.leaves[count:]:
                del self.bits[self.known.pop(p)]
            del self.leaves[count:]
            return False
        place = 1 + MAX_LEAVES + len(self.atoms)
        self.atoms.append(number)
        self.sums += [each for each in operands if each is not None]
        u, v = (self.weighed(each) for each in self.sums[-2:])
        self.known[Poly.atom(number)] = place
        self.bits[place] = [x & y for x, y in zip(u, v)]
        return True

    def operand(self, p: Poly) -> Sum | None:
        """``p`` as a sum of what is known, and of one leaf more if need be."""
        for value, factor in ((p, 1), (-p - 1, -1)):
            if value in self.known:
                return [(factor, self.known[value]), *([] if factor > 0 else [(1, 0)])]
        rest, found = p, []
        for q, number in sorted(self.known.items(), key=lambda each: -len(each[0].terms)):
            lead = max(q.terms, key=len)
            c, remainder = divmod(rest.terms.get(lead, 0), q.terms[lead])
            if c and not remainder and len((rest - c * q).terms) <= len(rest.terms) - len(q.terms):
                rest = rest - c * q
                found.append((c, number))
        if not rest.terms:
            return found if set(self.weighed(found)) <= {0, 1} else self.leaf(p)
        ((mono, c), *more) = rest.terms.items()
        if more or (c, found) not in ((1, []), (-1, [(1, 0)])):
            return self.leaf(p)
        added = self.leaf(Poly({mono: 1}))
        return None if added is None else [*found, (c, added[0][1])]

    def leaf(self, p: Poly) -> Sum | None:
        if len(self.leaves) == MAX_LEAVES:
            return None
        place = len(self.leaves)
        self.leaves.append(p)
        self.known[p] = 1 + place
        self.bits[1 + place] = [n >> place & 1 for n in range(1 << MAX_LEAVES)]
        return [(1, 1 + place)]

    def weighed(self, found: Sum) -> list[int]:
        total = [0] * (1 << MAX_LEAVES)
        for c, number in found:
            total = [x + c * y for x, y in zip(total, self.bits[number])]
        return total

    def numbered(self, found: Sum) -> list[list[int]]:
        """``found`` as the checker counts."""
        gap = MAX_LEAVES - len(self.leaves)
        return [[c, number - gap if number > MAX_LEAVES else number] for c, number in found]

    def relations(self) -> list[Sum]:
        """Sums that are 0, each of which gives an atom by what comes before it."""
        rows: list[tuple[int, dict[int, Fraction], dict[int, Fraction]]] = []
        found: list[Sum] = []
        for number in sorted(self.bits):
            vector = {n: Fraction(x) for n, x in enumerate(self.bits[number]) if x}
            made = {number: Fraction(1)}
            for pivot, row, combination in rows:
                if pivot in vector:
                    c = vector[pivot] / row[pivot]
                    vector, made = less(vector, c, row), less(made, c, combination)
            if vector:
                rows.append((min(vector), vector, made))
            else:
                scale = lcm(*(c.denominator for c in made.values()))
                found.append([(int(c * scale), each) for each, c in sorted(made.items())])
        return found


def less(u: dict[int, Fraction], c: Fraction, v: dict[int, Fraction]) -> dict[int, Fraction]:
    """``u - c * v``."""
    result = dict(u)
    for n, x in v.items():
        value = result.get(n, Fraction(0)) - c * x
        if value:
            result[n] = value
        else:
            result.pop(n, None)
    return result


def related(ledger: Ledger) -> None:
    """Writes down what the atoms ``a & b`` are by others, and lets that replace them."""
    numbers = [number for number, atom in enumerate(ledger.reading.atoms) if atom.kind == "and"]
    for group in [numbers] if len(numbers) <= MAX_TOGETHER else together(ledger, numbers):
        compared(ledger, group[:MAX_ATOMS])


def together(ledger: Ledger, numbers: list[int]) -> list[list[int]]:
    """``numbers`` in groups that have no leaf in common."""
    groups: list[tuple[set[Poly], list[int]]] = []
    for number in numbers:
        alone = Opened()
        alone.open(number, *ledger.reading.atoms[number].args)
        seen, members = {Poly.atom(number), *alone.leaves}, [number]
        for group in [each for each in groups if each[0] & seen]:
            groups.remove(group)
            seen, members = seen | group[0], group[1] + members
        groups.append((seen, sorted(members)))
    return [members for _, members in groups]


def compared(ledger: Ledger, numbers: list[int]) -> None:
    opened = Opened()
    ledger.meter.spent += COST * len(numbers)
    for number in numbers:
        opened.open(number, *ledger.reading.atoms[number].args)
    values = {number: p for p, number in opened.known.items()}
    for relation in opened.relations():
        p = Poly.of(0)
        for c, number in relation:
            p = p + c * values[number]
        seen = ledger.reduce(p).mentions()
        if seen:
            sums = [opened.numbered(each) for each in (*opened.sums, relation)]
            found = ledger.bits([each.written() for each in opened.leaves], opened.atoms, sums, p)
            any(ledger.rule(found, atom) for atom in reversed(opened.atoms) if atom in seen)
