"""The paper's Algorithm 1 as printed: the kind of a loop program, overwritten at every read.

For tests only: it shows where the printed text and the rule ``lo/pattern-kind`` part.
"""

from __future__ import annotations

from refrelax.lower.nests import Nest
from refrelax.lower.pattern_kinds import Kind
from refrelax.syntax.scalars import BufferLoad


def as_printed(nest: Nest, reads: list[BufferLoad]) -> Kind:
    """Kinds by the last read that matches any of the three tests."""
    kind, elementwise = Kind.OPAQUE, False
    for load in reads:
        if load.indices == nest.indices:
            kind, elementwise = Kind.ELEMENTWISE, True
        elif _in_order(load, nest):
            kind = Kind.BROADCAST
        elif all(any(index == own for own in nest.indices) for index in load.indices):
            kind = Kind.INJECTIVE
    if kind == Kind.BROADCAST and elementwise:
        return Kind.ELEMENTWISE
    if kind == Kind.OPAQUE and nest.reduces:
        return Kind.REDUCTION
    return kind


def _in_order(load: BufferLoad, nest: Nest) -> bool:
    rest = iter(nest.indices)
    return all(any(index == own for own in rest) for index in load.indices)
