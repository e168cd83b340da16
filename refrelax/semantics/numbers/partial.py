"""Partial results of a reduction that is spread over a loop: what a cell holds under ``enclosure`` and ``sampled``.

A list that is shared between a cell and its copies, so that copying a cell and going on with either stays right.
"""

from __future__ import annotations

from refrelax.semantics.numbers.interface import Payload, ReduceOp
from refrelax.semantics.numbers.poison import OpaquePayload


class Partial(OpaquePayload):
    """Everything combined so far: ``before`` (a payload or another ``Partial``) and one ``item``."""

    __slots__ = ("before", "item", "op", "settled")

    def __init__(self, op: ReduceOp, before: Payload, item: Payload) -> None:
        self.op = op
        self.before = before
        self.item = item
        self.settled: Payload | None = None

    def items(self) -> list[Payload]:
        """The starting value and all items, in order."""
        found: list[Payload] = []
        current: Payload = self
        while isinstance(current, Partial) and current.op == self.op:
            found.append(current.item)
            current = current.before
        found.append(current)
        found.reverse()
        return found
