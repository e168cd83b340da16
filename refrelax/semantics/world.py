"""The workers that run one program together: what collective operators ask.

Every worker runs the same function on its own arguments. They meet only at collectives, where each gives a value and
learns what the others gave. A program that runs alone is the only worker of its world.

Spec: ``spec/ops/collective.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from refrelax.errors import unspecified


@dataclass(slots=True, eq=False)
class World:
    """One worker's view: its number, how many there are, and how many of them are a group (numbered in a row)."""

    worker: int = 0
    workers: int = 1
    group_size: int = 1

    def size(self, in_group: bool) -> int:
        """How many workers take part in a collective."""
        return self.group_size if in_group else self.workers

    def share(self, what: Sequence[Any], value: Any, in_group: bool) -> list[Any]:
        """What every worker that takes part gave, in the order of their numbers.

        ``what`` tells one collective from another. Raises ``Ended`` (``op.ccl/all-take-part``) where they do not all
        come to the same one.
        """
        return [value]


ALONE = World()


class AmongStrangers(World):
    """One worker's view where nobody knows the others: a run that needs what they give has no answer."""

    def share(self, what: Sequence[Any], value: Any, in_group: bool) -> list[Any]:
        raise unspecified("op.ccl/all-take-part", "what the other workers give is not known")
