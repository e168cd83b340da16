"""Rules by which a reduction of integers is made of others, as machine words: in pieces, of parts of its items, with a
factor in front.

Each is exact, with its poison, but ``outside``: where there is no item, a factor in front is looked at all the same.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-reductions``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from refrelax.shape_solver.checker.terms import Rejected, dtype_range, expect, shown
from refrelax.shape_solver.descents.claims import Known, Shown, assumed
from refrelax.shape_solver.descents.terms import Expr, Node, Table
from refrelax.shape_solver.descents.words import WORDS, Settled


class Side(Protocol):
    """What is asked of the side that is rewritten (``rewrites``)."""

    @property
    def table(self) -> Table: ...
    @property
    def shown(self) -> Shown: ...
    @property
    def second(self) -> bool: ...
    def never(self, t: int, known: Known) -> bool: ...
    def integral(self, c: int) -> Expr: ...


ZERO: Expr = ("const", 0)
TOGETHER = {"Add": ("Add", "Sub"), "Mul": ("Mul",), "Max": ("Max",), "Min": ("Min",)}
"""What an item may be, for each operation, that its parts are reduced one by one."""


def neutral(op: str, dtype: str) -> Node:
    """The integer that combines as nothing."""
    low, high = dtype_range(dtype)
    return ("int", dtype, ("const", {"Add": 0, "Mul": 1, "Max": low, "Min": high}[op]))


def reduced(rewriting: Side, node: Node) -> str:
    """The dtype of a reduction of integers that is one of words."""
    dtype = rewriting.table.dtype(node[5])
    expect(node[1] in TOGETHER and dtype in WORDS - {"bool"}, "a reduction of integers", node)
    return dtype


def spread(rewriting: Side, node: Node, rest: list[Any], known: Known) -> int:
    """A sum of sums or differences, a product of products, an extreme of extremes: of each part by itself."""
    table, dtype = rewriting.table, reduced(rewriting, node)
    _, op, start, axes, guard, body, _ = node
    match rest, table.nodes[body]:
        case [], ("apply", inner, _, attrs, (x, y)) if inner in TOGETHER[op]:
            expect(table.dtype(x) == table.dtype(y) == dtype, "parts of one dtype", table.nodes[body])
        case _, other:
            raise Rejected(f"expected an item that is made of parts, found {shown(other)}")
    more = table.number(neutral(op, dtype))
    parts = (table.number(("fold", op, first, axes, guard, each, True)) for first, each in ((start, x), (more, y)))
    return table.number(("apply", inner, dtype, attrs, tuple(parts)))


def outside(rewriting: Side, node: Node, rest: list[Any], known: Known) -> int:
    """A sum of products with a factor that no axis changes in front; of the whole item, that often 1."""
    table, dtype = rewriting.table, reduced(rewriting, node)
    _, op, start, axes, guard, body, _ = node
    expect(op == "Add", "a sum", node)
    match rest, table.nodes[body]:
        case [0 | 1 as k], ("apply", "Mul", _, _, (x, y)):
            factor, item = (x, y) if k == 0 else (y, x)
        case [], _:
            factor, item = body, table.number(("int", dtype, ("const", 1)))
        case _, other:
            raise Rejected(f"expected a product, found {shown(other)}")
    expect(table.dtype(factor) == table.dtype(item) == dtype, "factors of one dtype", table.nodes[body])
    expect(not table.free(factor) & {name for name, _ in axes}, "a factor that no axis changes", table.nodes[factor])
    expect(Settled(table)(factor), "a factor that is one value", table.nodes[factor])
    if not rewriting.second:
        expect(rewriting.never(factor, known), "a factor that is never poison", table.nodes[factor])
    partial = table.number(("fold", "Add", table.number(neutral("Add", dtype)), axes, guard, item, True))
    return table.number(
        ("apply", "Add", dtype, "", (start, table.number(("apply", "Mul", dtype, "", (factor, partial)))))
    )


def parted(rewriting: Side, node: Node, rest: list[Any], known: Known) -> int:
    """The items before a place of one axis, and those from there on."""
    table, dtype = rewriting.table, reduced(rewriting, node)
    _, op, start, axes, guard, body, _ = node
    match rest:
        case [int() as k, place] if 0 <= k < len(axes):
            at = table.integer(place)
        case _:
            raise Rejected(f"expected an axis and a place, found {shown(rest)}")
    name, extent = axes[k]
    expect(not any(name in table.mentions(each) for _, each in axes), "an axis on which no extent depends", axes)
    changed = (table.mentions(at) | table.mentions(extent)) & {each for each, _ in axes}
    expect(not changed, "a place and an extent that no axis changes", sorted(changed))
    rewriting.shown.need(("ge", at, ZERO), known)
    rewriting.shown.need(("le", at, extent), known)
    by: dict[str, Expr] = {name: ("add", ("sym", name), at)}
    before = (*axes[:k], (name, at), *axes[k + 1 :])
    after = (*axes[:k], (name, ("sub", extent, at)), *axes[k + 1 :])
    test = None if guard is None else table.placed(guard, by)
    more = table.number(neutral(op, dtype))
    parts = (
        table.number(("fold", op, start, before, guard, body, True)),
        table.number(("fold", op, more, after, test, table.replaced(body, by), True)),
    )
    return table.number(("apply", op, dtype, "", parts))


def alike(rewriting: Side, node: Node, rest: list[Any], known: Known) -> int:
    """An extreme of at least one item that is the same at every point: of its start and that item."""
    table, dtype = rewriting.table, reduced(rewriting, node)
    _, op, start, axes, guard, body, _ = node
    expect(op in ("Max", "Min") and guard is None and not rest, "an extreme without a guard", node)
    expect(not table.free(body) & {name for name, _ in axes}, "an item that no axis changes", table.nodes[body])
    expect(Settled(table)(body), "an item that is one value", table.nodes[body])
    for place, (_, extent) in enumerate(axes):
        expect(not table.mentions(extent) & {name for name, _ in axes[:place]}, "an extent of its own", axes)
        rewriting.shown.need(("ge", extent, ("const", 1)), known)
    return table.number(("apply", op, dtype, "", (start, body)))


def vacuous(rewriting: Side, node: Node, rest: list[Any], known: Known) -> int:
    """A choice between a reduction and its start: that reduction, if it has no item wherever a part of the condition
    fails."""
    table = rewriting.table
    match rest, node:
        case [[*places]], ("choose", c, yes, no) if table.nodes[yes][0] == "fold":
            _, _, start, axes, *_ = table.nodes[yes]
        case _:
            raise Rejected(f"expected a choice of a reduction, found {shown(node)}")
    expect(table.key(start) == table.key(no), "the start in the other arm", table.nodes[no])
    parts = conjunction(rewriting.integral(c))
    expect(len(places) == len(parts), f"{len(parts)} axes", places)
    for part, k in zip(parts, places, strict=True):
        expect(type(k) is int and 0 <= k < len(axes), "an axis", k)
        expect(not table.mentions(axes[k][1]) & {name for name, _ in axes}, "an extent of its own", axes)
        rewriting.shown.need(("le", axes[k][1], ZERO), assumed(table, known, [("not", part)]))
    return int(yes)


def conjunction(e: Expr) -> list[Expr]:
    return [*conjunction(e[1]), *conjunction(e[2])] if e[0] == "and" else [e]


REDUCTIONS: dict[str, Callable[[Side, Node, list[Any], Known], int]] = {
    "spread": spread,
    "outside": outside,
    "parted": parted,
    "alike": alike,
}
