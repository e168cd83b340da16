"""Poison: the deferred kind of openness, a mark on one element that carries the rule that made it.

Poison flows through loads, copies, arithmetic and the chosen arm of a ``select``. It matters only when it decides
control or an index (the run is then ``Unspecified``), or when it is observed (``Returned.poison`` lists it).

Spec: ``spec/09-outcomes.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

from refrelax.errors import InternalError


class OpaquePayload:
    """Base of payloads and truths: Python may not branch on them, order them, or use them as an index."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise InternalError(f"Python branched on an element ({type(self).__name__}): use the numerics interface")

    def __index__(self) -> NoReturn:
        raise InternalError(f"Python used an element as an index ({type(self).__name__}): use to_index")

    def __lt__(self, other: object) -> NoReturn:
        raise InternalError(f"Python compared an element ({type(self).__name__}): use less")

    __le__ = __gt__ = __ge__ = __lt__


@dataclass(frozen=True, slots=True, eq=False)
class Poison(OpaquePayload):
    """An element without meaning; ``rule`` says why. One object per rule (``poison``), so ``is`` compares."""

    rule: str

    def __str__(self) -> str:
        return f"poison({self.rule})"

    def __reduce__(self) -> tuple[object, ...]:
        return poison, (self.rule,)


@dataclass(frozen=True, slots=True, eq=False)
class NotedPoison(Poison):
    """Poison that also says what happened, by the names of the program."""

    note: str = ""

    def __str__(self) -> str:
        return f"poison({self.rule}: {self.note})" if self.note else f"poison({self.rule})"

    def __reduce__(self) -> tuple[object, ...]:
        return noted, (self.rule, self.note)


@lru_cache(maxsize=1024)
def noted(rule: str, note: str) -> NotedPoison:
    """The poison of ``rule`` with a note."""
    return NotedPoison(rule, note)


def out_of_range(rule: str, at: Sequence[int], dims: Sequence[int]) -> NotedPoison:
    """The poison of ``rule`` for a read at an index that an array of ``dims`` does not have: says which."""
    axis = next((k for k, (p, n) in enumerate(zip(at, dims, strict=True)) if not 0 <= p < n), None)
    if axis is None:
        return noted(rule, f"index {tuple(at)} beyond the memory that is viewed")
    where = f" on axis {axis}" if len(dims) > 1 else ""
    return noted(rule, f"index {at[axis]} of {dims[axis]}{where}")


_POISONS: dict[str, Poison] = {}
"""One object per rule for the whole process, as ``is`` compares. (A cache may be cleared, and there would be two.)"""


def poison(rule: str) -> Poison:
    """The poison of ``rule``."""
    found = _POISONS.get(rule)
    return found if found is not None else _POISONS.setdefault(rule, Poison(rule))


NEVER_WRITTEN = poison("st/never-written")
"""What a cell of fresh memory holds."""
