"""The reading ``ieee``: exact bits, the defined order, the canonical result where several are permitted.

Spec: ``spec/02-values.md``, ``num/ieee-is-canonical``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import cast as as_type

from refrelax.errors import InternalError, unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.base import Base, careful
from refrelax.semantics.numbers.floats import Floats
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.semantics.numbers.integers import Integers
from refrelax.semantics.numbers.interface import Arithmetic, Numerics, Payload, Truth
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.semantics.numbers.truth import Truth as Fact
from refrelax.syntax import dtypes


def fact(value: bool) -> Fact:
    return TRUE if value else FALSE


def connective(name: str, table: Callable[[int, int], int]) -> Callable[[Payload, Payload], Payload]:
    """A binary operation on bools; both sides count, so poison in either is poison."""

    def apply(a: Payload, b: Payload) -> Payload:
        if isinstance(a, Fact) and isinstance(b, Fact):
            return TRUE if table(a.number, b.number) else FALSE
        return careful(name, a, b)

    return apply


all_of = connective("all_of", lambda a, b: a & b)
any_of = connective("any_of", lambda a, b: a | b)
differ = connective("not_equal", lambda a, b: a ^ b)


def negate(a: Truth) -> Truth:
    if a is TRUE:
        return FALSE
    if a is FALSE:
        return TRUE
    return careful("negate", a)


class Bools(Base):
    """Arithmetic of dtype ``bool``: ``add`` and ``maximum`` are *or*, ``mul`` and ``minimum`` are *and*."""

    zero, one, ones = FALSE, TRUE, TRUE

    def __init__(self, numerics: Numerics, dtype: str) -> None:
        super().__init__(numerics, dtype)
        self.add = self.maximum = any_of
        self.mul = self.minimum = all_of
        self.sub = self.not_equal = differ
        self.equal = connective("equal", lambda a, b: 1 - (a ^ b))
        self.less = connective("less", lambda a, b: b & ~a)
        self.less_equal = connective("less_equal", lambda a, b: b | (1 - a))
        self.neg = lambda a: a  # 0 - 1 is not 0

    def bit_and(self, a: Payload, b: Payload) -> Payload:
        return all_of(a, b)

    def bit_or(self, a: Payload, b: Payload) -> Payload:
        return any_of(a, b)

    def bit_xor(self, a: Payload, b: Payload) -> Payload:
        return differ(a, b)

    def bit_not(self, a: Payload) -> Payload:
        return negate(a)

    def lit(self, value: int | float | Fraction) -> Payload:
        return fact(value != 0)

    def from_bits(self, pattern: int) -> Payload:
        return fact(bool(pattern & 1))

    @rule("st/byte-of-bool")
    def of_memory(self, pattern: int) -> Payload:
        return fact(pattern == 1) if pattern <= 1 else poison("st/byte-of-bool")

    def to_bits(self, a: Payload) -> int:
        return a.number if isinstance(a, Fact) else super().to_bits(a)

    def key(self, a: Payload) -> int:
        return int(a.number)

    @rule("num/int-division-by-zero")
    def div(self, a: Payload, b: Payload) -> Payload:
        self.no("div")

    def mod(self, a: Payload, b: Payload) -> Payload:
        self.no("mod")

    def floordiv(self, a: Payload, b: Payload) -> Payload:
        self.no("floordiv")

    def floormod(self, a: Payload, b: Payload) -> Payload:
        self.no("floormod")

    def math(self, name: str) -> Callable[[Payload], Payload]:
        if name in FUNCTIONS and FUNCTIONS[name].exact:
            return lambda a: a
        return self.no(name)

    def converter(self, source: str) -> Callable[[Payload], Payload]:
        if dtypes.kind(source) == "bool":
            return lambda a: a
        return lambda a: a if isinstance(a, Poison) else fact(a != 0)


class Ieee:
    """The ``Numerics`` of this reading; one object, from ``ieee()``."""

    name = "ieee"
    exact_bits = True
    collects = False

    def __init__(self) -> None:
        self._arithmetic: dict[str, Arithmetic] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return ieee, ()

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
                    return as_type(Arithmetic, Bools(self, dtype))
                case "float":
                    return Floats(self, dtype)
                case "int" | "uint":
                    return Integers(self, dtype)
        raise unspecified("num/no-operation", f"no element has dtype {dtype}")

    def truth(self, value: bool) -> Truth:
        return TRUE if value else FALSE

    def all_of(self, a: Truth, b: Truth) -> Truth:
        return all_of(a, b)

    def any_of(self, a: Truth, b: Truth) -> Truth:
        return any_of(a, b)

    def negate(self, a: Truth) -> Truth:
        return negate(a)

    def decide(self, truth: Truth) -> bool:
        if truth is TRUE:
            return True
        if truth is FALSE:
            return False
        poisoned = careful("decide", truth)
        raise unspecified(poisoned.rule, "a branch depends on an element without meaning")

    def to_index(self, a: Payload, dtype: str) -> int:
        if isinstance(a, Poison):
            raise unspecified(a.rule, "an index or a bound depends on an element without meaning")
        if isinstance(a, Fact):
            return a.number
        if not isinstance(a, int):
            raise InternalError(f"{type(a).__name__} is no integer payload of {dtype}")
        return a

    def poison_rule(self, a: Payload) -> str | None:
        return a.rule if isinstance(a, Poison) else None


@cache
@rule("num/ieee-is-canonical")
def ieee() -> Numerics:
    """The reading itself."""
    return Ieee()
