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
from refrelax.semantics.dims.poly import Mono, Poly
from refrelax.shape_solver.context import conjuncts, order
from refrelax.syntax.scalars import Binary, PrimExpr

MIN_GIVEN = 12
"""Assumptions below which the other stages see every chain."""

MAX_STEPS = 40_000
"""Edges followed for one goal."""

MAX_MONOS = 6
"""Monomials of an assumption that is no difference but for bounds."""

Edges = dict[Mono, dict[Mono, int]]
"""``edges[x][y] == c``: ``x - y + c >= 0``; the constant is the empty monomial."""


@rule("sh/differences")
def by_differences(claim: PrimExpr, assumptions: Iterable[PrimExpr]) -> bool:
    """Whether each part of ``claim`` follows from a chain of ``assumptions``."""
    assumptions = list(assumptions)
    if sum(_count(part) for each in assumptions for part in conjuncts(each)) < MIN_GIVEN:
        return False
    atoms = Atoms(NO_FACTS)
    wanted = [_orders(part, atoms) for part in conjuncts(claim)]
    goals = [p for each in wanted for p in each]
    if not all(wanted) or any(_edge(goal) is None for goal in goals):
        return False
    given = _given(assumptions, atoms)
    if len(given) < MIN_GIVEN:
        return False
    edges = _edges(given)
    return all(_follows(goal, edges) for goal in goals)


@rule("sh/differences")
def span(e: PrimExpr, assumptions: Iterable[PrimExpr]) -> tuple[int | None, int | None]:
    """Numbers that ``e`` is at least and at most by chains of ``assumptions``; ``None`` without one."""
    atoms = Atoms(NO_FACTS)
    found = _edge(normal(e, atoms))
    if found is None:
        return None, None
    (x, y, c), edges = found, _edges(_given(assumptions, atoms))
    below, above = _length(x, y, edges), _length(y, x, edges)
    return None if below is None else c - below, None if above is None else c + above


def _given(assumptions: Iterable[PrimExpr], atoms: Atoms) -> list[Poly]:
    return [p for each in assumptions for part in conjuncts(each) for p in _orders(part, atoms)]


def _edges(given: list[Poly]) -> Edges:
    edges: Edges = {}
    longer = []
    for p in given:
        found = _edge(p)
        if found is None:
            longer.append(p)
        else:
            _put(edges, *found)
    bounds = {x: -c for x, below in edges.items() for y, c in below.items() if x and not y}
    tops = dict(edges.get((), {}))
    for p in longer:
        for found in _shortened(p, bounds, tops):
            _put(edges, *found)
    return edges


def _put(edges: Edges, x: Mono, y: Mono, c: int) -> None:
    below = edges.setdefault(x, {})
    below[y] = min(c, below.get(y, c))


def _shortened(p: Poly, bounds: dict[Mono, int], tops: dict[Mono, int]) -> list[tuple[Mono, Mono, int]]:
    """Edges that ``p >= 0`` gives where all but two monomials, or one, are replaced by their bounds."""
    monos = [mono for mono in p if mono]
    if len(monos) > MAX_MONOS:
        return []
    most = {mono: tops.get(mono) if p[mono] > 0 else bounds.get(mono) for mono in monos}
    found = []
    for x in [(), *(mono for mono in monos if p[mono] == 1)]:
        for y in [(), *(mono for mono in monos if p[mono] == -1)]:
            rest = [mono for mono in monos if mono not in (x, y)]
            if x != y and all(most[mono] is not None for mono in rest):
                found.append((x, y, p.get((), 0) + sum(p[mono] * (most[mono] or 0) for mono in rest)))
    return found


def _orders(part: PrimExpr, atoms: Atoms) -> list[Poly]:
    """Polynomials that are at least 0 exactly where ``part`` holds; none if it is no order."""
    match part:
        case Binary("LE", Binary("Max", a, b), c) | Binary("GE", c, Binary("Max", a, b)):
            return [*_orders(Binary("LE", a, c), atoms), *_orders(Binary("LE", b, c), atoms)]
        case Binary("LE", a, Binary("Min", b, c)) | Binary("GE", Binary("Min", b, c), a):
            return [*_orders(Binary("LE", a, b), atoms), *_orders(Binary("LE", a, c), atoms)]
        case Binary("EQ", a, b) if a.dtype != "bool":
            return [*_orders(Binary("LE", a, b), atoms), *_orders(Binary("GE", a, b), atoms)]
        case _:
            p = order(part, atoms)
            return [] if p is None else [p]


def _count(part: PrimExpr) -> int:
    """How many polynomials ``_orders`` finds at most, without a look at any."""
    match part:
        case Binary("LE", Binary("Max", a, b), c) | Binary("GE", c, Binary("Max", a, b)):
            return _count(Binary("LE", a, c)) + _count(Binary("LE", b, c))
        case Binary("LE", a, Binary("Min", b, c)) | Binary("GE", Binary("Min", b, c), a):
            return _count(Binary("LE", a, b)) + _count(Binary("LE", a, c))
        case Binary("EQ", a, b) if a.dtype != "bool":
            return _count(Binary("LE", a, b)) + _count(Binary("GE", a, b))
        case _:
            return 1


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
    length = _length(x, y, edges, c)
    return length is not None and length <= c


def _length(x: Mono, y: Mono, edges: Edges, enough: int | None = None) -> int | None:
    """The length of the shortest path from ``x`` to ``y`` that is found, or of one that is at most ``enough``."""
    length: dict[Mono, int] = {x: 0}
    waiting, steps = deque([x]), 0
    while waiting and not (enough is not None and y in length and length[y] <= enough):
        at = waiting.popleft()
        for to, weight in edges.get(at, {}).items():
            steps += 1
            if length[at] + weight < length.get(to, length[at] + weight + 1):
                length[to] = length[at] + weight
                waiting.append(to)
        if steps > MAX_STEPS:
            break
    return length.get(y)
