"""Sums and bit operators on integers of any size, decided: a question reads the bits of its symbols, lowest first.

What a question keeps of the bits that it has read (``streams.py``), and whether in an equation a bit was other than 0,
is a state, of which there are few. Bits that repeat without end are a sign: a state that a letter does not change says
what holds of the integers read so far with that letter as the sign of each. Where no such state refutes the question,
nothing does; one that does spells a counterexample.

Spec: ``spec/06b-solver.md``, ``sh/carries``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf

from refrelax.rules import rule
from refrelax.shape_solver.streams import (
    FAILS,
    HOLDS,
    UNSET,
    Column,
    Machine,
    State,
    Stream,
    TooWide,
    Truth,
    all_of,
    mentioned,
)
from refrelax.syntax.scalars import PrimExpr

STREAM, LETTER = 12, 2
"""Bits that it takes as long as to begin with one stream in one state, and to look at what comes after one letter."""

MAX_BITS = 400_000
"""Bits that are looked at, of all streams in all states for all letters."""


@dataclass(slots=True)
class Run:
    """A machine that reads letters. A state is that of the streams that have one, and for each equation whether a bit
    was other than 0."""

    machine: Machine
    goal: Truth
    columns: list[Column | None] = field(default_factory=list)
    """The bits of streams that are the same in every state."""
    weights: dict[int, Column] = field(default_factory=dict)
    slots: dict[int, int] = field(default_factory=dict)
    flags: dict[int, int] = field(default_factory=dict)
    """Of equations, by stream."""
    alone: frozenset[int] = frozenset()
    """Sums of which nothing but the equation is asked: after a bit that is other than 0 they keep nothing."""
    moving: list[int] = field(default_factory=list)
    open: dict[State, bool] = field(default_factory=dict)
    cost: int = 0
    """Bits that were looked at, and as many as what else was done takes."""

    @staticmethod
    def of(machine: Machine, goal: Truth) -> Run:
        run = Run(machine, goal)
        equations, signs = mentioned(goal, ("zero", "other")), mentioned(goal, ("below", "least"))
        live, pending = set[int](), [*equations, *signs]
        used = set(signs)
        while pending:
            number = pending.pop()
            if number not in live:
                live.add(number)
                stream = machine.streams[number]
                inner = () if stream.op == "read" else stream.parts
                pending += inner
                used |= set(inner)
        run.alone = frozenset(equations - used)
        count = 1 << machine.letters
        for number, stream in enumerate(machine.streams):
            run.columns.append(run.steady(stream, count) if number in live else None)
            if number in live and run.columns[number] is None:
                run.moving.append(number)
                if stream.op in ("add", "sign"):
                    run.slots[number] = len(run.slots)
                if stream.op == "add" and all(run.columns[part] is not None for part in stream.parts):
                    run.weights[number] = run.added(stream, run.columns, count)
        run.flags = {number: len(run.slots) + place for place, number in enumerate(sorted(equations))}
        return run

    def steady(self, stream: Stream, count: int) -> Column | None:
        """The bits of a stream that has no state."""
        match stream.op:
            case "read":
                (place,) = stream.parts
                return [letter >> place & 1 for letter in range(count)]
            case "and" | "xor":
                first, second = (self.columns[part] for part in stream.parts)
                return None if first is None or second is None else _paired(stream.op, first, second)
            case _:
                return None

    def added(self, stream: Stream, columns: Sequence[Column | None], count: int) -> Column:
        total = [0] * count
        for part, factor in zip(stream.parts, stream.factors):
            column = columns[part]
            assert column is not None
            total = [x + factor * y for x, y in zip(total, column)]
        return total

    def start(self) -> State:
        return (*(self.machine.starts[number] for number in self.slots), *(0 for _ in self.flags))

    def next(self, state: State) -> tuple[list[Column | None], list[State]]:
        """The bits of all streams, and the state after, for each letter."""
        columns, count = list(self.columns), 1 << self.machine.letters
        after: list[Column] = []
        for number in self.moving:
            stream = self.machine.streams[number]
            if stream.op == "add":
                weights = self.weights.get(number)
                carry = state[self.slots[number]]
                sums = [carry + x for x in (self.added(stream, columns, count) if weights is None else weights)]
                columns[number] = [x & 1 for x in sums]
                after.append([x >> 1 for x in sums])
                continue
            first, second = (columns[part] for part in stream.parts)
            assert first is not None and second is not None
            if stream.op == "sign":
                held = state[self.slots[number]]
                columns[number] = second if held == UNSET else [held] * count
                after.append([UNSET] * count if first[0] else list(columns[number] or ()))
            else:
                columns[number] = _paired(stream.op, first, second)
        for number, place in self.flags.items():
            column = columns[number]
            assert column is not None
            seen = [1] * count if state[place] else column
            after.append(seen)
            if number in self.alone and number in self.slots:
                slot = self.slots[number]
                after[slot] = [0 if other else x for other, x in zip(seen, after[slot])]
        return columns, list(zip(*after)) if after else [()] * count

    def possible(self, state: State) -> bool:
        """Whether the equations that do not hold any more leave the goal open."""
        flags = state[len(self.slots) :]
        if flags not in self.open:
            self.open[flags] = self.holds(self.goal, state, None, 0)
        return self.open[flags]

    def holds(self, truth: Truth, state: State, columns: Sequence[Column | None] | None, letter: int) -> bool:
        """Whether ``truth`` holds with ``letter`` as the signs; without ``columns``: whether it may still hold."""
        match truth:
            case ("and", *parts):
                return all(self.holds(part, state, columns, letter) for part in parts)  # type: ignore[arg-type]
            case ("or", *parts):
                return any(self.holds(part, state, columns, letter) for part in parts)  # type: ignore[arg-type]
            case (("zero" | "other") as op, int() as number):
                other = bool(state[self.flags[number]])
                return other == (op == "other") or (op == "other" and columns is None)
            case (op, int() as number):
                column = columns[number] if columns is not None else None
                return column is None or bool(column[letter]) == (op == "below")
        raise AssertionError(truth)

    def search(self, limit: int) -> list[int] | OneOf["none", "open"]:
        """The letters of a counterexample, the last of which is the sign; ``"none"`` if there is none; ``"open"`` after
        ``limit`` bits."""
        first = self.start()
        came: dict[State, tuple[State, int] | None] = {first: None}
        count, moving = 1 << self.machine.letters, max(1, len(self.moving))
        pending, cost = [first], moving * (STREAM + count) + LETTER * count
        for number, state in enumerate(pending, 1):
            self.cost += cost
            if number * moving * count > limit:
                return "open"
            columns, after = self.next(state)
            for letter, other in enumerate(after):
                if other == state and self.holds(self.goal, state, columns, letter):
                    return [*_path(came, state), letter]
                if other not in came and self.possible(other):
                    came[other] = state, letter
                    pending.append(other)
        return "none"


def _paired(op: str, first: Column, second: Column) -> Column:
    return [x & y for x, y in zip(first, second)] if op == "and" else [x ^ y for x, y in zip(first, second)]


def _path(came: dict[State, tuple[State, int] | None], state: State) -> list[int]:
    letters = []
    while (step := came[state]) is not None:
        state, letter = step
        letters.append(letter)
    return letters[::-1]


@dataclass(frozen=True, slots=True)
class Found:
    """``outcome``: ``"none"`` where no integers make all parts hold; integers that do, or, if parts are not opened,
    perhaps do; ``"open"``. ``spent``: bits that were looked at, and as long as what else was done took."""

    outcome: dict[str, int] | OneOf["none", "open"]
    spent: int = 0


@rule("sh/carries")
def decided(parts: Iterable[PrimExpr], limit: int = MAX_BITS) -> Found:
    """Whether integers make all ``parts`` hold, truths of the core. What is undefined has some value."""
    machine = Machine()
    try:
        goal = all_of(*map(machine.truth, parts))
        goal = all_of(goal, *machine.needs)
    except TooWide:
        return Found("open")
    if goal in (HOLDS, FAILS):
        return Found("none" if goal == FAILS else dict.fromkeys(machine.symbols, 0))
    run = Run.of(machine, goal)
    found = run.search(limit)
    if isinstance(found, str):
        return Found(found, run.cost)
    values = {}
    for name, number in machine.symbols.items():
        (place,) = machine.streams[number].parts
        values[name] = sum((letter >> place & 1) << n for n, letter in enumerate(found))
        values[name] -= (found[-1] >> place & 1) << len(found)
    return Found(values, run.cost)
