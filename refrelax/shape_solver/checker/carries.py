"""Sums and ``&`` read bit after bit: the rule ``carries`` of a log.

A *stream* is a number whose lowest bit is read, and then that of half of it. A *leaf*, any polynomial, has any bits; a
sum keeps a carry; ``e * (a & b)`` is ``e*a & e*b``, and ``e*d * (a // d)`` is ``e*a & -(e*d)``, for powers of two, and
these keep nothing. Of an equation it is kept whether a bit was other than 0. Halving ends at 0 or -1 for all streams: a
state that a letter (a bit for each leaf) does not change says which. Where no state that is reached does so for the
facts, they do not hold together. ``verified/Carries.v`` proves this.

Spec: ``spec/06b-solver.md``, ``sh/certificate-log``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Atom, Formula, Reading
from refrelax.shape_solver.checker.terms import Rejected, expect, integer, shown

MAX_STATES = (2000, 1400, 1000, 700, 500, 400, 300)
"""By the number of leaves."""

MAX_STREAMS = 60
MAX_LENGTH = 128
"""Bits of a factor and of a constant in a sum."""

ORDERED, EQUAL, UNKNOWN = "ordered", "equal", ("unknown",)
State = tuple[int, ...]
Mask = int
"""A bit for each letter."""

Column = list[int]
"""A number for each letter."""


@dataclass(slots=True)
class Streams:
    """``polys``: what each stream is. A state holds the carries of all sums, then whether bits of what is equated were
    other than 0."""

    reading: Reading
    polys: list[Poly] = field(default_factory=list)
    made: list[tuple[str, Any]] = field(default_factory=list)
    """``("leaf", place)``, ``("sum", factors)`` and ``("both", (i, j))``."""
    leaves: int = 0
    starts: list[int] = field(default_factory=list)
    slots: dict[int, int] = field(default_factory=dict)
    """Where a state has the carry of a stream."""
    flags: dict[int, int] = field(default_factory=dict)
    """Where it has what is known of an equation of a stream."""
    columns: dict[Mask, Column] = field(default_factory=dict)
    sums: dict[tuple[int, ...], tuple[Mask, Column]] = field(default_factory=dict)
    """The bits and carries of a sum, by its number, its carry, and the bits of its parts."""

    # --- reading

    def take(self, row: Any) -> None:
        """One more stream."""
        match row:
            case ["leaf", rows]:
                self.made.append(("leaf", self.leaves))
                self.leaves += 1
                self.polys.append(Poly.read(rows, len(self.reading.atoms)))
            case ["sum", [*rows], constant]:
                self.sum([self.weight(each) for each in rows], narrow(constant))
            case ["and", number, scale, i, j]:
                atom, x, y, e = self.atom(number, "and"), self.known(i), self.known(j), narrow(scale)
                expect(power_of_two(e), "a power of two", e)
                expect((x, y) == tuple(e * p for p in atom.args), f"the operands {x!r} and {y!r}", atom.args)
                self.made.append(("both", (i, j)))
                self.polys.append(e * Poly.atom(number))
            case ["floor", number, scale, i, j]:
                atom, x, y, e = self.atom(number, "fd"), self.known(i), self.known(j), narrow(scale)
                d = e * (atom.args[1].constant() or 0)
                expect(e > 0 and power_of_two(d), "a quotient by a power of two", d)
                expect((x, y) == (e * atom.args[0], Poly.of(-d)), f"{e} times {atom.args[0]!r}, and {-d}", (x, y))
                self.made.append(("both", (i, j)))
                self.polys.append(d * Poly.atom(number))
            case _:
                raise Rejected(f"expected a stream, found {shown(row)}")

    def sum(self, factors: list[tuple[int, int]], constant: int) -> None:
        total = Poly.of(constant)
        for c, number in factors:
            total = total + c * self.polys[number]
            self.reading.fuel.spend(len(total.terms))
        self.slots[len(self.polys)] = len(self.starts)
        self.starts.append(constant)
        self.made.append(("sum", factors))
        self.polys.append(total)

    def weight(self, row: Any) -> tuple[int, int]:
        match row:
            case [factor, number]:
                self.known(number)
                return narrow(factor), number
            case _:
                raise Rejected(f"expected [factor, number of a stream], found {shown(row)}")

    def known(self, number: Any) -> Poly:
        expect(type(number) is int and 0 <= number < len(self.polys), "the number of a stream before", number)
        found: Poly = self.polys[number]
        return found

    def atom(self, number: Any, kind: str) -> Atom:
        expect(type(number) is int and 0 <= number < len(self.reading.atoms), "the number of an atom", number)
        atom: Atom = self.reading.atoms[number]
        expect(atom.kind == kind, f"an atom of kind {kind}", atom.kind)
        return atom

    def asked(self, fact: Formula) -> Formula:
        """A fact about streams, by number. Of another polynomial nothing is asked."""
        if fact[0] in ("and", "or"):
            return (fact[0], *map(self.asked, fact[1:]))
        number = next((place for place, p in enumerate(self.polys) if p == fact[1]), None)
        if number is None:
            return UNKNOWN
        if fact[0] == "eq":
            self.flags.setdefault(number, len(self.flags))
        return (ORDERED if fact[0] == "ge" else EQUAL, number)

    # --- running

    def after(self, state: State) -> tuple[list[Mask], list[State]]:
        """The bits of all streams, and the state after, for each letter."""
        bits: list[Mask] = []
        columns: list[Column] = []
        for number, (kind, parts) in enumerate(self.made):
            if kind == "leaf":
                bits.append(self.leaf(parts))
            elif kind == "both":
                bits.append(bits[parts[0]] & bits[parts[1]])
            else:
                found, carries = self.added(number, state[self.slots[number]], [(c, bits[each]) for c, each in parts])
                bits.append(found)
                columns.append(carries)
        for number, place in self.flags.items():
            columns.append(self.column(-1 if state[len(self.starts) + place] else bits[number]))
        return bits, list(zip(*columns)) if columns else [()] * (1 << self.leaves)

    def leaf(self, place: int) -> Mask:
        """The letters in which the leaf has a one."""
        found: Mask = sum(1 << letter for letter in range(1 << self.leaves) if letter >> place & 1)
        return found

    def column(self, bits: Mask) -> Column:
        if bits not in self.columns:
            self.columns[bits] = [bits >> letter & 1 for letter in range(1 << self.leaves)]
        return self.columns[bits]

    def added(self, number: int, carry: int, parts: list[tuple[int, Mask]]) -> tuple[Mask, Column]:
        """The bits of a sum and its carries after them. Most states share them with others."""
        name = (number, carry, *(bits for _, bits in parts))
        if name not in self.sums:
            total = [carry] * (1 << self.leaves)
            for c, bits in parts:
                total = [x + c * y for x, y in zip(total, self.column(bits))]
            self.sums[name] = sum((x & 1) << letter for letter, x in enumerate(total)), [x >> 1 for x in total]
        return self.sums[name]

    def holds(self, fact: Formula, state: State, signs: Sequence[int] | None) -> bool:
        """Whether the fact holds with these bits as signs; without them: whether it may."""
        match fact:
            case ("and", *parts):
                return all(self.holds(each, state, signs) for each in parts)
            case ("or", *parts):
                return any(self.holds(each, state, signs) for each in parts)
            case ("ordered", number):
                return signs is None or not signs[number]
            case ("equal", number):
                return not state[len(self.starts) + self.flags[number]] and (signs is None or not signs[number])
            case _:
                return True

    def hold(self, facts: list[Formula]) -> bool:
        """Whether a state that is reached says that all facts hold."""
        goal = ("and", *map(self.asked, facts))
        start = (*self.starts, *(0 for _ in self.flags))
        pending, seen = [start], {start}
        possible: dict[State, bool] = {}
        """By what a state has of equations: whether they leave the facts open."""
        for state in pending:
            self.reading.fuel.spend(1 + (len(self.made) << self.leaves) // 16)
            bits, after = self.after(state)
            for letter, other in enumerate(after):
                if other == state and self.holds(goal, state, [each >> letter & 1 for each in bits]):
                    return True
                if other in seen:
                    continue
                equations = other[len(self.starts) :]
                if equations not in possible:
                    possible[equations] = self.holds(goal, other, None)
                if possible[equations]:
                    seen.add(other)
                    pending.append(other)
            expect(len(seen) <= MAX_STATES[self.leaves], f"at most {MAX_STATES[self.leaves]} states", len(seen))
        return False


def power_of_two(value: int) -> bool:
    return value > 0 and not value & (value - 1)


def narrow(value: Any) -> int:
    found = integer(value)
    expect(found.bit_length() <= MAX_LENGTH, f"a number of at most {MAX_LENGTH} bits", value)
    return found


def refuted(reading: Reading, rows: Any, facts: list[Formula]) -> None:
    """That ``facts`` do not hold together.

    Raises:
        Rejected: the streams ``rows`` do not show that.
    """
    expect(isinstance(rows, list) and len(rows) <= MAX_STREAMS, f"at most {MAX_STREAMS} streams", rows)
    streams = Streams(reading)
    for row in rows:
        streams.take(row)
    expect(streams.leaves < len(MAX_STATES), f"at most {len(MAX_STATES) - 1} leaves", streams.leaves)
    expect(not streams.hold(facts), "facts that no bits make hold", facts)
