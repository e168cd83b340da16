"""What branches leave in memory: the journal of forks against whole copies of the state."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.judge.planned import Memory, Place
from refrelax.shape_solver.pointwise import Logic, TensorTerm
from tests.draws import draws

STEP: st.SearchStrategy[Any] = st.recursive(
    st.tuples(st.sampled_from(["write", "new", "room", "kill"]), st.integers(0, 7)),
    lambda inner: st.tuples(
        st.just("if"), st.tuples(st.lists(inner, max_size=4), st.lists(inner, max_size=4), st.booleans())
    ),
    max_leaves=14,
)
"""Writes, allocations, ends of names, and branches, of which the second may be left before its end."""


class Copied:
    """The same by copies: contents and first writes of places, writes of rooms, dead names."""

    def __init__(self) -> None:
        self.content: list[Any] = []
        self.first: list[int | None] = []
        self.room: list[int | None] = []
        self.writes: list[list[tuple[int, int]]] = []
        self.dead: set[str] = set()
        self.count = 0

    def run(self, steps: list[Any], tell: Any) -> None:
        for k, (what, data) in enumerate(steps):
            match what:
                case "room":
                    self.writes.append([])
                case "new":
                    self.content.append("open")
                    self.first.append(None)
                    self.room.append(data % len(self.writes) if self.writes and data % 2 else None)
                case "kill":
                    self.dead.add(str(data))
                case "write" if self.content:
                    place = data % len(self.content)
                    self.count += 1
                    self.content[place] = tell(self.count)
                    self.first[place] = self.count if self.first[place] is None else self.first[place]
                    if (room := self.room[place]) is not None:
                        self.writes[room].append((self.count, place))
                case "if":
                    yes, no, _ = data
                    before = list(self.content), list(self.first), list(map(list, self.writes)), set(self.dead)
                    self.run(yes, tell)
                    then = list(self.content), list(self.first), list(map(list, self.writes)), set(self.dead)
                    n, rooms = len(before[0]), len(before[2])
                    self.content[:n], self.first[:n] = before[0], before[1]
                    self.writes[:rooms] = map(list, before[2])
                    self.dead = set(before[3])
                    self.run(no, tell)
                    for place in range(n):
                        if then[0][place] is not self.content[place]:
                            self.content[place] = (then[0][place], self.content[place])
                        firsts = [each for each in (then[1][place], self.first[place]) if each is not None]
                        self.first[place] = min(firsts, default=None)
                    for room, writes in enumerate(then[2]):
                        self.writes[room] = sorted({*self.writes[room], *writes})
                    self.dead |= then[3]
                case _:
                    pass


def journal(memory: Memory, steps: list[Any], tell: Any) -> None:
    for what, data in steps:
        match what:
            case "room":
                memory.storage(None)  # type: ignore[arg-type]
            case "new":
                room = memory.rooms[data % len(memory.rooms)] if memory.rooms and data % 2 else None
                place = Place("open", room, number=len(memory.places))  # type: ignore[arg-type]
                memory.places.append(place)
            case "kill":
                memory.dead.add(str(data))
            case "write" if memory.places:
                memory.write(memory.places[data % len(memory.places)], tell(memory.count + 1))
            case "if":
                yes, no, left = data
                fork = memory.fork()
                journal(memory, yes, tell)
                then = memory.turn(fork)
                journal(memory, no, tell)
                if left:
                    memory.fork()  # which nobody joins
                memory.join(fork, then, lambda a, b: (a, b))  # type: ignore[arg-type,return-value]
            case _:
                pass


@pytest.mark.thorough
@settings(max_examples=draws(300), deadline=None)
@given(st.lists(STEP, max_size=8))
def test_a_journal_is_as_good_as_copies(steps: list[Any]) -> None:
    known: dict[int, TensorTerm] = {}

    def tell(count: int) -> Any:
        return known.setdefault(count, f"write {count}")  # type: ignore[arg-type]

    wanted, memory = Copied(), Memory(Logic.__new__(Logic))
    wanted.run(steps, tell)
    journal(memory, steps, tell)
    assert [each.content for each in memory.places] == wanted.content
    assert [each.first for each in memory.places] == wanted.first
    found = [[(k, memory.places.index(place)) for k, place in each.writes] for each in memory.rooms]
    assert found == wanted.writes
    assert memory.dead == wanted.dead
    assert not memory.forks
