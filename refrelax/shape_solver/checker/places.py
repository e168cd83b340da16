"""What holds of the bits at every place holds of the integers: the rule ``bits`` of a log.

*Leaves* are polynomials that may have any bits. A sum of what is known, whose bits make 0 or 1 whatever the leaves
have, has these bits; so has ``a & b`` for two such sums; and a sum whose bits make 0 everywhere is 0. All are looked at
for each assignment of bits to the leaves. ``verified/Bits.v`` proves this.

Spec: ``spec/06b-solver.md``, ``sh/certificate-log``.
"""

from __future__ import annotations

from typing import Any

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Reading
from refrelax.shape_solver.checker.terms import Rejected, expect, integer, shown

MAX_LEAVES = 6

Entry = tuple[Poly, list[int]]
"""A polynomial, and its bit for each assignment to the leaves."""


class Places:
    """What is known, by number: -1, the leaves, and the atoms ``a & b`` that were opened."""

    def __init__(self, reading: Reading, leaves: list[Poly]) -> None:
        expect(len(leaves) <= MAX_LEAVES, f"at most {MAX_LEAVES} leaves", len(leaves))
        self.reading = reading
        self.count = 1 << len(leaves)
        self.known: list[Entry] = [(Poly.of(-1), [1] * self.count)]
        self.known += [(p, [n >> place & 1 for n in range(self.count)]) for place, p in enumerate(leaves)]

    def open(self, number: int, first: Any, second: Any) -> None:
        """Takes in the atom ``number``, whose operands are the sums ``first`` and ``second``."""
        atom = self.reading.atoms[number]
        expect(atom.kind == "and", "an atom of kind and", atom.kind)
        u, v = self.operand(first, atom.args[0]), self.operand(second, atom.args[1])
        self.known.append((Poly.atom(number), [x & y for x, y in zip(u, v)]))

    def operand(self, rows: Any, p: Poly) -> list[int]:
        found, bits = self.sum(rows)
        expect(found == p, f"a sum that is {p!r}", found)
        expect(set(bits) <= {0, 1}, "a sum whose bits make 0 or 1", bits)
        return bits

    def zero(self, rows: Any) -> Poly:
        """The sum ``rows``, which is 0."""
        found, bits = self.sum(rows)
        expect(not any(bits), "a sum whose bits make 0", bits)
        return found

    def sum(self, rows: Any) -> Entry:
        """``[[factor, number of what is known], …]``."""
        expect(isinstance(rows, list), "a sum", rows)
        total, bits = Poly.of(0), [0] * self.count
        for row in rows:
            match row:
                case [factor, number] if type(number) is int and 0 <= number < len(self.known):
                    c = integer(factor)
                case _:
                    raise Rejected(f"expected [factor, number of what is known], found {shown(row)}")
            p, own = self.known[number]
            total = total + c * p
            bits = [x + c * y for x, y in zip(bits, own)]
            self.reading.fuel.spend(self.count + len(total.terms))
        return total, bits


def zero(reading: Reading, leaves: list[Poly], atoms: list[int], sums: list[Any]) -> Poly:
    """What is 0, by ``sums``: two for the operands of each of ``atoms``, then that of the conclusion."""
    expect(len(sums) == 2 * len(atoms) + 1, f"{2 * len(atoms) + 1} sums", len(sums))
    places = Places(reading, leaves)
    for place, number in enumerate(atoms):
        places.open(number, sums[2 * place], sums[2 * place + 1])
    return places.zero(sums[-1])
