"""A power of two whose exponent has few values is each of them: an absurdity in every case.

What a shift by a count that is no number moves is then moved by a number, and has bits that can be read.
"""

from __future__ import annotations

from collections.abc import Callable

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import ge
from refrelax.shape_solver.prooflog.axioms import acquaint
from refrelax.shape_solver.prooflog.bitwise import equation
from refrelax.shape_solver.prooflog.carried import within
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.witness import entails

HIGHEST = (1, 2, 3, 4, 5, 6, 7)
"""What an exponent is at most."""

ABSURD = ge(Poly.of(-1))
Way = Callable[[Ledger, list[int]], int | None]


def counted(ledger: Ledger, goals: list[int], way: Way) -> int | None:
    """The number of an absurdity from ``goals``, found by ``way`` for each value of an exponent in them."""
    for number in within(ledger, goals):
        atom = ledger.reading.atoms[number]
        if atom.kind == "p2":
            (k,) = atom.args
            for inner in sorted(k.mentions()):
                acquaint(ledger, inner)
            high = next((each for each in HIGHEST if entails(ledger, each - k) is not None), None)
            if high is not None and k.constant() is None and entails(ledger, k) is not None:
                return _values(ledger, goals, number, 0, high, way)
    return None


def _values(ledger: Ledger, goals: list[int], number: int, low: int, high: int, way: Way) -> int | None:
    """The same for the values from ``low`` to ``high``: the least of them, and the others."""
    (k,) = ledger.reading.atoms[number].args
    floor = entails(ledger, k - low)
    ceiling = entails(ledger, high - k)
    if floor is None or ceiling is None:
        return None
    if low == high:
        return _one(ledger, goals, number, low, floor, ceiling, way)
    p = k - low - 1
    branches = []
    for start, ends in ((p, (low + 1, high)), (-p - 1, (low, low))):
        below = ledger.branch([ge(start)])
        found = _values(below, goals, number, *ends, way)
        if found is None:
            return None
        below.goal = found
        branches.append(below)
    return ledger.cases({"sign": p.written()}, branches, ABSURD)


def _one(ledger: Ledger, goals: list[int], number: int, value: int, floor: int, ceiling: int, way: Way) -> int | None:
    """The same for one value."""
    (k,) = ledger.reading.atoms[number].args
    least = ledger.axiom("p2/above", [number], [floor], value)
    most = ledger.axiom("p2/below", [number], [floor if value == 0 else entails(ledger, k), ceiling], value)
    ledger.rule(ledger.equal(least, most), number)
    for each in reversed(within(ledger, goals)):  # operands first
        atom = ledger.reading.atoms[each]
        args = tuple(ledger.reduce(arg) for arg in atom.args)
        if args != atom.args and atom.kind in ("fd", "td", "and", "min"):
            (other,) = ledger.reading.make(atom.kind, args).mentions()
            both = zip(atom.args, args)
            ledger.rule(
                ledger.congruence(each, other, [None if x == y else equation(ledger, x - y) for x, y in both]), each
            )
    asked = []
    for goal in goals:
        kind, *rest = ledger.facts[goal]
        if kind == "ge":
            asked.append(ledger.combine(ledger.reduce(rest[0]), [[1, ["not"]], [1, [goal]]]))
        else:
            asked.append(goal)
    return way(ledger, asked)
