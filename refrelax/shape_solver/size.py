"""How large a question is, counted before anything is done with it: a shared part counts wherever it stands.

Spec: ``spec/06-shapes.md``, ``sh/size``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.shape_solver.claim import Query
from refrelax.syntax.scalars import PrimExpr, children

MAX_NODES = 4_000
"""Nodes of the claim and its assumptions together."""

MAX_STEPS = 100_000
"""Nodes of all parts of the claim together: what ``fits`` asks of every step."""

MAX_DEPTH = 160
"""Nesting of one expression."""

Measure = tuple[int, int, int]
"""Nodes; nodes of all parts together; depth."""


def measure(e: PrimExpr) -> Measure:
    """The size of ``e`` written out as a tree, in time linear in what is shared."""
    known: dict[int, Measure] = {}
    pending = [e]
    while pending:
        node = pending[-1]
        below = [known.get(id(part)) for part in children(node)]
        if None in below:
            pending += [part for part in children(node) if id(part) not in known]
            continue
        pending.pop()
        parts = [each for each in below if each is not None]
        nodes = 1 + sum(each[0] for each in parts)
        depth = 1 + max((each[2] for each in parts), default=0)
        known[id(node)] = nodes, nodes + sum(each[1] for each in parts), depth
    return known[id(e)]


@rule("sh/size")
def too_large(query: Query) -> str | None:
    """What is too large about ``query`` to be looked at, in words."""
    nodes, steps, depth = measure(query.claim)
    for each in query.assumptions:
        more, _, deeper = measure(each)
        nodes, depth = nodes + more, max(depth, deeper)
    if depth > MAX_DEPTH:
        return f"nested more than {MAX_DEPTH} levels deep"
    if nodes > MAX_NODES:
        return f"more than {MAX_NODES} nodes"
    if query.fits is not None and steps > MAX_STEPS:
        return f"more than {MAX_STEPS} nodes in all steps together"
    return None
