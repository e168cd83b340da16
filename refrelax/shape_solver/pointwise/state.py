"""What is known while a loop program is read: its memory, the stores under way, and what its meaning rests on.

Spec: ``spec/06c-pointwise.md``, ``sh/read-program``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from refrelax.shape_solver.pointwise.elements import NotRead
from refrelax.shape_solver.pointwise.logic import Given
from refrelax.shape_solver.pointwise.terms import OPEN, TensorTerm, Term
from refrelax.syntax.scalars import PrimExpr, SymVar

ASSUMED = "what T.assume promises"
"""The purpose of a promise of the program."""


@dataclass(frozen=True, slots=True)
class Definedness:
    """What must hold for the program to have a meaning at all: a store in bounds, a divisor that is not 0; or, with
    ``term``, an element that must not be poison, since an index or a condition is computed from it. Of an assumption
    the element must be true. ``over``: the variables of the loops around it."""

    purpose: str
    statement: PrimExpr
    given: Given
    term: Term | None = None
    over: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Update:
    """A store, as seen from the element: where all ``conditions`` on it hold it becomes ``value``.

    ``once``: an iteration gives the element this value and no other before it; ``over``: the variables over which a
    reduction block reduces that makes the store; ``some``: the conditions mention the variable of a loop that was left,
    they hold for some value of it, and ``value`` is the same for all of these.
    """

    conditions: tuple[PrimExpr, ...]
    value: Term
    free: bool = False
    once: bool = True
    over: frozenset[str] = frozenset()
    some: bool = False


@dataclass(slots=True)
class Level:
    """One loop around: the updates of its iteration at hand, and the elements that were read on the understanding that
    no other iteration writes them."""

    kind: str = "serial"
    updates: list[Update] = field(default_factory=list)
    reads: list[tuple[tuple[PrimExpr, ...], Given]] = field(default_factory=list)
    scan: bool = False
    """Whether what was there before an update is what the iteration before wrote."""


@dataclass(slots=True)
class Memory:
    """One buffer while the program is read: ``content`` before the outermost loop that writes it, and since then, per
    enclosing loop that writes it, the updates of the iteration at hand."""

    shape: tuple[PrimExpr, ...]
    dtype: str
    content: TensorTerm
    at: tuple[SymVar, ...]
    local: bool = False
    """Allocated inside a loop: its content may mention the loop's variable, so loads are expanded on the spot."""
    levels: list[Level] = field(default_factory=list)
    given: bool = True
    """Whether it was there before the program: what is left in it is seen by others."""
    broken: str = ""
    """Why it is not known what it holds; then it is not read any more."""


def touched(memory: Memory) -> bool:
    """Whether something was stored in a buffer that is allocated here, or what it holds is not known."""
    if memory.given or memory.broken or memory.content.body is not OPEN:
        return True
    return any(each.updates or each.reads for each in memory.levels)


def known(memory: Memory) -> None:
    """See that it is known what a buffer holds."""
    if memory.broken:
        raise NotRead(memory.broken)
