"""The two sides of programs in step: what their names stand for, and the memory that they make.

Spec: ``spec/06c-pointwise.md``, ``va/lockstep``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from refrelax.shape_solver.pointwise.logic import Given
from refrelax.shape_solver.pointwise.views import is_plain
from refrelax.syntax.loops import Buffer
from refrelax.syntax.scalars import PrimExpr


def extents_of(buffer: Buffer) -> list[PrimExpr]:
    """What is evaluated where memory is made, or a view of it: extents, strides, the offset."""
    return [*buffer.shape, *buffer.strides, *(() if buffer.elem_offset is None else (buffer.elem_offset,))]


class Apart(Exception):
    """The programs are not in step here; the reason is its text."""


@dataclass(frozen=True, slots=True)
class Made:
    """A buffer that is allocated or declared. ``around``: how many loops and branches are around; ``when``: how many
    steps are before it; ``known``: what holds there; ``names``: the symbols that have a value there."""

    buffer: Buffer
    around: int = 0
    when: int = 0
    known: Given = ()
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Shift:
    """A buffer of the second program that holds a part of one of the first, ``by`` further to the front."""

    of: str
    shape: tuple[PrimExpr, ...]
    by: tuple[PrimExpr, ...]


@dataclass(slots=True)
class Side:
    """One program. ``by``: what its scalars stand for, over symbols that both programs share; ``made``: its buffers
    that are allocated or declared; ``other``: the other program's name of each that has a counterpart; ``threads``: the
    variables of its loops over threads; ``scopes``: of its parameters."""

    by: dict[str, PrimExpr] = field(default_factory=dict)
    made: dict[str, Made] = field(default_factory=dict)
    other: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, tuple[PrimExpr, ...]] = field(default_factory=dict)
    threads: set[str] = field(default_factory=set)
    scopes: dict[str, str] = field(default_factory=dict)

    def makes(self, name: str) -> Made | None:
        """Memory of its own that is made here, from its beginning on, without a counterpart."""
        made = self.made.get(name)
        whole = made is not None and made.buffer.data is None and is_plain(made.buffer)
        return made if whole and name not in self.other else None


__all__ = ["Apart", "Made", "Shift", "Side", "extents_of"]
