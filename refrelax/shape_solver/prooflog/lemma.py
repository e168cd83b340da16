"""Ordered-ring reasoning: an absurdity from facts, by products of facts and linear arithmetic over monomials.

The facts are multiplied by what is known to be nonnegative wherever that makes monomials meet; then a linear
combination that is negative is looked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, lcm
from typing import Any

from refrelax.shape_solver.checker.poly import Mono, Poly
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.simplex import Reasons, Row, conflict

MAX_ROWS = 220
ROUNDS = 3
ROW_COST = 16
"""What making one row costs, in terms of rows that are looked at."""

Product = tuple[Any, ...]
"""Numbers of facts, squares, and a monomial."""


def absurd(ledger: Ledger) -> int | None:
    """The number of an absurdity, derived if need be; ``None`` if it is not found."""
    for rounds, limit in () if ledger.meter.empty else ((1, 60), (ROUNDS, MAX_ROWS)):
        rows = Rows(ledger, limit)
        rows.close(rounds)
        ledger.meter.spent += ROW_COST * len(rows.rows)
        terms = rows.conflict()
        if terms is not None:
            return ledger.combine(Poly.of(-1), terms)
    return None


@dataclass(frozen=True, slots=True)
class _Square:
    root: Poly


class Rows:
    """Products of facts, as rows of a linear system over monomials."""

    def __init__(self, ledger: Ledger, limit: int) -> None:
        self.ledger = ledger
        self.limit = limit
        self.rows: dict[Product, tuple[Poly, bool]] = {}
        self.positive: dict[int, int] = {}
        """Atoms that are never negative, and the fact that says so."""
        self.base: list[tuple[Product, Poly, bool]] = []
        for number, p in enumerate(ledger.reduced):
            exact = ledger.facts[number][0] == "eq"
            value = None if p is None else p.constant()
            if p is None or (value is not None and (value == 0 if exact else value >= 0)):
                continue
            self.put((number,), p, exact)
            self.base.append(((number,), p, exact))
            atom = _lone(p)
            if atom is not None and not exact:
                self.positive.setdefault(atom, number)
        self.monos: set[Mono] = {mono for _, p, _ in self.base for mono in p.terms}
        self.degree = max(map(len, self.monos), default=1) + 1

    def put(self, product: Product, p: Poly, exact: bool) -> None:
        if len(self.rows) < self.limit:
            self.rows.setdefault(tuple(sorted(product, key=str)), (p, exact))

    def close(self, rounds: int) -> None:
        """Multiplies until monomials meet."""
        for _ in range(rounds):
            before = len(self.rows)
            met = sorted(self.monos, key=lambda mono: (len(mono), mono))
            for product, p, exact in self.base:
                for factor in self.factors(p, met, exact):
                    facts = (factor,) if exact and factor else tuple(self.positive[atom] for atom in factor)
                    self.put((*product, *facts), p * Poly({factor: 1}), exact)
            for p, _ in list(self.rows.values()):
                self.monos |= {mono for mono in p.terms if len(mono) <= self.degree}
            if len(self.rows) == before or len(self.rows) >= self.limit:
                break
        self.squares()
        for mono in sorted(self.monos):
            if len(mono) > 1 and all(atom in self.positive for atom in mono):
                self.rows.setdefault(tuple(self.positive[atom] for atom in mono), (Poly({mono: 1}), False))

    def squares(self) -> None:
        """Squares of atoms that occur to an even power, and of their sums and differences."""
        roots = [mono[0] for mono in sorted(self.monos) if len(mono) == 2 and mono[0] == mono[1]][:6]
        for place, x in enumerate(roots):
            for root in (Poly.atom(x), *(Poly.atom(x) + s * Poly.atom(y) for y in roots[:place] for s in (1, -1))):
                self.put((_Square(root),), root * root, False)

    def factors(self, p: Poly, met: list[Mono], exact: bool) -> list[Mono]:
        found: dict[Mono, None] = {}
        for mono in met:
            for other in p.terms:
                if not other:
                    continue
                factor = _without(mono, other)
                if factor is not None and (exact or all(atom in self.positive for atom in factor)):
                    found.setdefault(factor, None)
        return list(found)

    def useful(self) -> list[Product]:
        """Rows of which every monomial can cancel: it occurs with both signs, or in an equation."""
        kept = dict(self.rows)
        while True:
            signs: set[tuple[Mono, bool]] = set()
            for p, exact in kept.values():
                for mono, c in p.terms.items():
                    signs.add((mono, c > 0))
                    if exact:
                        signs.add((mono, c < 0))
            lost = [
                key
                for key, (p, _) in kept.items()
                if any(mono and ((mono, True) not in signs or (mono, False) not in signs) for mono in p.terms)
            ]
            if not lost:
                return list(kept)
            for key in lost:
                del kept[key]

    def conflict(self) -> list[list[Any]] | None:
        keys = self.useful()
        system: list[Row] = []
        for key in keys:
            p, exact = self.rows[key]
            terms = {mono: c for mono, c in p.terms.items() if mono}
            system.append((terms, p.terms.get((), 0), exact))
        found = conflict(system, self.ledger.meter)
        if found is None:
            return None
        return [_term(c, keys[row]) for row, c in scaled(found)]


def scaled(reasons: Reasons) -> list[tuple[int, int]]:
    """Rows and their factors, as integers."""
    scale = lcm(*(c.denominator for c in reasons.values()))
    whole = {row: int(c * scale) for row, c in reasons.items()}
    common = gcd(*whole.values())
    return [(row, c // common) for row, c in sorted(whole.items())]


def _term(factor: int, product: Product) -> list[Any]:
    """For ``Ledger.combine``: an equation may be multiplied by any monomial."""
    facts = [each for each in product if not isinstance(each, tuple)]
    facts = [each.root.written() if isinstance(each, _Square) else each for each in facts]
    monos = [each for each in product if isinstance(each, tuple)]
    return [Poly({monos[0]: factor}).written() if monos else factor, facts]


def _lone(p: Poly) -> int | None:
    """The atom of ``c * atom - d`` with positive ``c`` and ``d >= 0``."""
    monos = [mono for mono in p.terms if mono]
    if len(monos) == 1 and len(monos[0]) == 1 and p.terms[monos[0]] == 1 and p.terms.get((), 0) == 0:
        return monos[0][0]
    return None


def _without(mono: Mono, other: Mono) -> Mono | None:
    left = list(mono)
    for atom in other:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)
