"""Products of facts, and squares, that a rational point violates."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from math import floor
from typing import Any

from refrelax.shape_solver.checker.poly import Mono, Poly
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.point import Point

MAX_PRODUCTS = 8
"""Products that are written down at once."""


def multiplied(ledger: Ledger, point: Point, monos: list[Mono]) -> bool:
    """Writes down products of facts, and squares, that the point violates; whether there were any."""
    known = {mono for p in ledger.reduced if p is not None for mono in p.terms}
    pairs = {pair for mono in monos for pair in itertools.pairwise(mono)}
    inside = {atom for mono in monos for atom in mono}
    degree = max(2, *(len(mono) for mono in known))
    facts = [
        (number, p, ledger.facts[number][0] == "eq", set(p.mentions()) & inside, max(map(len, p.terms)))
        for number, p in enumerate(ledger.reduced)
        if p is not None and p.constant() is None and inside & set(p.mentions())
    ]
    found: list[tuple[int, int, Poly, list[Any]]] = []
    for place, (i, p, exact, met, high) in enumerate(facts):
        for j, q, other, also, low in facts[: place + 1]:
            if high + low > degree or len(p.terms) * len(q.terms) > 64:
                continue
            if not any((x in met and y in also) or (y in met and x in also) for x, y in pairs):
                continue
            product = p * q
            ledger.meter.spent += 4 * len(product.terms)
            value = point.value(product)
            sign = 1 if value < 0 else -1
            if value < 0 or (value and (exact or other)):
                found.append((len(product.terms.keys() - known), len(product.terms), product * sign, [sign, [i, j]]))
    ends = {atom: [n for n, p, exact, *_ in facts if not exact and p.terms.keys() <= {(atom,), ()}] for atom in inside}
    for mono in monos:
        for numbers in itertools.islice(itertools.product(*(ends[atom] for atom in mono)), 32) if len(mono) > 2 else ():
            product = Poly.of(1)
            for number in numbers:
                product = product * (ledger.reduced[number] or Poly.of(1))
            if point.value(product) < 0:
                found.append((len(product.terms.keys() - known), len(product.terms), product, [1, [*numbers]]))
    for root in roots(point, monos):
        square = root * root
        if point.value(square) < 0 and (len(set(root.mentions())) == 1 or square.terms.keys() <= known | {()}):
            found.append((len(square.terms.keys() - known), len(square.terms), square, [1, [root.written()]]))
    found.sort(key=lambda each: each[:2])
    before = len(ledger.facts)
    for _, _, product, term in found[:MAX_PRODUCTS]:
        ledger.combine(product, [[1, ["not"]], term])
    return len(ledger.facts) > before


def roots(point: Point, monos: list[Mono]) -> Iterator[Poly]:
    """What may have a square that the point takes for negative."""
    twice = {mono[0] for mono in monos if len(mono) == 2 and mono[0] == mono[1]}
    for x in sorted(twice):
        yield Poly.atom(x) - floor(point.mono((x,)) + Fraction(1, 2))
    for x, y in [mono for mono in monos if len(mono) == 2]:
        if x != y:
            yield Poly.atom(x) - Poly.atom(y)
            yield Poly.atom(x) + Poly.atom(y)
