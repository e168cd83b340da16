"""Chains of inequalities between two quantities each: ``a <= b``, ``b < c``, … give ``a < c``, however many there are.

Each assumption ``x - y + c >= 0`` over two monomials (or one) is an edge; a claim of that form is shown by a shortest
path. Bounds are edges to the constant. Linear in what is given but for the paths.

Spec: ``spec/06b-solver.md``, ``sh/differences``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Mono, Poly, scale, sub
from refrelax.shape_solver.context import conjuncts, order
from refrelax.syntax.scalars import Binary, PrimExpr

MIN_GIVEN = 12
"""Assumptions below which the other stages see every chain."""

MAX_STEPS = 40_000
"""Edges followed for one goal."""

Edges = dict[Mono, dict[Mono, int]]
"""``edges[x][y] == c``: ``x - y + c >= 0``; the constant is the empty monomial."""


@rule("sh/differences")
def by_differences(claim: PrimExpr, assumptions: Iterable[PrimExpr]) -> bool:
    """Whether each part of ``claim`` follows from a chain of ``assumptions``."""
    atoms = Atoms(NO_FACTS)
    wanted = [_orders(part, atoms) for part in conjuncts(claim)]
    goals = [p for each in wanted for p in each]
    if not all(wanted) or any(_edge(goal) is None for goal in goals):
        return False
    given = [p for each in assumptions for part in conjuncts(each) for p in _orders(part, atoms)]
    if len(given) < MIN_GIVEN:
        return False
    edges: Edges = {}
    for p in given:
        found = _edge(p)
        if found is not None:
            x, y, c = found
            below = edges.setdefault(x, {})
            below[y] = min(c, below.get(y, c))
    return all(_follows(goal, edges) for goal in goals)


def _orders(part: PrimExpr, atoms: Atoms) -> list[Poly]:
    """Polynomials that are at least 0 exactly where ``part`` holds; none if it is no order."""
    p = order(part, atoms)
    if p is not None:
        return [p]
    match part:
        case Binary("EQ", a, b) if a.dtype != "bool":
            difference = sub(normal(a, atoms), normal(b, atoms))
            return [difference, scale(difference, -1)]
        case _:
            return []


def _edge(p: Poly) -> tuple[Mono, Mono, int] | None:
    """``x, y, c`` where ``p`` is ``x - y + c``."""
    plus = [mono for mono, c in p.items() if mono and c == 1]
    minus = [mono for mono, c in p.items() if mono and c == -1]
    if len(plus) > 1 or len(minus) > 1 or len(plus) + len(minus) != sum(1 for mono in p if mono):
        return None
    return (plus[0] if plus else ()), (minus[0] if minus else ()), p.get((), 0)


def _follows(goal: Poly, edges: Edges) -> bool:
    """Whether ``x - y + c >= 0``: the lengths of a path from ``x`` to ``y`` add up to at most ``c``."""
    found = _edge(goal)
    assert found is not None
    x, y, c = found
    if x == y:
        return c >= 0
    length: dict[Mono, int] = {x: 0}
    waiting, steps = deque([x]), 0
    while waiting:
        at = waiting.popleft()
        for to, weight in edges.get(at, {}).items():
            steps += 1
            if steps > MAX_STEPS:
                return False
            if length[at] + weight < length.get(to, length[at] + weight + 1):
                length[to] = length[at] + weight
                if to == y and length[to] <= c:
                    return True
                waiting.append(to)
    return False
