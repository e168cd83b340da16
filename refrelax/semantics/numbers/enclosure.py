"""The reading ``enclosure``: for every element the set of all permitted results.

Floats: a number or an ``Interval``; integers and truths: a value or a small set or range; each perhaps poison. The law
that the tests hold: what ``ieee`` and ``sampled`` compute is a member. Spec: ``spec/02-values.md``,
``num/enclosure-holds-all``.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any
from typing import cast as as_type

from refrelax.errors import InternalError, unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers import bounds
from refrelax.semantics.numbers.ieee import all_of, any_of, negate
from refrelax.semantics.numbers.interface import Arithmetic, Numerics, Payload, Truth
from refrelax.semantics.numbers.interval_functions import Inflation
from refrelax.semantics.numbers.interval_integers import IntervalBools, IntervalIntegers, lift_truth
from refrelax.semantics.numbers.interval_many import ManyFloats
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval
from refrelax.semantics.numbers.intsets import Ints, TruthSet, as_ints, as_truths
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.semantics.numbers.truth import Truth as Fact
from refrelax.semantics.numbers.verdicts import Containment, Inside, Outside, Undecided
from refrelax.syntax import bits, dtypes

_ALL, _ANY, _NOT = lift_truth(all_of), lift_truth(any_of), lift_truth(negate)


class Enclosure:
    """The ``Numerics`` of this reading; one object, from ``enclosure()``."""

    name = "enclosure"
    exact_bits = False
    collects = True

    def __init__(self) -> None:
        self._arithmetic: dict[str, Arithmetic] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return enclosure, ()

    def at(self, dtype: str) -> Arithmetic:
        found = self._arithmetic.get(dtype)
        if found is None:
            lane = dtypes.element(dtype) if dtypes.lanes(dtype) == 1 else dtype
            found = self._arithmetic[dtype] = self._make(lane)
        return found

    def _make(self, dtype: str) -> Arithmetic:
        if dtypes.lanes(dtype) == 1:
            match dtypes.kind(dtype):
                case "bool":
                    return as_type(Arithmetic, IntervalBools(self, dtype))
                case "float":
                    return as_type(Arithmetic, ManyFloats(self, dtype))
                case "int" | "uint":
                    return as_type(Arithmetic, IntervalIntegers(self, dtype))
        raise unspecified("num/no-operation", f"no element has dtype {dtype}")

    def truth(self, value: bool) -> Truth:
        return TRUE if value else FALSE

    def all_of(self, a: Truth, b: Truth) -> Truth:
        return _ALL(a, b)

    def any_of(self, a: Truth, b: Truth) -> Truth:
        return _ANY(a, b)

    def negate(self, a: Truth) -> Truth:
        return _NOT(a)

    @rule("num/undetermined")
    def decide(self, truth: Truth) -> bool:
        if truth is TRUE:
            return True
        if truth is FALSE:
            return False
        held = as_truths(truth)
        if held.rule is not None:
            raise unspecified(held.rule, "a branch depends on an element that may have no meaning")
        raise unspecified("num/undetermined", "both answers of a comparison are permitted, and a branch depends on it")

    @rule("num/undetermined")
    def to_index(self, a: Payload, dtype: str) -> int:
        if isinstance(a, Fact):
            return a.number
        if isinstance(a, int):
            return a
        mark = self.poison_rule(a)
        if mark is not None:
            raise unspecified(mark, "an index or a bound depends on an element that may have no meaning")
        if isinstance(a, (Ints, TruthSet)):
            raise unspecified(
                "num/undetermined", "several integers are permitted, and an index or a bound depends on them"
            )
        raise InternalError(f"{type(a).__name__} is no integer payload of {dtype}")

    def poison_rule(self, a: Payload) -> str | None:
        kind = a.__class__
        if kind is Interval:  # most are, or are numbers
            return a.rule  # type: ignore[no-any-return]
        if kind is not float and isinstance(a, (Poison, Ints, TruthSet)):
            return a.rule
        return None


@cache
def enclosure() -> Numerics:
    """The reading itself."""
    return Enclosure()


# --- membership and verdicts -----------------------------------------------------------------------------------------


def enclose(payload: Payload, dtype: str) -> Interval | Ints | TruthSet:
    """A payload of ``enclosure`` (settled) as its set: the ends of a float, the members of an integer or a truth."""
    match dtypes.kind(dtype):
        case "float":
            return as_interval(payload)
        case "bool":
            return as_truths(payload)
        case _:
            return as_ints(payload)


def observed_number(dtype: str, observed: Any) -> float | int:
    """What was observed as a number: for a float dtype an ``int`` is a bit pattern, a ``float`` the value."""
    match dtypes.kind(dtype):
        case "float":
            return bits.decode(dtype, observed) if isinstance(observed, int) else float(observed)
        case "bool":
            return int(bool(observed))
        case _:
            return bits.decode(dtype, int(observed) & ((1 << dtypes.bits(dtype)) - 1))


@rule("num/enclosure-holds-all")
def contains(payload: Payload, dtype: str, observed: Any) -> bool:
    """Whether ``observed`` is a permitted result; where the result may be poison, everything is."""
    held = enclose(payload, dtype)
    if held.rule is not None:
        return True
    value = observed_number(dtype, observed)
    match held:
        case Interval():
            return held.nan if value != value else held.lo <= value <= held.hi
        case Ints():
            return held.has(int(value))
        case TruthSet():
            return held.true if value else held.false


FEW = 3.0
"""So many integers always decide: as two units in the last place do."""


def surely_poison(payload: Payload) -> bool:
    """Whether a payload whose ``poison_rule`` is not ``None`` has no other member: sets of several may be something."""
    return not isinstance(payload, Interval | Ints | TruthSet)


@rule("num/decisive-width")
def judge(payload: Payload, dtype: str, observed: Any, scale: float | None = None) -> Containment:
    """The verdict on one element.

    ``scale``: the magnitude that widths are measured against, usually the greatest of the tensor (default: the
    element's own). An observation outside is outside however wide the enclosure is; inside a wide one it is
    ``Undecided``.
    """
    held = enclose(payload, dtype)
    if held.rule is not None:
        return Undecided(INF)
    if isinstance(held, Interval):
        return _judge_float(held, dtype, float(observed_number(dtype, observed)), scale)
    if not contains(payload, dtype, observed):
        return Outside((), INF)
    if isinstance(held, TruthSet):
        return Undecided(1.0) if held.true and held.false else Inside(1.0)
    wide = bounds.widest_decisive(dtypes.bits(dtype)) * max(abs(held.lo), abs(held.hi))
    limit = max(FEW, wide) if scale is None else max(1.0, scale / 2)
    return Undecided(float(held.count)) if held.count > limit else Inside(1.0 if held.count == 1 else 0.0)


def _judge_float(held: Interval, dtype: str, value: float, scale: float | None) -> Containment:
    inflation = Inflation(dtype)
    if value != value:
        if not held.nan:
            return Outside((), INF)
        return Inside(1.0) if held.empty else _decisive(held, inflation, scale) or Inside(0.0)
    if not held.lo <= value <= held.hi:
        if held.empty or math.isinf(value):
            return Outside((), INF)
        near = held.lo if value < held.lo else held.hi
        return Outside((), INF if math.isinf(near) else abs(value - near) / inflation.ulp(near))
    if held.lo == held.hi:
        return Inside(1.0)
    wide = _decisive(held, inflation, scale)
    if wide is not None:
        return wide
    # by the width, never by half of it: between two neighbouring subnormals of binary64 that is 0
    return Inside(2 * (min(value - held.lo, held.hi - value) / (held.hi - held.lo)))


def _decisive(held: Interval, inflation: Inflation, scale: float | None) -> Undecided | None:
    """``Undecided`` when the interval is too wide to tell anything."""
    width = held.hi - held.lo
    if width != width or math.isinf(width):
        return Undecided(INF)
    magnitude = max(abs(held.lo), abs(held.hi), scale or 0.0, inflation.normal)
    if width > bounds.widest_decisive(inflation.precision) * magnitude and width > 2 * inflation.ulp(magnitude):
        return Undecided(width / inflation.ulp(magnitude))
    return None
