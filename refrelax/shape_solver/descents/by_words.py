"""The step by which integers and truths are equal as machine words, whatever their leaves are.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-words``.
"""

from __future__ import annotations

from typing import Any, Protocol

from refrelax.shape_solver.checker.terms import Rejected, expect, shown
from refrelax.shape_solver.descents.claims import Known, Shown, assumed
from refrelax.shape_solver.descents.terms import Key, Node, Table
from refrelax.shape_solver.descents.words import Settled, Words, leaf, ranges

NOTHING_KNOWN = Known(frozenset(), frozenset())


class UnderCheck(Protocol):
    """What is asked of the step under check (``steps``)."""

    @property
    def table(self) -> Table: ...
    @property
    def shown(self) -> Shown: ...
    @property
    def sides(self) -> tuple[int, int]: ...
    @property
    def nodes(self) -> tuple[Node, Node]: ...
    @property
    def known(self) -> Known: ...
    def premises(self, rest: dict[str, Any], count: int) -> list[Any]: ...
    def premise(self, number: Any, first: int, second: int, known: Known) -> None: ...
    def never(self, t: int, known: Known) -> bool: ...


def words(one: UnderCheck, rest: dict[str, Any]) -> None:
    """The words are equal for all values of the leaves. Each leaf of the second element is one that may stand for a
    leaf of the first, or one of its own; and it is poison only where the first element is."""
    table, known, (a, b) = one.table, one.known, one.sides
    ours = {leaf(table, each) for each in listed(rest, "leaves")}
    meets = dict(met(table, each, ours) for each in listed(rest, "meets"))
    dtype = table.dtype(a)
    expect(dtype == table.dtype(b), "elements of one dtype", one.nodes)
    first = Words(table, {t: ("elem", t) for t in ours})
    second = Words(table, {t: ("elem", t if other is None else other) for t, other in meets.items()})
    x, y = first.word(a, dtype), second.word(b, dtype)

    pairs = [(t, other) for t, other in meets.items() if other is not None]
    premises = one.premises(rest, len(pairs)) if pairs else []
    for number, (t, its) in zip(premises, pairs, strict=True):
        expect(table.dtype(t) == table.dtype(its), "leaves of one dtype", (t, its))
        one.premise(number, its, t, known)
    settled, named = Settled(table), set(map(table.key, ours))
    taken: dict[Key, set[Key]] = {}
    for t, other in meets.items():
        expect(settled(t), "a leaf that is one value", table.nodes[t])
        expect(other in first.strict or one.never(t, known), "a leaf that makes the first poison, or is none", t)
        if other is None:
            expect(table.key(t) not in named, "a leaf that the first element does not have", table.nodes[t])
        else:
            taken.setdefault(table.key(other), set()).add(table.key(t))
    for other in ours:
        if len(taken.get(table.key(other), ())) > 1:
            expect(settled(other), "a leaf that is one value", table.nodes[other])
            expect(other in first.strict or one.never(other, known), "a leaf that is never poison by itself", other)

    own = [t for t, other in meets.items() if other is None]
    within = assumed(table, NOTHING_KNOWN, ranges(table, [*ours, *own]))
    one.shown.need(("iff" if dtype == "bool" else "eq", x, y), within)


def listed(rest: dict[str, Any], name: str) -> list[Any]:
    found = rest.pop(name, [])
    expect(isinstance(found, list), f"a list of {name}", found)
    return list(found)


def met(table: Table, row: Any, ours: set[int]) -> tuple[int, int | None]:
    """A leaf of the second element, and that of the first for which it may stand."""
    match row:
        case [t]:
            return leaf(table, t), None
        case [t, other]:
            found = leaf(table, other)
            expect(found in ours, "a leaf of the first element", other)
            return leaf(table, t), found
    raise Rejected(f"expected a leaf, or two, found {shown(row)}")
