"""One arena of a literal size: where each tensor of a function lies in it, if its symbols are promised to be bounded.

A tensor gets room for its greatest size, at an offset that is a multiple of ``ALIGNMENT``. Two that live at some time
together get disjoint bytes. Best fit: the largest first (and once more the oldest first), each in the smallest gap
between those that it meets.

Spec: ``spec/12-memory.md``, ``lo/arena-…``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from refrelax.lower.claims import Ledger, le, lt
from refrelax.lower.lives import Life
from refrelax.lower.memory_sizes import nbytes
from refrelax.rules import rule
from refrelax.semantics.dims import bounds, shape_facts
from refrelax.semantics.symbol_bounds import Ends
from refrelax.syntax.scalars import Binary, PrimExpr, free_symbols, int_imm

ALIGNMENT = 64
"""Bytes: what TVM's allocators align tensors to."""

GREATEST = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Room:
    """A tensor and the bytes that are kept for it: ``size`` (a multiple of ``ALIGNMENT``) from ``offset``."""

    life: Life
    size: int
    offset: int = 0

    @property
    def end(self) -> int:
        return self.offset + self.size

    def shares(self, other: Room) -> bool:
        """Whether both have a byte."""
        return self.offset < other.end and other.offset < self.end


@dataclass(frozen=True, slots=True)
class Arena:
    """``size`` bytes, and where each tensor lies in them."""

    rooms: tuple[Room, ...]
    size: int

    @property
    def offsets(self) -> dict[str, int]:
        return {room.life.name: room.offset for room in self.rooms}


def aligned(size: int) -> int:
    """The next multiple of ``ALIGNMENT``."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def best_fit(wanted: Sequence[tuple[Life, int]]) -> Arena:
    """Rooms for tensors of these sizes (bytes): of two orders the one that needs the smaller arena."""
    rooms = [Room(life, aligned(size)) for life, size in wanted]
    orders: tuple[Callable[[Room], tuple[int, int]], ...] = (
        lambda room: (-room.size, room.life.begin),
        lambda room: (room.life.begin, -room.size),
    )
    return min((_placed(sorted(rooms, key=order)) for order in orders), key=lambda arena: arena.size)


def _placed(rooms: Sequence[Room]) -> Arena:
    done: list[Room] = []
    for room in rooms:
        done.append(Room(room.life, room.size, _gap(room, [each for each in done if each.life.meets(room.life)])))
    done.sort(key=lambda room: room.life.begin)
    return Arena(tuple(done), max((room.end for room in done), default=0))


def _gap(room: Room, taken: list[Room]) -> int:
    """The start of the smallest gap that is large enough; behind all of them if there is none."""
    at, best, least = 0, None, 0
    for each in sorted(taken, key=lambda other: other.offset):
        width = each.offset - at
        if width >= room.size and (best is None or width < least):
            best, least = at, width
        at = max(at, each.end)
    return at if best is None else best


# --- from promises ---------------------------------------------------------------------------------------------------


def greatest(size: PrimExpr, promised: dict[str, Ends]) -> int | None:
    """The greatest value that a size is seen to have under promised bounds."""
    facts = shape_facts(free_symbols(size))
    for name, (low, high) in promised.items():
        facts = facts.with_bounds(name, max(low or 0, 0), high)
    high = bounds(size, facts)[1]
    return high if high is not None and high <= GREATEST - ALIGNMENT else None


@rule("lo/arena-fits", "lo/size-fits")
def in_arena(
    found: Sequence[Life],
    promised: dict[str, Ends],
    given: Callable[[Life, PrimExpr], tuple[PrimExpr, ...]],
    where: str,
    ledger: Ledger,
) -> Arena:
    """An arena for the tensors of bounded size. What is not seen to be bounded is left out."""
    wanted: list[tuple[Life, int]] = []
    for life in found:
        size = nbytes(life.dims, life.dtype)
        most, assume = greatest(size, promised), given(life, size)
        if most is None or not ledger.holds(
            le(int_imm(0), size), "lo/size-fits", f"{where}/{life.name}", assume, "int64"
        ):
            continue
        if ledger.holds(le(size, int_imm(most)), "lo/arena-fits", f"{where}/{life.name}", assume):
            wanted.append((life, max(most, 0)))
    arena = best_fit(wanted)
    for room in arena.rooms:
        statement = le(int_imm(room.end), int_imm(arena.size))
        ledger.holds(statement, "lo/arena-fits", f"{where}/{room.life.name} in the arena")
    _apart(arena, where, ledger)
    return arena


@rule("lo/arena-disjoint", "lo/reuse-disjoint")
def _apart(arena: Arena, where: str, ledger: Ledger) -> None:
    """Two tensors that live together have disjoint bytes; two that have a byte in common live one after the other."""
    for k, a in enumerate(arena.rooms):
        for b in arena.rooms[:k]:
            names = f"{where}/{a.life.name} and {b.life.name}"
            if a.life.meets(b.life):
                low, high = (a, b) if a.offset < b.offset else (b, a)
                end = Binary("Add", int_imm(low.offset), int_imm(low.size))
                ledger.holds(le(end, int_imm(high.offset)), "lo/arena-disjoint", names)
            elif a.shares(b):
                ledger.holds(lt(int_imm(b.life.end), int_imm(a.life.begin)), "lo/reuse-disjoint", names)
