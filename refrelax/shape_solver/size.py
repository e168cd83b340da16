"""How large a question is, counted before anything is done with it: a shared part counts wherever it stands.

Spec: ``spec/06b-solver.md``, ``sh/size``.
"""

from __future__ import annotations

from collections.abc import Iterable

from refrelax.rules import rule
from refrelax.shape_solver.door import MAX_DEPTH
from refrelax.syntax.scalars import Binary, Literal, PrimExpr, SymVar, children

MAX_NODES = 16_000
"""Nodes of the claim and its assumptions together."""

MAX_STEPS = 100_000
"""Nodes of all parts of the claim together: what ``fits`` asks of every step."""

Measure = tuple[int, int, int]
"""Nodes; nodes of all parts together; depth."""

LEAF: Measure = (1, 1, 1)
NOTHING: Measure = (0, 0, 0)


def measure(e: PrimExpr) -> Measure:
    """The size of ``e`` written out as a tree, in time linear in what is shared."""
    if isinstance(e, (SymVar, Literal)):
        return LEAF
    known: dict[int, Measure] = {}
    pending: list[PrimExpr] = [e]
    while pending:
        node = pending[-1]
        nodes, steps, depth, waiting = 1, 0, 0, len(pending)
        for part in (node.a, node.b) if isinstance(node, Binary) else children(node):
            below = LEAF if isinstance(part, (SymVar, Literal)) else known.get(id(part))
            if below is None:
                pending.append(part)
            else:
                nodes, steps, depth = nodes + below[0], steps + below[1], max(depth, below[2])
        if len(pending) == waiting:
            pending.pop()
            known[id(node)] = nodes, nodes + steps, depth + 1
    return known[id(e)]


def total(parts: Iterable[PrimExpr]) -> Measure:
    """The size of ``parts`` together."""
    nodes, steps, depth = 0, 0, 0
    for each in map(measure, parts):
        nodes, steps, depth = nodes + each[0], steps + each[1], max(depth, each[2])
    return nodes, steps, depth


@rule("sh/size")
def too_large(claim: Measure, given: Measure, fits: bool = False, deep: bool = True) -> str | None:
    """What is too large, in words, about a claim and its assumptions of these sizes to be looked at. Outside the door
    (``deep`` is false) nesting does not count: chains of one operator become flat there."""
    nodes, steps, depth = claim[0] + given[0], claim[1], max(claim[2], given[2])
    if deep and depth > MAX_DEPTH:
        return f"nested more than {MAX_DEPTH} levels deep"
    if nodes > MAX_NODES:
        return f"more than {MAX_NODES} nodes"
    if fits and steps > MAX_STEPS:
        return f"more than {MAX_STEPS} nodes in all steps together"
    return None
