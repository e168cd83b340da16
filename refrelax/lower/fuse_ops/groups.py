"""Which calls become one: grouping by kinds and post-dominance.

A call is fused with its *immediate post-dominator* (the first call through which every use of its result goes)
together with everything between them, so that a group has one result, of its last call. Three sweeps:

1. a reduction, matmul or the like (an *anchor*) takes in the pointwise calls after it: its epilogue;
2. pointwise calls join the pointwise calls, or the epilogue, that they end in;
3. what is left of them joins the anchor it ends in, where that repeats no computation.

A group has at most one anchor. Spec: ``spec/11-fusion.md``, ``lo/fuse-post-dominance``, ``lo/fuse-one-anchor``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from refrelax.lower.fuse_ops.graph import Graph, Member
from refrelax.lower.pattern_kinds import POINTWISE, is_copy, read_once, unpacks
from refrelax.lower.reshapes import is_reshape
from refrelax.rules import rule
from refrelax.syntax.graph import Var
from refrelax.syntax.loops import BufferParam

LARGEST = 48
"""The most calls in one group: a kernel that nobody can read helps nobody."""


@rule("lo/fuse-post-dominance")
def post_dominators(graph: Graph) -> dict[int, int]:
    """The immediate post-dominator of every member among the members of its segment; ``graph.end`` if there is none."""
    parent: dict[int, int] = {}
    depth = {graph.end: 0}
    for position in sorted(graph.members, reverse=True):
        users = graph.users[position] or {graph.end}
        common, *rest = sorted(users)
        for other in rest:
            while common != other:
                if depth[common] >= depth[other]:
                    common = parent[common]
                else:
                    other = parent[other]
        parent[position] = common
        depth[position] = depth[common] + 1
    return parent


@dataclass(slots=True)
class Groups:
    """A partition of the members: ``of[p]`` is the set of positions that ``p`` is in, shared by all of them."""

    graph: Graph
    of: dict[int, set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.of = {position: {position} for position in self.graph.members}

    def merge(self, positions: set[int]) -> bool:
        """Make one group of these members and of everything that is already with them, if that may be."""
        whole = set().union(*(self.of[p] for p in positions))
        if len(whole) > LARGEST or not one_anchor(self.graph, whole) or not self._closed(whole):
            return False
        for p in whole:
            self.of[p] = whole
        return True

    def _closed(self, whole: set[int]) -> bool:
        """One result: only the last member's is used outside. (Then no path leaves the group and comes back.)"""
        last = max(whole)
        return all(self.graph.users[p] <= whole for p in whole if p != last)

    def result(self) -> list[list[Member]]:
        """The groups of two members and more, in order."""
        seen = {id(group): group for group in self.of.values() if len(group) > 1}
        return [[self.graph.members[p] for p in sorted(group)] for group in sorted(seen.values(), key=min)]


@rule("lo/fuse-one-anchor")
def one_anchor(graph: Graph, positions: set[int]) -> bool:
    """Whether at most one of the members is more than pointwise."""
    return sum(graph.members[p].kind > POINTWISE for p in positions) <= 1


def form_groups(graph: Graph) -> list[list[Member]]:
    """The groups of a block."""
    parent = post_dominators(graph)
    groups = Groups(graph)
    pointwise = {p for p, m in graph.members.items() if m.kind <= POINTWISE and not is_reshape(m.func)}
    for position, member in graph.members.items():
        if member.kind > POINTWISE:
            _extend(groups, parent, position, pointwise.__contains__)
    for position in sorted(pointwise, reverse=True):
        _extend(groups, parent, position, pointwise.__contains__)
    for position in sorted(pointwise, reverse=True):
        last = max(groups.of[position])
        end = parent[last]
        if end != graph.end and graph.members[end].kind > POINTWISE and _free(graph, groups.of[position], end):
            groups.merge({last, end} | between(graph, last, end))
    return groups.result()


def _extend(groups: Groups, parent: dict[int, int], position: int, allowed: Callable[[int], bool]) -> None:
    """Fuse a member with its post-dominators, one after the other, while everything on the way is ``allowed``."""
    while (end := parent[position]) != groups.graph.end:
        taken = between(groups.graph, position, end) | {end}
        if not all(map(allowed, taken)) or not groups.merge(taken | {position}):
            return
        position = end


def between(graph: Graph, start: int, end: int) -> set[int]:
    """The members on the paths from ``start`` to ``end``, both left out."""
    found: set[int] = set()
    pending = [start]
    while pending:
        for user in graph.users[pending.pop()]:
            if user != end and user not in found:
                found.add(user)
                pending.append(user)
    return found


def _free(graph: Graph, group: set[int], end: int) -> bool:
    """Whether an anchor may take a group of pointwise calls in without computing anything twice: they only move data
    or unpack it, or it reads each of their results once."""
    if all(is_copy(nest) or unpacks(nest) for p in group for nest in graph.members[p].nests):
        return True
    anchor, names = graph.members[end], {graph.members[p].name for p in group}
    mine = [
        param.buffer.name
        for param, arg in zip(anchor.func.params, anchor.args)
        if isinstance(param, BufferParam) and isinstance(arg, Var) and arg.name in names
    ]
    loads = [(nest, load) for nest in anchor.nests for load in nest.inputs() if load.buffer in mine]
    return len({nest for nest, _ in loads}) == 1 and all(read_once(nest, load) for nest, load in loads)
