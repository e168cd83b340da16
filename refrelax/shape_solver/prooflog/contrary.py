"""Facts that cannot hold together, seen at a glance: two bounds, two equations, a disjunction each part of which is
denied. No search; what needs one is for others.
"""

from __future__ import annotations

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import flattened, ge
from refrelax.shape_solver.prooflog.ledger import Ledger

ABSURD = ge(Poly.of(-1))

MAX_PARTS = 4
"""Of a disjunction."""


DEPTH = 2
"""Disjunctions below each other."""


def contrary(ledger: Ledger, first: int, depth: int = DEPTH) -> int | None:
    """The number of an absurdity from a fact numbered ``first`` or more, and another."""
    for number in range(first, len(ledger.facts)):
        found = _denied(ledger, number, depth)
        if found is not None:
            return found
    return None


def _denied(ledger: Ledger, number: int, depth: int) -> int | None:
    p = ledger.reduced[number]
    if p is None:
        return _parted(ledger, number, depth)
    value, exact = p.constant(), ledger.facts[number][0] == "eq"
    if value is not None:
        if value < 0 or (exact and value):
            return ledger.combine(Poly.of(-1), [[1 if value < 0 else -1, [number]]])
        return None
    for other, q in enumerate(ledger.reduced):
        if q is None:
            if other < number and (found := _parted(ledger, other, depth, p)) is not None:
                return found
            continue
        for s in (1, -1) if exact else (1,):
            for t in (1, -1) if ledger.facts[other][0] == "eq" else (1,):
                value = (s * p + t * q).constant()
                if value is not None and value < 0:
                    return ledger.combine(Poly.of(-1), [[s, [number]], [t, [other]]])
    return None


def _parted(ledger: Ledger, number: int, depth: int, about: Poly | None = None) -> int | None:
    """The same from each part of a disjunction; ``about``: only of one that speaks of these atoms."""
    kind, *parts = ledger.facts[number]
    opened = [flattened([part]) for part in parts]
    if kind != "or" or depth <= 0 or len(parts) > MAX_PARTS or any(part in ledger.index for part in parts):
        return None
    said = [fact[1] for part in opened for fact in part if fact[0] != "or"]
    if about is not None and not any(set(ledger.reduce(p).mentions()) == set(about.mentions()) for p in said):
        return None
    branches = []
    for part in opened:
        below = ledger.branch(part)
        found = contrary(below, len(ledger.facts), depth - 1)
        if found is None:
            return None
        below.goal = found
        branches.append(below)
    return ledger.cases({"or": number}, branches, ABSURD)
