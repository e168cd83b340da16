"""Fusion as a graph: a node for each call with its pattern kind, arcs from results to uses, a band for each group.

Calls stand one under the other in the order of the program, so that a network of any size can be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from refrelax.lower.fuse_ops.graph import read_block, used
from refrelax.lower.fuse_ops.groups import form_groups
from refrelax.lower.pattern_kinds import Kind, pattern_kind
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import Binding, DataflowBlock, Function, SeqExpr
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.views.sheet import svg
from refrelax.views.widths import operator


@dataclass(frozen=True, slots=True)
class Node:
    """One binding: what it calls, the kind of that loop program, the bindings that it uses, and the number of the
    group that it was fused into."""

    name: str
    what: str
    kind: Kind | None
    uses: tuple[str, ...]
    group: int | None


def nodes(before: CheckedModule, after: Module, function: str = "main") -> tuple[Node, ...]:
    """The bindings of a function before ``fuse_ops``, in the groups that ``after`` shows to have been made."""
    func = before.module.functions.get(function)
    if not isinstance(func, Function):
        return ()
    kept = {each.name for each in _bindings(after.functions.get(function))}
    groups: dict[str, int] = {}
    for block in func.body.blocks:
        if isinstance(block, DataflowBlock):
            graph = read_block(before, function, block)
            for members in form_groups(graph):
                if not any(m.name in kept for m in members[:-1]):
                    number = 1 + max(groups.values(), default=0)
                    groups.update(dict.fromkeys((m.name for m in members), number))
    return tuple(_node(each, before.module, groups) for each in _bindings(func))


def _bindings(func: object) -> Iterator[Binding]:
    if isinstance(func, Function) and isinstance(func.body, SeqExpr):
        for block in func.body.blocks:
            yield from block.bindings


def _node(binding: Binding, module: Module, groups: dict[str, int]) -> Node:
    what = operator(binding)
    callee = module.functions.get(what.removeprefix("cls."))
    kind = pattern_kind(callee) if isinstance(callee, PrimFunc) else None
    return Node(binding.name, what, kind, tuple(sorted(used(binding.value))), groups.get(binding.name))


COLOURS: dict[Kind, str] = {
    Kind.ELEMENTWISE: "#16a34a", Kind.BROADCAST: "#65a30d", Kind.INJECTIVE: "#0891b2", Kind.REDUCTION: "#d97706",
    Kind.OUTPUT_FUSIBLE: "#7c3aed", Kind.OPAQUE: "#dc2626",
}  # fmt: skip
"""Kind to the colour of its nodes."""

HIGH, LEFT, WIDE = 24, 180, 760
"""Pixels: a row, the space for arcs, and the whole width."""


def picture(found: Sequence[Node], title: str = "fusion") -> str:
    """The graph as SVG."""
    rows = {each.name: k for k, each in enumerate(found)}
    bands = [_band(each, k) for k, each in enumerate(found) if each.group is not None]
    arcs = [_arc(rows[name], k) for k, each in enumerate(found) for name in each.uses if name in rows]
    dots = [_dot(each, k) for k, each in enumerate(found)]
    count = len({each.group for each in found if each.group is not None})
    label = f"{title}: {len(found)} bindings, {count} groups"
    return svg(label, WIDE, len(found) * HIGH + 8, (*bands, *arcs, *dots))


def _y(row: int) -> int:
    return 16 + row * HIGH


def _band(node: Node, row: int) -> str:
    hue = (node.group or 0) * 137 % 360
    place = f'<rect x="{LEFT - 14}" y="{_y(row) - 12}" height="{HIGH}"'
    return (
        f'{place} width="{WIDE - LEFT}" fill="hsl({hue} 70% 50% / 0.16)"/>{place} width="4" fill="hsl({hue} 70% 45%)"/>'
    )


def _arc(first: int, last: int) -> str:
    out = min(30 + 9 * (last - first), LEFT - 30)
    x = LEFT - 6
    return (
        f'<path d="M{x} {_y(first)}C{x - out} {_y(first)} {x - out} {_y(last)} {x} {_y(last)}" fill="none" '
        'stroke="#667085" stroke-opacity="0.65"/>'
        f'<path d="M{x - 6} {_y(last) - 3}L{x} {_y(last)}L{x - 6} {_y(last) + 3}" fill="none" stroke="#667085"/>'
    )


def _dot(node: Node, row: int) -> str:
    kind = "" if node.kind is None else str(node.kind)
    colour = "#98a2b3" if node.kind is None else COLOURS[node.kind]
    group = "" if node.group is None else f", group {node.group}"
    told = f"{node.name} = {node.what or '…'}{': ' if kind else ''}{kind}{group}"
    return (
        f'<g><title>{escape(told)}</title><circle cx="{LEFT}" cy="{_y(row)}" r="5.5" fill="{colour}"/>'
        f'<text x="{LEFT + 12}" y="{_y(row) + 4}">{escape(node.name[:22])} = {escape((node.what or "…")[:40])}</text>'
        f'<text x="{WIDE - 20}" y="{_y(row) + 4}" text-anchor="end">{escape(kind)}</text></g>'
    )
