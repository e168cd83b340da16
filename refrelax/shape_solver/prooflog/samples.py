"""Values of atoms at points: what does not hold there need not be looked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from refrelax.semantics.dims.exact import truncated
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Atom, Formula
from refrelax.shape_solver.prooflog.ledger import Ledger

DRAWN = 30
"""Points that are drawn, of which the first that the other facts admit are kept."""

KEPT = 4
SIZES = (3, 20, 300, 1 << 33)
"""Of values, in turn."""

ROUNDS = 2
"""How often all facts are looked at when a point is moved to where they hold."""

MAX_BITS = 4096
"""Of a value that is looked at."""

Value = int | None
"""``None`` where an atom has no value, or nobody works it out."""


@dataclass(slots=True)
class Samples:
    ledger: Ledger
    points: list[dict[int, Value]] = field(default_factory=list)
    """Values of atoms by number."""

    @staticmethod
    def of(ledger: Ledger, *goals: int) -> Samples:
        """Points that the facts but for ``goals`` admit."""
        random, samples = Random(1), Samples(ledger)
        symbols = [(n, atom.symbol) for n, atom in enumerate(ledger.reading.atoms) if atom.kind == "sym"]
        others = [fact for number, fact in enumerate(ledger.facts) if number not in goals]
        for turn in range(DRAWN):
            size = SIZES[turn % len(SIZES)]
            point: dict[int, Value] = {
                n: random.randint(0, 1) if ledger.symbols[symbol][1] == "bool" else random.randint(-size // 2, size)
                for n, symbol in symbols
            }
            samples.solve(others, point)
            if all(samples.holds(fact, point) is not False for fact in others):
                samples.points.append(point)
            if len(samples.points) == KEPT:
                break
        return samples

    def solve(self, facts: list[Formula], point: dict[int, Value]) -> None:
        """Moves symbols so that equations, bounds and residues hold, in turn."""
        atoms = self.ledger.reading.atoms
        for kind, p in [fact for fact in facts if fact[0] != "or"] * ROUNDS:
            units = [mono[0] for mono, c in p.terms.items() if len(mono) == 1 and abs(c) == 1]
            x = next((each for each in units if atoms[each].kind == "sym"), None)
            value = None if x is None else self.value(p, point)
            if x is None or value is None or (value >= 0 if kind == "ge" else value == 0):
                continue
            old = point[x]
            for each in [each for each in point if atoms[each].kind != "sym"]:
                del point[each]
            point[x] = None if old is None else old - value * p.terms[(x,)]

    def zero(self, p: Poly) -> bool:
        """Whether ``p`` is 0 wherever it has a value."""
        return not any(self.value(p, point) for point in self.points)

    def value(self, p: Poly, point: dict[int, Value]) -> Value:
        total = 0
        for mono, c in p.terms.items():
            for number in mono:
                value = self.atom(number, point)
                if value is None:
                    return None
                c *= value
            total += c
        return total if total.bit_length() <= MAX_BITS else None

    def atom(self, number: int, point: dict[int, Value]) -> Value:
        if number not in point:
            point[number] = self.computed(self.ledger.reading.atoms[number], point)
        return point[number]

    def computed(self, atom: Atom, point: dict[int, Value]) -> Value:
        args: list[int] = []
        for arg in atom.args if atom.kind != "ite" else ():
            value = self.value(arg, point)
            if value is None:
                return None
            args.append(value)
        match atom.kind, args:
            case "ite", _:
                assert atom.branches is not None
                chosen = self.holds(atom.branches[0], point)
                return None if chosen is None else self.value(atom.args[0 if chosen else 1], point)
            case "fd", [a, b]:
                return a // b if b else None
            case "td", [a, b]:
                return truncated(a, b) if b else None
            case "min", _:
                return min(args)
            case "and", [a, b]:
                return a & b
            case "ge", [a]:
                return int(a >= 0)
            case "eq", [a]:
                return int(a == 0)
            case "p2", [k]:
                return 1 << k if 0 <= k < MAX_BITS else None
            case _:
                return args[0] if atom.kind == "define" else None

    def holds(self, fact: Formula, point: dict[int, Value]) -> bool | None:
        """Whether a formula holds, if that can be told."""
        if fact[0] in ("ge", "eq"):
            value = self.value(fact[1], point)
            return None if value is None else value >= 0 if fact[0] == "ge" else value == 0
        parts = [self.holds(part, point) for part in fact[1:]]
        decisive = fact[0] == "or"
        return decisive if decisive in parts else None if None in parts else not decisive
