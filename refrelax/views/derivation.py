"""The derivation of a function's types as a tree: each type under what it was deduced from, with the rule.

A binding that is used twice is written out where it is used first; after that only its name stands. What is ``DEEP``
deep begins a tree of its own below: a line is read from the margin, and a long chain moved in further and further.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from refrelax.semantics.types.checked import CheckedModule, Inference

DEEP = 24
"""How far a tree is moved in."""


@dataclass(frozen=True, slots=True)
class Node:
    """``said``: what has which type; ``rule``: why (empty for what is given); ``premises``: what it rests on."""

    said: str
    rule: str = ""
    premises: tuple[Node, ...] = ()


def trees(checked: CheckedModule, function: str) -> tuple[Node, ...]:
    """The trees of a function: one for its result, one for each binding that nothing rests on, and after each what was
    too deep in it."""
    steps = [each for each in checked.derivation if each.function == function]
    known = {each.name: each for each in steps}
    used = {
        id(under) for each in steps for what, _ in each.premises if (under := _named(what, each, known)) is not None
    }
    told: set[str] = set()
    groups = []
    for each in steps:
        if id(each) not in used:
            group, below = list[Node](), {each.name: each}
            while below:
                group.append(_node(below.pop(next(iter(below))), known, told, below, 0))
            groups.append(group)
    return tuple(node for group in groups for node in group)


def _named(what: str, by: Inference, known: dict[str, Inference]) -> Inference | None:
    """The step that a premise is the end of: in the same function, or in one around it."""
    parts = by.name.split("/")[:-1]
    for depth in range(len(parts), -1, -1):
        found = known.get("/".join([*parts[:depth], what]))
        if found is not None:
            return None if found is by else found
    return None


def _node(
    step: Inference, known: dict[str, Inference], told: set[str], below: dict[str, Inference], depth: int
) -> Node:
    """``told``: what is written out already; ``below``: what will be, in trees of its own."""
    told.add(step.name)
    premises = []
    for what, type_ in step.premises:
        under = _named(what, step, known)
        if under is None:
            premises.append(Node(f"{what}: {type_}"))
        elif under.name in told:
            premises.append(Node(f"{what}: {type_}", "above"))
        elif depth == DEEP or under.name in below:
            below[under.name] = under
            premises.append(Node(f"{what}: {type_}", "below"))
        else:
            premises.append(_node(under, known, told, below, depth + 1))
    return Node(f"{step.name}: {step.type}", step.rule, tuple(premises))


def text(node: Node, before: str = "", below: str = "") -> Iterator[str]:
    """The tree as lines."""
    yield f"{before}{node.said}" + (f"  [{node.rule}]" if node.rule else "")
    for k, each in enumerate(node.premises):
        last = k == len(node.premises) - 1
        yield from text(each, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))


STEP, ROW = 22, 22
"""Pixels: how far a premise is moved in, and the height of a line."""


def svg(roots: tuple[Node, ...], title: str = "derivation of types") -> str:
    """The trees as a picture: a line of text for each type, joined to what it was deduced from."""
    rows: list[tuple[int, Node, int | None]] = []

    def place(node: Node, depth: int, parent: int | None) -> None:
        rows.append((depth, node, parent))
        own = len(rows) - 1
        for each in node.premises:
            place(each, depth + 1, own)

    for each in roots:
        place(each, 0, None)
    width = max((d * STEP + 8 * len(f"{n.said}   {n.rule}") + 40 for d, n, _ in rows), default=200)
    marks = []
    for k, (depth, node, parent) in enumerate(rows):
        x, y = 12 + depth * STEP, 16 + k * ROW
        if parent is not None:
            up = 12 + (depth - 1) * STEP
            marks.append(f'<path d="M{up} {20 + parent * ROW}V{y - 4}H{x - 4}" fill="none" stroke="#98a2b3"/>')
        rule = f'<tspan class="rule" fill="#0e7490">   {escape(node.rule)}</tspan>' if node.rule else ""
        marks.append(f'<circle cx="{x}" cy="{y - 4}" r="3" fill="{"#0e7490" if node.rule else "#98a2b3"}"/>')
        marks.append(f'<text x="{x + 8}" y="{y}" xml:space="preserve">{escape(node.said)}{rule}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(title)}" width="{width}" '
        f'height="{len(rows) * ROW + 12}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12" '
        f'fill="#344054">{"".join(marks)}</svg>'
    )
