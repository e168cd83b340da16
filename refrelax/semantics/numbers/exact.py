"""The reading ``exact``: rational arithmetic without rounding, on the algebraic subset.

Float dtypes hold ``Fraction``; integers wrap and bools are as in ``ieee``. An operation that leaves the rationals
raises ``Unsupported``. Spec: ``spec/02-values.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NoReturn
from typing import cast as as_type

from refrelax.semantics.numbers import base
from refrelax.semantics.numbers.base import CAUGHT, Base, careful
from refrelax.semantics.numbers.ieee import Bools, Ieee
from refrelax.semantics.numbers.integers import Integers
from refrelax.semantics.numbers.interface import Arithmetic, Numerics, Payload
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.truth import TRUE
from refrelax.syntax import bits, dtypes


class Unsupported(Exception):
    """The operation ``op`` has no rational result (a square root, an exponential, a division by zero, a NaN)."""

    def __init__(self, op: str) -> None:
        self.op = op
        super().__init__(f"{op} leaves the rationals")

    def __reduce__(self) -> tuple[object, ...]:
        return Unsupported, (self.op,)


def total(name: str, function: Callable[..., Any]) -> Callable[..., Payload]:
    """A function on numbers as one on payloads."""

    def apply(*operands: Payload) -> Payload:
        try:
            return function(*operands)
        except ZeroDivisionError:
            raise Unsupported(f"{name} by zero") from None
        except CAUGHT:
            return careful(name, *operands)

    return apply


def _truncated(a: Fraction, b: Fraction) -> Fraction:
    return a - b * math.trunc(a / b)


RATIONAL: dict[str, Callable[[Fraction], Fraction]] = {
    "floor": lambda a: Fraction(math.floor(a)), "ceil": lambda a: Fraction(math.ceil(a)),
    "round": lambda a: Fraction(round(a)), "trunc": lambda a: Fraction(math.trunc(a)),
    "abs": abs, "sign": lambda a: Fraction((a > 0) - (a < 0)), "square": lambda a: a * a,
}  # fmt: skip
"""The functions of ``MATH`` that stay rational."""


class Rationals(Base):
    """A float dtype without rounding."""

    zero, one = Fraction(0), Fraction(1)

    def __init__(self, numerics: Numerics, dtype: str) -> None:
        super().__init__(numerics, dtype)
        self.add = total("add", lambda a, b: a + b)
        self.sub = total("sub", lambda a, b: a - b)
        self.mul = total("mul", lambda a, b: a * b)
        self.div = total("div", lambda a, b: a / b)
        self.mod = total("mod", _truncated)
        self.floordiv = total("floordiv", lambda a, b: Fraction(math.floor(a / b)))
        self.floormod = total("floormod", lambda a, b: a - b * math.floor(a / b))
        self.neg = total("neg", lambda a: -a)
        self.maximum = total("maximum", lambda a, b: a if a >= b else b)
        self.minimum = total("minimum", lambda a, b: a if a <= b else b)
        self.less, self.less_equal = base.less, base.less_equal
        self.equal, self.not_equal = base.equal, base.not_equal

    def lit(self, value: int | float | Fraction) -> Payload:
        # a literal is the number that the dtype holds, as everywhere
        return self.from_bits(bits.encode(self.dtype, value))

    def from_bits(self, pattern: int) -> Payload:
        value = bits.decode(self.dtype, pattern)
        if not math.isfinite(value):
            raise Unsupported("an infinity or NaN")
        return Fraction(value)

    def to_bits(self, a: Payload) -> int:
        return super().to_bits(a)

    def math(self, name: str) -> Callable[[Payload], Payload]:
        if name not in RATIONAL:
            return lambda a: a if isinstance(a, Poison) else self.leaves(name)
        return total(name, RATIONAL[name])

    def math2(self, name: str) -> Callable[[Payload, Payload], Payload]:
        match name:
            case "fmod":
                return self.mod
            case "ldexp":
                return total(name, lambda a, n: a * Fraction(2) ** n)
            case "pow":
                return total(name, lambda a, b: a ** int(b) if b.denominator == 1 else self.leaves(name))
        return lambda a, b: careful(name, a, b) if isinstance(a, Poison) or isinstance(b, Poison) else self.leaves(name)

    def leaves(self, name: str) -> NoReturn:
        raise Unsupported(name)

    def reinterpret(self, a: Payload, source: str) -> Payload:
        return a if isinstance(a, Poison) else self.leaves("reinterpret")

    def assemble(self, parts: Sequence[Payload], source: str, start: int) -> Payload:
        spoiled = next((each for each in parts if isinstance(each, Poison)), None)
        return self.leaves("reinterpret") if spoiled is None else spoiled

    def converter(self, source: str) -> Callable[[Payload], Payload]:
        if dtypes.kind(source) == "bool":
            return lambda a: a if isinstance(a, Poison) else self.one if a is TRUE else self.zero
        return total("cast", lambda a: a if isinstance(a, Poison) else Fraction(a))


class ExactIntegers(Integers):
    """Integers as in ``ieee``, made from rationals as from floats."""

    def _from_float(self, a: Any) -> Payload:
        if isinstance(a, Poison):
            return a
        value = math.trunc(a)
        return value if self.low <= value <= self.high else poison("num/cast-range")

    def assemble(self, parts: Sequence[Payload], source: str, start: int) -> Payload:
        if dtypes.kind(source) == "float" and not any(isinstance(each, Poison) for each in parts):
            raise Unsupported("reinterpret")
        return super().assemble(parts, source, start)

    def reduce(self, op: Any, items: Iterable[Payload], acc: str | None = None) -> Payload:
        return super().reduce(op, items, acc)


class Exact(Ieee):
    """The ``Numerics`` of this reading."""

    name = "exact"
    exact_bits = False

    def __reduce__(self) -> tuple[object, ...]:
        return exact, ()

    def _make(self, dtype: str) -> Arithmetic:
        match dtypes.kind(dtype):
            case "float":
                return as_type(Arithmetic, Rationals(self, dtype))
            case "bool":
                return as_type(Arithmetic, Bools(self, dtype))
            case _:
                return as_type(Arithmetic, ExactIntegers(self, dtype))


@cache
def exact() -> Numerics:
    """The reading itself."""
    return Exact()
