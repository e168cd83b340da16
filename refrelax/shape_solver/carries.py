"""Sums and bit operators on integers of any size, decided: a question reads the bits of its symbols, lowest first.

A sum of such numbers gives its own bits, one at a time, and keeps no more than a carry; ``&`` and ``|`` keep nothing, a
conversion to a signed dtype its sign, an equation whether a bit was other than 0. So a question is a machine of few
states. Bits that repeat without end are a sign: a state that a letter does not change says what holds of the integers
read so far with that letter as the sign of each. Where no such state refutes the question, nothing does; one that does
spells a counterexample.

Spec: ``spec/06b-solver.md``, ``sh/carries``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Literal as OneOf

from refrelax.rules import rule
from refrelax.shape_solver.core import key
from refrelax.syntax.dtypes import bits, integer_range
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Literal, Not, PrimExpr, Select, SymVar, as_int, literal_int

MAX_LETTERS = 8
"""Numbers whose bits are read at once: symbols, quotients, minima, choices, parts that are not opened."""

MAX_STREAMS = 120
"""Numbers whose bits are computed."""

MAX_FACTOR = 1 << 12
"""Factors in a sum, and divisors: a carry is as large as they are."""

MAX_COUNT = 64
"""Counts of shifts."""

MAX_BITS = 400_000
"""Bits that are looked at, of all streams in all states for all letters."""

Column = list[int]
"""A bit for each letter, or a carry."""

State = tuple[int, ...]


class TooWide(Exception):
    """More than the machine holds."""


@dataclass(frozen=True, slots=True)
class Sum:
    """A number as a sum of streams by number, each with its factor, and a constant; all that over ``2 ** places``."""

    factors: tuple[tuple[int, int], ...]
    constant: int = 0
    places: int = 0

    def times(self, c: int) -> Sum:
        return Sum(tuple((n, c * by) for n, by in self.factors) if c else (), c * self.constant, self.places).short()

    def plus(self, other: Sum) -> Sum:
        places = max(self.places, other.places)
        first, second = self.up(places), other.up(places)
        found = dict(first.factors)
        for n, by in second.factors:
            found[n] = found.get(n, 0) + by
        total = first.constant + second.constant
        return Sum(tuple(sorted((n, by) for n, by in found.items() if by)), total, places).short()

    def short(self) -> Sum:
        """With as few places as there may be."""
        bits = self.constant
        for _, by in self.factors:
            bits |= by
        down = min(self.places, (bits & -bits).bit_length() - 1) if bits else self.places
        return self if not down else self.whole(-down, self.places - down)

    def up(self, places: int) -> Sum:
        return self if places == self.places else self.whole(places - self.places, places)

    def whole(self, by: int, places: int = 0) -> Sum:
        """The sum times ``2 ** by``, over ``2 ** places``."""
        moved = (lambda c: c << by) if by >= 0 else (lambda c: c >> -by)
        return Sum(tuple((n, moved(c)) for n, c in self.factors), moved(self.constant), places)


@dataclass(frozen=True, slots=True)
class Stream:
    """How the next bit comes about. ``read``: a letter's; ``add``: of a sum; ``and`` ``xor``: of two streams; ``sign``:
    of the second while the first has ones, and what it is then for ever."""

    op: OneOf["read", "add", "and", "xor", "sign"]
    parts: tuple[int, ...] = ()
    factors: tuple[int, ...] = ()


Truth = tuple[object, ...]
"""``("and" | "or", parts…)``; ``("zero" | "other", n)``: whether the stream ``n`` is 0; ``("below" | "least", n)``:
whether it is negative."""

HOLDS: Truth = ("and",)
FAILS: Truth = ("or",)
UNSET = 2


@dataclass(slots=True)
class Machine:
    """The streams and states of one question, as they are needed."""

    streams: list[Stream] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """Of the streams that have a state: a carry, or a sign that is not known yet."""
    numbers: dict[Stream | tuple[Stream, int], int] = field(default_factory=dict)
    symbols: dict[str, int] = field(default_factory=dict)
    """The streams of the question's integer symbols."""
    known: dict[object, Sum] = field(default_factory=dict)
    truths: dict[object, Truth] = field(default_factory=dict)
    needs: list[Truth] = field(default_factory=list)
    """What holds of the letters that are no symbols."""
    letters: int = 0
    guessed: bool = False
    """Whether a letter stands for a part that is not opened: a counterexample is then only perhaps one."""

    # --- streams

    def letter(self) -> Sum:
        if self.letters == MAX_LETTERS:
            raise TooWide
        self.letters += 1
        return self.single(self.made(Stream("read", (self.letters - 1,))))

    def made(self, stream: Stream, start: int | None = None) -> int:
        name = stream if start is None else (stream, start)
        if name not in self.numbers:
            if len(self.streams) == MAX_STREAMS:
                raise TooWide
            self.numbers[name] = len(self.streams)
            self.streams.append(stream)
            self.starts.append(0 if start is None else start)
        return self.numbers[name]

    def single(self, number: int) -> Sum:
        return Sum(((number, 1),))

    def stream(self, p: Sum) -> int:
        """The bits of a sum, or of as many times it as it has places."""
        if p.constant == 0 and len(p.factors) == 1 and p.factors[0][1] == 1:
            return p.factors[0][0]
        if any(abs(by) > MAX_FACTOR for _, by in p.factors):
            raise TooWide
        return self.made(Stream("add", tuple(n for n, _ in p.factors), tuple(by for _, by in p.factors)), p.constant)

    def both(self, a: Sum, b: Sum) -> Sum:
        places = max(a.places, b.places)
        a, b = a.up(places), b.up(places)
        if not a.factors and not b.factors:
            return Sum((), a.constant & b.constant, places).short()
        for p, q in ((a, b), (b, a)):
            if not p.factors and p.constant in (0, -1 << places):
                return q.short() if p.constant else Sum(())
        x, y = sorted((self.stream(a), self.stream(b)))
        return Sum(((x if x == y else self.made(Stream("and", (x, y))), 1),), 0, places)

    def unlike(self, a: Sum, b: Sum) -> Sum:
        """``a ^ b``."""
        places = max(a.places, b.places)
        a, b = a.up(places), b.up(places)
        if not a.factors and not b.factors:
            return Sum((), a.constant ^ b.constant, places).short()
        for p, q in ((a, b), (b, a)):
            if not p.factors and p.constant in (0, -1 << places):
                return q.short().times(-1).plus(Sum((), -1)) if p.constant else q.short()
        x, y = sorted((self.stream(a), self.stream(b)))
        return Sum(()) if x == y else Sum(((self.made(Stream("xor", (x, y))), 1),), 0, places)

    # --- integers

    def term(self, e: PrimExpr) -> Sum:
        name = key(e)
        if name not in self.known:
            self.known[name] = self.opened(e)
        return self.known[name]

    def opened(self, e: PrimExpr) -> Sum:
        match e:
            case Literal():
                return Sum((), literal_int(e))
            case SymVar(name):
                found = self.letter()
                self.symbols[name] = found.factors[0][0]
                return found
            case Binary("Add" | "Sub" as op, a, b):
                return self.term(a).plus(self.term(b).times(1 if op == "Add" else -1))
            case Binary("Mul", a, b):
                x, y = self.term(a), self.term(b)
                for p, q in ((x, y), (y, x)):
                    if not p.factors:
                        return q.times(p.constant)
                return self.guess()
            case Binary("FloorDiv" | "FloorMod" | "Div" | "Mod" as op, a, b) if c := as_int(b):
                return self.divided(op, self.term(a), c)
            case Binary("Min" | "Max" as op, a, b):
                return self.least(self.term(a), self.term(b), 1 if op == "Min" else -1)
            case Select(c, a, b) | Intrinsic("if_then_else", (c, a, b)):
                return self.chosen(self.truth(c), self.term(a), self.term(b))
            case Intrinsic("abs", (a,)):
                p = self.term(a)
                return self.least(p, p.times(-1), -1)
            case Intrinsic("bitwise_not", (a,)):
                return self.term(a).times(-1).plus(Sum((), -1))
            case Intrinsic("bitwise_and", (a, b)):
                return self.both(self.term(a), self.term(b))
            case Intrinsic("bitwise_or", (a, b)):
                p, q = self.term(a), self.term(b)
                return p.plus(q).plus(self.both(p, q).times(-1))
            case Intrinsic("bitwise_xor", (a, b)):
                return self.unlike(self.term(a), self.term(b))
            case Intrinsic("shift_left" | "shift_right" as op, (a, b)) if 0 <= _number(b) <= MAX_COUNT:
                power = 1 << _number(b)
                return (
                    self.term(a).times(power) if op == "shift_left" else self.divided("FloorDiv", self.term(a), power)
                )
            case Cast(dtype, a) if a.dtype != "bool":
                return self.converted(dtype, self.term(a))
            case Cast(_, a):
                return self.chosen(self.truth(a), Sum((), 1), Sum(()))
            case _:
                return self.guess()

    def guess(self) -> Sum:
        """Any number, for a part that is not opened."""
        self.guessed = True
        return self.letter()

    def converted(self, dtype: str, p: Sum) -> Sum:
        low, high = integer_range(dtype)
        if not p.factors:
            return Sum((), (p.constant - low) % (high - low + 1) + low)
        if low == 0:
            return self.both(p, Sum((), high))
        below = self.stream(Sum((), (1 << (bits(dtype) - 1 + p.places)) - 1))
        return Sum(((self.made(Stream("sign", (below, self.stream(p))), UNSET), 1),), 0, p.places)

    def divided(self, op: str, p: Sum, c: int) -> Sum:
        if c > 0 and c & (c - 1) == 0 and op == "FloorMod":
            return self.both(p, Sum((), c - 1))
        if c in (1, -1):
            return p.times(c) if op in ("FloorDiv", "Div") else Sum(())
        if op == "FloorDiv" and c > 0 and c & (c - 1) == 0:
            found = self.both(p, Sum((), -c))
            return Sum(found.factors, found.constant, found.places + c.bit_length() - 1).short()
        if abs(c) > MAX_FACTOR:
            raise TooWide
        name = ("quotient", op in ("Div", "Mod"), p, c)
        if name not in self.known:
            q = self.known[name] = self.letter()
            rest = p.plus(q.times(-c))
            up = self.within(rest, 0, abs(c) - 1)
            down = self.within(rest, 1 - abs(c), 0)
            if op in ("Div", "Mod"):
                self.needs.append(any_of(all_of(self.sign(p, False), up), all_of(self.sign(p, True), down)))
            else:
                self.needs.append(up if c > 0 else down)
        q = self.known[name]
        return q if op in ("FloorDiv", "Div") else p.plus(q.times(-c))

    def least(self, p: Sum, q: Sum, sign: int) -> Sum:
        """The minimum, or the maximum where ``sign`` is -1."""
        gap = q.plus(p.times(-1)).times(sign)
        if not gap.factors:
            return p if gap.constant >= 0 else q
        return self.chosen(self.sign(gap, False), p, q)

    def chosen(self, c: Truth, p: Sum, q: Sum) -> Sum:
        if p == q or c == HOLDS:
            return p
        if c == FAILS:
            return q
        name = ("chosen", c, p, q)
        if name not in self.known:
            v = self.known[name] = self.letter()
            first, second = (self.zero(v.plus(each.times(-1))) for each in (p, q))
            self.needs.append(any_of(all_of(c, first), all_of(negated(c), second)))
        return self.known[name]

    # --- truths

    def zero(self, p: Sum) -> Truth:
        common = gcd(*(by for _, by in p.factors))
        if not p.factors or p.constant % common:
            return HOLDS if not p.factors and p.constant == 0 else FAILS
        sign = -1 if p.factors[0][1] < 0 else 1
        short = Sum(tuple((n, sign * by // common) for n, by in p.factors), sign * p.constant // common)
        return ("zero", self.stream(short))

    def sign(self, p: Sum, negative: bool) -> Truth:
        """Whether ``p`` is negative, or is not."""
        if not p.factors:
            return HOLDS if (p.constant < 0) == negative else FAILS
        common = gcd(*(by for _, by in p.factors))
        short = Sum(tuple((n, by // common) for n, by in p.factors), p.constant // common)
        return ("below" if negative else "least", self.stream(short))

    def within(self, p: Sum, low: int, high: int) -> Truth:
        return all_of(self.sign(p.plus(Sum((), -low)), False), self.sign(p.times(-1).plus(Sum((), high)), False))

    def truth(self, e: PrimExpr) -> Truth:
        name = key(e)
        if name not in self.truths:
            self.truths[name] = self.read(e)
        return self.truths[name]

    def read(self, e: PrimExpr) -> Truth:
        match e:
            case Literal():
                return HOLDS if e.bits else FAILS
            case SymVar(name):
                p = self.letter()
                self.symbols[name] = p.factors[0][0]
                one = self.zero(p.plus(Sum((), -1)))
                self.needs.append(any_of(one, self.zero(p)))
                return one
            case Not(a):
                return negated(self.truth(a))
            case Binary("And", a, b):
                return all_of(self.truth(a), self.truth(b))
            case Binary("Or", a, b):
                return any_of(self.truth(a), self.truth(b))
            case Select(c, a, b) | Intrinsic("if_then_else", (c, a, b)):
                x = self.truth(c)
                return any_of(all_of(x, self.truth(a)), all_of(negated(x), self.truth(b)))
            case Binary("EQ" | "NE" as op, a, b) if a.dtype == "bool":
                x, y = self.truth(a), self.truth(b)
                same = any_of(all_of(x, y), all_of(negated(x), negated(y)))
                return same if op == "EQ" else negated(same)
            case Binary(op, a, b):
                gap = self.term(a).plus(self.term(b).times(-1))
                match op:
                    case "EQ":
                        return self.zero(gap)
                    case "NE":
                        return negated(self.zero(gap))
                    case "LT" | "GE":
                        return self.sign(gap, op == "LT")
                    case "GT" | "LE":
                        return self.sign(gap.times(-1), op == "GT")
        raise TooWide


def _number(e: PrimExpr) -> int:
    found = as_int(e)
    return -1 if found is None else found


# --- truths over streams


def all_of(*parts: Truth) -> Truth:
    return _joined("and", parts, FAILS)


def any_of(*parts: Truth) -> Truth:
    return _joined("or", parts, HOLDS)


def _joined(op: str, parts: Iterable[Truth], end: Truth) -> Truth:
    found: dict[Truth, None] = {}
    for part in parts:
        if part == end:
            return end
        found.update(dict.fromkeys(part[1:] if part[0] == op else (part,)))  # type: ignore[arg-type]
    return next(iter(found)) if len(found) == 1 else (op, *found)


OPPOSITE = {"and": "or", "or": "and", "zero": "other", "other": "zero", "below": "least", "least": "below"}


def negated(truth: Truth) -> Truth:
    match truth:
        case ("and" | "or" as op, *parts):
            return _joined(OPPOSITE[op], map(negated, parts), FAILS if op == "or" else HOLDS)  # type: ignore[arg-type]
        case (str() as op, number):
            return (OPPOSITE[op], number)
    raise AssertionError(truth)


def _mentioned(truth: Truth, ops: tuple[str, ...]) -> set[int]:
    match truth:
        case ("and" | "or", *parts):
            return {number for part in parts for number in _mentioned(part, ops)}  # type: ignore[arg-type]
        case (op, int() as number):
            return {number} if op in ops else set()
    raise AssertionError(truth)


# --- running


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
    spent: int = 0
    """Bits that were looked at."""

    @staticmethod
    def of(machine: Machine, goal: Truth) -> Run:
        run = Run(machine, goal)
        equations, signs = _mentioned(goal, ("zero", "other")), _mentioned(goal, ("below", "least"))
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
        pending, cost = [first], max(1, len(self.moving)) << self.machine.letters
        for state in pending:
            self.spent += cost
            if self.spent > limit:
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
    perhaps do; ``"open"``. ``spent``: bits that were looked at."""

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
        return Found(found, run.spent)
    values = {}
    for name, number in machine.symbols.items():
        (place,) = machine.streams[number].parts
        values[name] = sum((letter >> place & 1) << n for n, letter in enumerate(found))
        values[name] -= (found[-1] >> place & 1) << len(found)
    return Found(values, run.spent)
