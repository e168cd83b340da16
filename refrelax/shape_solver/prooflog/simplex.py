"""Linear arithmetic over the rationals: why a system of inequalities has no solution.

The general simplex method with bounds (Dutertre and de Moura, CAV 2006), Bland's rule, exact numbers. Unknowns are
whatever the rows mention; here they are monomials.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd
from typing import Any

from refrelax.shape_solver.prooflog.ledger import Meter

MAX_PIVOTS = 400

Number = int | Fraction
"""A rational number; a whole one is an ``int``: most are, and a ``Fraction`` costs twenty times as much."""

Reasons = dict[int, Number]
"""Factors of rows; their sum is the inequality in question."""


@dataclass(slots=True)
class _Bound:
    value: Number
    reasons: Reasons


@dataclass(slots=True)
class _Simplex:
    meter: Meter
    lower: dict[int, _Bound] = field(default_factory=dict)
    upper: dict[int, _Bound] = field(default_factory=dict)
    value: list[Number] = field(default_factory=list)
    rows: dict[int, dict[int, int]] = field(default_factory=dict)
    """Basic variable to its combination of the others, times its entry of ``scale``: with whole factors a pivot makes
    no fractions."""
    scale: dict[int, int] = field(default_factory=dict)
    """Positive."""
    solved: bool = False
    """Whether the values satisfy all bounds."""

    def fresh(self) -> int:
        self.value.append(0)
        return len(self.value) - 1

    def bound(self, x: int, low: bool, bound: _Bound) -> Reasons | None:
        """Adds ``x >= value`` (``low``) or ``x <= value``; a conflict if the other bound contradicts it."""
        mine, other = (self.lower, self.upper) if low else (self.upper, self.lower)
        old = mine.get(x)
        if old is None or (bound.value > old.value if low else bound.value < old.value):
            mine[x] = bound
        against = other.get(x)
        if against is not None and (bound.value > against.value if low else bound.value < against.value):
            return _sum([(1, bound.reasons), (1, against.reasons)])
        return None

    def start(self) -> None:
        """Moves every independent variable onto a bound."""
        for x in range(len(self.value)):
            if x not in self.rows:
                bound = self.lower.get(x) or self.upper.get(x)
                self.value[x] = bound.value if bound is not None else 0
        for x, row in self.rows.items():
            self.value[x] = _quotient(sum(a * self.value[y] for y, a in row.items()), self.scale[x])

    def check(self) -> Reasons | None:
        """A conflict, or ``None`` if there is a solution or the limit is reached."""
        self.start()
        for _ in range(MAX_PIVOTS):
            x = self.violated()
            if x is None or self.meter.empty:
                self.solved = x is None
                return None
            low = x in self.lower and self.value[x] < self.lower[x].value
            target = self.lower[x] if low else self.upper[x]
            row = self.rows[x]
            y = next((y for y in sorted(row) if self.free(y, (row[y] > 0) == low)), None)
            if y is None:
                parts: list[tuple[Number, Reasons]] = [(1, target.reasons)]
                for z, a in row.items():
                    bound = (self.upper if (a > 0) == low else self.lower)[z]
                    parts.append((_quotient(abs(a), self.scale[x]), bound.reasons))
                return _sum(parts)
            self.pivot(x, y, target.value)
        return None

    def violated(self) -> int | None:
        for x in sorted(self.rows):
            if x in self.lower and self.value[x] < self.lower[x].value:
                return x
            if x in self.upper and self.value[x] > self.upper[x].value:
                return x
        return None

    def free(self, y: int, up: bool) -> bool:
        bound = (self.upper if up else self.lower).get(y)
        return bound is None or (self.value[y] < bound.value if up else self.value[y] > bound.value)

    def pivot(self, x: int, y: int, value: Number) -> None:
        """``x`` leaves the basis at ``value``, ``y`` enters it."""
        row, scale = self.rows.pop(x), self.scale.pop(x)
        a = row.pop(y)
        step = _quotient((value - self.value[x]) * scale, a)
        self.value[x] = value
        self.value[y] = _whole(self.value[y] + step)
        sign, divisor = (-1, a) if a > 0 else (1, -a)
        entering = {z: sign * c for z, c in row.items()}
        entering[x] = -sign * scale
        divisor = _shortened(entering, divisor)
        for other, terms in self.rows.items():
            factor = terms.pop(y, None)
            if factor is None:
                continue
            self.value[other] = _whole(self.value[other] + _quotient(factor * step, self.scale[other]))
            self.meter.spent += len(terms) + len(entering)
            common = gcd(factor, divisor)
            factor, times = factor // common, divisor // common
            if times != 1:
                for z in terms:
                    terms[z] *= times
            for z, c in entering.items():
                total = terms.get(z, 0) + factor * c
                if total:
                    terms[z] = total
                else:
                    terms.pop(z, None)
            self.scale[other] = _shortened(terms, self.scale[other] * times)
        self.rows[y], self.scale[y] = entering, divisor


def _shortened(terms: dict[int, int], scale: int) -> int:
    """Divides ``terms`` by what they have in common with ``scale``, which is what is left of it."""
    common = gcd(scale, *terms.values()) if scale != 1 else 1
    if common != 1:
        for each in terms:
            terms[each] //= common
    return scale // common


def _quotient(a: Number, b: Number) -> Number:
    return _whole(Fraction(a) / b) if type(a) is not int or type(b) is not int or a % b else a // b


def _whole(c: Number) -> Number:
    return c if type(c) is int or c.denominator != 1 else c.numerator


def _sum(parts: Sequence[tuple[Number, Reasons]]) -> Reasons:
    total: Reasons = {}
    for factor, reasons in parts:
        for row, c in reasons.items():
            total[row] = _whole(total.get(row, 0) + factor * c)
    return {row: c for row, c in total.items() if c}


Row = tuple[Mapping[Any, int], int, bool]
"""``sum(coefficient * unknown) + constant``: at least 0, or (with ``True``) equal to 0."""


Values = dict[Any, Number]


def conflict(rows: Sequence[Row], meter: Meter) -> Reasons | None:
    """Factors by which the rows add up to a negative constant (positive for inequalities), or ``None``."""
    return solution(rows, meter)[0]


def solution(rows: Sequence[Row], meter: Meter) -> tuple[Reasons | None, Values | None]:
    """Factors by which the rows add up to a negative constant, or values of the unknowns at which they hold; neither,
    if the limit is reached."""
    simplex = _Simplex(meter)
    unknowns: dict[Hashable, int] = {}
    for terms, _, _ in rows:
        for unknown in terms:
            if unknown not in unknowns:
                unknowns[unknown] = simplex.fresh()
    for number, (terms, constant, exact) in enumerate(rows):
        found = _entered(simplex, unknowns, number, terms, constant, exact)
        if found is not None:
            return found, None
    reasons = simplex.check()
    if reasons is not None or not simplex.solved:
        return reasons, None
    return None, {unknown: simplex.value[x] for unknown, x in unknowns.items()}


def _entered(
    simplex: _Simplex,
    unknowns: dict[Hashable, int],
    number: int,
    terms: Mapping[Hashable, int],
    constant: int,
    exact: bool,
) -> Reasons | None:
    if not terms:
        if constant < 0 or (exact and constant):
            return {number: 1 if constant < 0 else -1}
        return None
    if len(terms) == 1:
        ((unknown, c),) = terms.items()
        x, scale = unknowns[unknown], _quotient(1, abs(c))
        end, up = _quotient(-constant, c), c > 0
    else:
        x, scale, end, up = simplex.fresh(), 1, -constant, True
        simplex.rows[x], simplex.scale[x] = {unknowns[unknown]: c for unknown, c in terms.items()}, 1
    found = simplex.bound(x, up, _Bound(end, {number: scale}))
    if found is None and exact:
        found = simplex.bound(x, not up, _Bound(end, {number: -scale}))
    return found
