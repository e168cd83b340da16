"""Sets of integers and of truths, as payloads of ``enclosure``.

An integer payload is a Python int (the one permitted value), ``Poison``, or ``Ints``; a truth is ``TRUE``, ``FALSE``,
``Poison``, or a ``TruthSet``.
"""

from __future__ import annotations

from collections.abc import Iterable

from refrelax.semantics.numbers.interface import Payload, Truth
from refrelax.semantics.numbers.poison import OpaquePayload, Poison, poison
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.semantics.numbers.truth import Truth as Fact

SMALL = 32
"""How many integers a set lists before it becomes a range."""


class Ints(OpaquePayload):
    """The integers of ``values``, or all of ``[lo, hi]`` if that is ``None``; poison too unless ``rule`` is
    ``None``.
    """

    __slots__ = ("hi", "lo", "rule", "values")

    def __init__(self, lo: int, hi: int, values: frozenset[int] | None = None, rule: str | None = None) -> None:
        self.lo = lo
        self.hi = hi
        self.values = values
        self.rule = rule

    @property
    def count(self) -> int:
        return len(self.values) if self.values is not None else max(0, self.hi - self.lo + 1)

    def has(self, value: int) -> bool:
        return value in self.values if self.values is not None else self.lo <= value <= self.hi

    def listed(self) -> Iterable[int]:
        """The members, for sets that are small."""
        return sorted(self.values) if self.values is not None else range(self.lo, self.hi + 1)

    def __repr__(self) -> str:
        inside = f"{{{', '.join(map(str, self.listed()))}}}" if self.count <= SMALL else f"[{self.lo}, {self.hi}]"
        return inside + (f"|{self.rule}" if self.rule else "")


def some(values: Iterable[int], rule: str | None = None) -> Payload:
    """A payload that holds exactly ``values`` (a hull when they are many)."""
    found = frozenset(values)
    if not found:
        if rule is None:
            raise ValueError("a payload holds at least one value")
        return poison(rule)
    if len(found) == 1 and rule is None:
        return next(iter(found))
    lo, hi = min(found), max(found)
    return Ints(lo, hi, found if len(found) <= SMALL else None, rule)


def between(lo: int, hi: int, rule: str | None = None) -> Payload:
    """A payload that holds the integers of a range."""
    if lo == hi and rule is None:
        return lo
    if hi - lo < SMALL:
        return some(range(lo, hi + 1), rule)
    return Ints(lo, hi, None, rule)


def as_ints(a: Payload) -> Ints:
    """Any integer payload as a set; definite poison is the empty set with its rule."""
    if isinstance(a, Ints):
        return a
    if isinstance(a, Poison):
        return Ints(1, 0, frozenset(), a.rule)
    if isinstance(a, int):
        return Ints(a, a, frozenset((a,)))
    raise TypeError(f"{type(a).__name__} is no integer payload")


def united(payloads: Iterable[Payload]) -> Payload:
    """The least payload that holds every member of each."""
    sets = [as_ints(each) for each in payloads]
    rule = next((each.rule for each in sets if each.rule), None)
    if all(each.values is not None for each in sets):
        return some((v for each in sets for v in each.values or ()), rule)
    full = [each for each in sets if each.count]
    return between(min(each.lo for each in full), max(each.hi for each in full), rule)


class TruthSet(OpaquePayload):
    """Some of true, false and poison: at least two of them."""

    __slots__ = ("false", "rule", "true")

    def __init__(self, true: bool, false: bool, rule: str | None = None) -> None:
        self.true = true
        self.false = false
        self.rule = rule

    def __repr__(self) -> str:
        return "{" + ", ".join([*["T"][: self.true], *["F"][: self.false], *([self.rule] if self.rule else [])]) + "}"


def truths(true: bool, false: bool, rule: str | None = None) -> Truth:
    """The payload of a set of truths; not all may be absent."""
    if rule is None:
        if true != false:
            return TRUE if true else FALSE
        if not true:
            raise ValueError("a payload holds at least one truth")
    elif not true and not false:
        return poison(rule)
    return TruthSet(true, false, rule)


def as_truths(a: Truth) -> TruthSet:
    """Any truth as a set."""
    if isinstance(a, TruthSet):
        return a
    if isinstance(a, Poison):
        return TruthSet(False, False, a.rule)
    if isinstance(a, Fact):
        return TruthSet(a is TRUE, a is FALSE)
    raise TypeError(f"{type(a).__name__} is no truth")


def any_truth(payloads: Iterable[Truth]) -> Truth:
    """The least set of truths that holds each of ``payloads``."""
    sets = [as_truths(each) for each in payloads]
    rule = next((each.rule for each in sets if each.rule), None)
    return truths(any(s.true for s in sets), any(s.false for s in sets), rule)
