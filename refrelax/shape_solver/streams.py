"""Questions as streams of bits: sums, bit operators and conversions of integers of any size, read lowest bit first.

A sum gives its own bits, one at a time, and keeps no more than a carry; ``&`` keeps nothing, a conversion to a signed
dtype its sign. A quotient by ``2**k`` is what it divides without its lowest bits, over ``2**k``; other quotients,
minima and choices are numbers of their own, of which it is known what they are. ``carries.py`` runs what is read.

Spec: ``spec/06b-solver.md``, ``sh/carries``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import gcd
from typing import Literal as OneOf

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
        up, down = max(by, 0), max(-by, 0)
        return Sum(tuple((n, c << up >> down) for n, c in self.factors), self.constant << up >> down, places)


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


def mentioned(truth: Truth, ops: tuple[str, ...]) -> set[int]:
    """The streams of which ``ops`` are said."""
    match truth:
        case ("and" | "or", *parts):
            return {number for part in parts for number in mentioned(part, ops)}  # type: ignore[arg-type]
        case (op, int() as number):
            return {number} if op in ops else set()
    raise AssertionError(truth)
