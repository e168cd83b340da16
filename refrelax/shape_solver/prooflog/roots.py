"""A quadratic of one atom that is 0 between two integers: on each side of its roots, and between them, it is not.

Written down, not searched for: below the first root and above the second it is a sum of products of what says so; in
between it is at most its greater end.
"""

from __future__ import annotations

from math import isqrt

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import ge
from refrelax.shape_solver.prooflog.ledger import Ledger

ABSURD = ge(Poly.of(-1))


def rootless(ledger: Ledger) -> int | None:
    """The number of an absurdity, from an equation that no integer satisfies."""
    for number, fact in enumerate(list(ledger.facts)):
        twin = ledger.index.get(ge(-fact[1])) if fact[0] == "ge" else None
        if (fact[0] == "eq" or twin is not None) and len(atoms := sorted(fact[1].mentions())) == 1:
            x, p = atoms[0], fact[1]
            number = number if twin is None else ledger.equal(number, twin)
            a, b, c = (p.terms.get(mono, 0) for mono in ((x, x), (x,), ()))
            if a and len(p.terms) == sum(1 for each in (a, b, c) if each):
                sign = 1 if a > 0 else -1
                found = _Quadratic(number, x, sign, sign * a, sign * b, sign * c).absurd(ledger)
                if found is not None:
                    return found
    return None


class _Quadratic:
    """``sign * p == a*x*x + b*x + c`` with positive ``a``, where the fact ``number`` says ``p == 0``."""

    def __init__(self, number: int, x: int, sign: int, a: int, b: int, c: int) -> None:
        self.number, self.x, self.sign = number, Poly.atom(x), sign
        self.a, self.b, self.c = a, b, c

    def at(self, x: int) -> int:
        return (self.a * x + self.b) * x + self.c

    def absurd(self, ledger: Ledger) -> int | None:
        a, b = self.a, self.b
        square = b * b - 4 * a * self.c
        if square < 0:
            return None
        root = isqrt(square)
        left, right = (-b - root) // (2 * a), -((b - root) // (2 * a))
        low = next(
            each for each in (left + 1, left, left - 1, left - 2) if self.at(each) >= 0 and 2 * a * each + b <= 0
        )
        high = next(each for each in (right - 2, right - 1, right, right + 1, right + 2)
                    if each > low and self.at(each) >= 0 and 2 * a * each + b >= 0)  # fmt: skip
        if not self.at(low) or not self.at(high):
            return None
        above = self.x - low - 1
        least, more = ledger.branch([ge(-above - 1)]), ledger.branch([ge(above)])
        least.goal = self.outside(least, len(ledger.facts), -(2 * a * low + b))
        more.goal = (
            self.outside(more, len(ledger.facts), 2 * a * high + b) if high == low + 1 else self.rest(more, low, high)
        )
        return ledger.cases({"sign": above.written()}, [more, least], ABSURD)

    def rest(self, ledger: Ledger, low: int, high: int) -> int:
        """From ``x > low``: it is less than ``high``, or not."""
        over = self.x - high
        most, between = ledger.branch([ge(over)]), ledger.branch([ge(-over - 1)])
        most.goal = self.outside(most, len(ledger.facts), 2 * self.a * high + self.b)
        u, w = len(ledger.facts) - 1, len(ledger.facts)
        slope = self.b + self.a * (low + high)
        end = [slope, [w]] if slope > 0 else [-slope, [u]]
        terms = [[self.sign, [self.number]], [self.a, [u, w]], *([end] if slope else [])]
        between.goal = between.combine(Poly.of(-1), terms)
        return ledger.cases({"sign": over.written()}, [most, between], ABSURD)

    def outside(self, ledger: Ledger, fact: int, slope: int) -> int:
        """From the fact that says how far ``x`` is outside of the roots."""
        terms = [[-self.sign, [self.number]], [self.a, [fact, fact]], *([[slope, [fact]]] if slope else [])]
        return ledger.combine(Poly.of(-1), terms)
