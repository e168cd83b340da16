"""Functions of real numbers that operators compute in steps, as wholes: what a more accurate implementation gives.

An operator such as ``silu`` is defined step by step, each step rounded. The value that rounds the real function once
need not be among the results that the steps permit; it is permitted as well, with the units in the last place of its
name (``bounds.PERMITTED_ULPS``).

Spec: ``spec/02-values.md``, ``num/exact-is-permitted``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from refrelax.rules import rule
from refrelax.semantics.numbers import multiprecision as mp
from refrelax.semantics.numbers.elementary import ziv
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.rounding import round_fraction, rounder, to_odd, two_sum


@dataclass(frozen=True, slots=True)
class Ideal:
    """A real function of one or two arguments.

    ``value(args, p)``: its value at finite numbers, off by less than ``2**-p`` of itself. ``limit(*args)``: where an
    argument is infinite. ``least``: the argument and a bound of the value where the function turns (it falls before and
    rises after); ``None`` where it rises everywhere. Of two arguments it rises in the first, and rises in the second or
    falls.
    """

    name: str
    value: Callable[[tuple[mp.Mpf, ...], int], mp.Mpf]
    limit: Callable[..., float]
    least: tuple[float, float] | None = None
    falls: bool = False
    """Whether the function falls in its second argument."""
    double: Callable[..., float] | None = None
    """The function in binary64, off by less than ``2**-40`` of itself, where it is wanted often."""


@rule("num/exact-is-permitted")
def rounded(of: Ideal, dtype: str, args: tuple[float, ...]) -> Payload:
    """The function at numbers of ``dtype``, rounded once."""
    for x in args:
        if x - x != 0:
            return rounder(dtype)(math.nan if any(y != y for y in args) else of.limit(*args))
    return rounded_finite(of, dtype, args)


def rounded_finite(of: Ideal, dtype: str, args: tuple[float, ...]) -> Payload:
    """``rounded`` at numbers that are finite."""
    if of.double is not None and dtype != "float64":
        try:
            return rounder(dtype)(of.double(*args))
        except OverflowError:
            pass
    points = tuple(map(mp.number, args))
    return ziv(dtype, lambda precision: mp.within(of.value(points, precision)), True)


def _difference_limit(a: float, b: float) -> float:
    return math.nan if a == b else math.inf if a > b else 0.0


EXP_OF_DIFFERENCE = Ideal(
    "exp", mp.exp_of_difference, _difference_limit, falls=True, double=lambda a, b: math.exp(a - b)
)
"""``exp(a - b)``, the difference not rounded."""


SHORT_QUOTIENT = 2.0**28
"""Below it the product of a quotient and a divisor of at most 24 bits is exact in binary64."""


def floor_quotient(dtype: str, a: float, b: float) -> Payload:
    """``floor(a / b)`` of the real quotient, rounded once; ``b`` is no zero, both are finite."""
    if dtype != "float64" and abs(a) < SHORT_QUOTIENT * abs(b):
        rest = math.fmod(a, b)  # exact, and so is each step
        whole = (a - rest) / b
        return rounder(dtype)(whole + 0.0 if rest == 0 or (rest < 0) == (b < 0) else whole - 1.0)
    return round_fraction(dtype, Fraction(math.floor(Fraction(a) / Fraction(b))))


def floor_remainder(dtype: str, a: float, b: float) -> Payload:
    """``a - floor(a / b) * b`` of real numbers, rounded once; ``b`` is no zero, both are finite."""
    if dtype != "float64":
        rest = math.fmod(a, b)  # exact; and so is the pair of the sum
        known = rest == 0 or (rest < 0) == (b < 0)
        return rounder(dtype)(rest + 0.0 if known else to_odd(*two_sum(rest, b)))
    return round_fraction(dtype, Fraction(a) % Fraction(b))
