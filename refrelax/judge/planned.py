"""Planned memory under a proof: storages, the tensors in them, and what is known of their bytes.

A tensor that was allocated is a *place*: a name for bytes whose contents change where a loop program is called for what
it stores. A place may be read as long as nothing was written since to bytes that it shares with another tensor of its
storage: that no bytes are shared is a claim for all shapes, and where it is not proved the two tensors are named.

Spec: ``spec/06c-pointwise.md``, ``va/planned-memory``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from refrelax.rules import rule
from refrelax.shape_solver.pointwise import Logic, NotRead, TensorTerm, Term
from refrelax.shape_solver.pointwise.logic import compare
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Binary, PrimExpr, as_int, int_imm
from refrelax.syntax.write.scalars import expression

APART = "tensors of one storage share no byte"
WITHIN = "a tensor lies in its storage"


@dataclass(eq=False, slots=True)
class Room:
    """A storage of ``size`` bytes. ``writes``: the places that were written, each with the number of the write;
    ``kept``: it stays for the next call."""

    size: PrimExpr
    name: str = ""
    kept: bool = False
    number: int = 0
    writes: list[tuple[int, Place]] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Place:
    """Memory of one tensor: in a storage from byte ``begin`` up to ``end``, or of its own. ``first``: the number of the
    write that wrote it first."""

    content: TensorTerm
    room: Room | None = None
    begin: PrimExpr = field(default_factory=lambda: int_imm(0))
    end: PrimExpr = field(default_factory=lambda: int_imm(0))
    name: str = ""
    first: int | None = None
    number: int = 0


@dataclass(eq=False, slots=True)
class View:
    """The elements of a place in row-major order, at another shape."""

    of: Place
    shape: tuple[PrimExpr, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """What an ``if`` gives: one of two values, whose elements are looked up when they are read."""

    condition: Term
    yes: object
    no: object


@dataclass(eq=False, slots=True)
class Fork:
    """Where two branches begin. Of the places and storages that there are, by ``number`` of each, what was there before
    they were first written: contents, first writes, and how many writes. ``dead``: the names that were."""

    number: tuple[int, int]
    dead: frozenset[str]
    places: dict[Place, tuple[TensorTerm, int | None]] = field(default_factory=dict)
    rooms: dict[Room, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Branch:
    """What one branch left: contents and first writes of places, writes of storages, dead names."""

    places: dict[Place, tuple[TensorTerm, int | None]]
    rooms: dict[Room, list[tuple[int, Place]]]
    dead: frozenset[str]


def nbytes(shape: tuple[PrimExpr, ...], dtype: str) -> PrimExpr:
    """The bytes of a tensor."""
    size: PrimExpr = int_imm(dtypes.itemsize(dtype))
    for d in shape:
        size = Binary("Mul", d, size)
    return size


@dataclass(slots=True)
class Memory:
    """The places of one program, in the order of their allocation. ``dead``: names whose life was ended; ``count``:
    how many writes there were."""

    logic: Logic
    dead: set[str] = field(default_factory=set)
    places: list[Place] = field(default_factory=list)
    rooms: list[Room] = field(default_factory=list)
    count: int = 0
    forks: list[Fork] = field(default_factory=list)
    """Of the branches that are read now, outermost first."""
    _apart: dict[tuple[int, int], bool] = field(default_factory=dict)

    def storage(self, size: PrimExpr) -> Room:
        self.rooms.append(Room(size, number=len(self.rooms)))
        return self.rooms[-1]

    def allocated(self, content: TensorTerm, room: Room | None = None, begin: PrimExpr | None = None) -> Place:
        """A tensor of its own, or over bytes of a storage; nothing is written."""
        begin = int_imm(0) if begin is None else begin
        place = Place(content, room, begin, Binary("Add", begin, nbytes(content.shape, content.dtype)))
        place.number = len(self.places)
        self.places.append(place)
        return place

    def alive(self, name: str) -> None:
        if name in self.dead:
            raise NotRead(f"{name} is used after it was killed")

    @rule("va/planned-memory")
    def read(self, place: Place) -> TensorTerm:
        """What is there, unless it may have been overwritten through another tensor."""
        if place.room is not None and place.first is not None:
            for other in dict.fromkeys(each for number, each in place.room.writes if number > place.first):
                if other is not place and not self.apart(place, other):
                    raise NotRead(
                        f"{place.name} is read after {other.name} was written, and their bytes may meet in "
                        f"{place.room.name}: {_bytes(place)} and {_bytes(other)}"
                    )
        return place.content

    def write(self, place: Place, content: TensorTerm) -> None:
        """New contents."""
        self.count += 1
        self._note(place)
        place.content = content
        place.first = self.count if place.first is None else place.first
        if place.room is not None:
            place.room.writes.append((self.count, place))

    @rule("va/planned-memory")
    def given(self, callee: str, places: list[Place]) -> None:
        """No call is given two tensors that share bytes."""
        for k, a in enumerate(places):
            for b in places[:k]:
                if a is not b and a.room is not None and a.room is b.room and not self.apart(a, b):
                    raise NotRead(
                        f"{callee} is given {b.name} and {a.name}, whose bytes may meet in {a.room.name}: "
                        f"{_bytes(b)} and {_bytes(a)}"
                    )

    def apart(self, a: Place, b: Place) -> bool:
        """Whether two tensors of one storage are seen to share no byte, for all shapes."""
        key = (min(id(a), id(b)), max(id(a), id(b)))
        if key not in self._apart:
            before, behind = compare("LE", a.end, b.begin), compare("LE", b.end, a.begin)
            self._apart[key] = self.logic.holds(before, (), APART) or self.logic.holds(behind, (), APART)
            if not self._apart[key]:
                self.logic.look_for(Binary("Or", before, behind), ())
        return self._apart[key]

    # --- branches

    def _note(self, place: Place) -> None:
        """A place is about to change: what is there belongs to where the branches begin."""
        if self.forks:
            fork = self.forks[-1]
            if place.number < fork.number[0]:
                fork.places.setdefault(place, (place.content, place.first))
            if place.room is not None and place.room.number < fork.number[1]:
                fork.rooms.setdefault(place.room, len(place.room.writes))

    def fork(self) -> Fork:
        """Two branches begin here."""
        self.forks.append(Fork((len(self.places), len(self.rooms)), frozenset(self.dead)))
        return self.forks[-1]

    def turn(self, fork: Fork) -> Branch:
        """What the first branch left; back to where both begin."""
        self._innermost(fork)
        places = {each: (each.content, each.first) for each in fork.places}
        left = Branch(places, {each: each.writes[n:] for each, n in fork.rooms.items()}, frozenset(self.dead))
        for place, (content, first) in fork.places.items():
            place.content, place.first = content, first
        for room, n in fork.rooms.items():
            del room.writes[n:]
        fork.places, fork.rooms, self.dead = {}, {}, set(fork.dead)
        return left

    def join(self, fork: Fork, then: Branch, chosen: Callable[[TensorTerm, TensorTerm], TensorTerm]) -> None:
        """After the other branch: the one or the other. What either wrote counts as written."""
        self._innermost(fork)
        for place in then.places:
            fork.places.setdefault(place, (place.content, place.first))
        for room in then.rooms:
            fork.rooms.setdefault(room, len(room.writes))
        for place in sorted(fork.places, key=lambda each: each.number):
            content, first = then.places.get(place, fork.places[place])
            place.content = content if content is place.content else chosen(content, place.content)
            firsts = [each for each in (first, place.first) if each is not None]
            place.first = min(firsts, default=None)
        for room, n in fork.rooms.items():
            room.writes[n:n] = then.rooms.get(room, ())  # (the numbers of the other branch are greater)
        self.dead |= then.dead
        self._close()

    def _innermost(self, fork: Fork) -> None:
        """Close what a branch that was not read to its end left open."""
        while self.forks[-1] is not fork:
            self._close()

    def _close(self) -> None:
        """What a fork has noted belongs to the one around it."""
        fork = self.forks.pop()
        if self.forks:
            outer = self.forks[-1]
            for place, known in fork.places.items():
                if place.number < outer.number[0]:
                    outer.places.setdefault(place, known)
            for room, n in fork.rooms.items():
                if room.number < outer.number[1]:
                    outer.rooms.setdefault(room, n)


def _bytes(place: Place) -> str:
    return f"[{_plain(place.begin)}, {_plain(place.end)})"


def _plain(e: PrimExpr) -> str:
    from refrelax.semantics.dims import shape_facts, simplify
    from refrelax.syntax.scalars import free_symbols

    found = simplify(e, shape_facts(free_symbols(e)))
    k = as_int(found)
    return str(k) if k is not None else re.sub(r"%\d+", "", expression(found))
