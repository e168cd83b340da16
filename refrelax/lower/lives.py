"""When tensors live: from the binding that allocates one to the last mention of a name that may name its memory.

Bindings are numbered as they stand, those of branches included. So a tensor of one branch never lives at the time of
one of the other branch, and what lives across an ``if`` lives all through both.

Spec: ``spec/12-memory.md``, ``lo/plan-life``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from refrelax.lower.aliases import Aliases, occurrences
from refrelax.lower.memory_sizes import Dims, plannable
from refrelax.syntax.graph import Binding, If, SeqExpr, VarBinding


@dataclass(frozen=True, slots=True)
class Life:
    """A tensor that lives in one sequence. ``begin``, ``end``: the numbers of its first and of its last binding."""

    name: str
    dims: Dims
    dtype: str
    begin: int
    end: int

    def meets(self, other: Life) -> bool:
        """Whether both live at some time."""
        return self.begin <= other.end and other.begin <= self.end


def of_groups(bindings: Sequence[Binding], aliases: Aliases, whole: Counter[str]) -> tuple[set[str], dict[str, int]]:
    """The groups of names that occur nowhere but in these bindings, and at which of them each group is mentioned last.
    ``whole`` counts the mentions in the function."""
    inside: Counter[str] = Counter()
    ends: dict[str, int] = {}
    for index, binding in enumerate(bindings):
        found = [aliases.find(each) for each in occurrences(binding)]
        inside.update(found)
        ends.update(dict.fromkeys(found, index))
    return {group for group, count in inside.items() if count == whole[group]}, ends


@dataclass(slots=True)
class _Walk:
    aliases: Aliases
    whole: Counter[str]
    found: list[Life] = field(default_factory=list)
    time: int = 0

    def sequence(self, seq: SeqExpr) -> None:
        bindings = [b for block in seq.blocks for b in block.bindings]
        local, ends = of_groups(bindings, self.aliases, self.whole)
        begun: list[tuple[str, str, Dims, str, int]] = []
        after: list[int] = []
        for binding in bindings:
            self.time += 1
            begin = self.time
            if isinstance(binding, VarBinding):
                if isinstance(binding.value, If):
                    self.sequence(binding.value.then_branch)
                    self.sequence(binding.value.else_branch)
                group, new = self.aliases.find(binding.name), plannable(binding.value)
                if new is not None and group in local:
                    begun.append((binding.name, group, *new, begin))
            after.append(self.time)
        self.found += [Life(name, dims, dtype, t, after[ends[group]]) for name, group, dims, dtype, t in begun]


def lives(seq: SeqExpr, aliases: Aliases, whole: Counter[str]) -> list[Life]:
    """The tensors of a function's own sequences that may share memory with others, in the order of their begin."""
    walk = _Walk(aliases, whole)
    walk.sequence(seq)
    return sorted(walk.found, key=lambda life: life.begin)
