"""Real numbers that the text of an operator names, and no format holds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

Bounds = Callable[[int], tuple[Fraction, Fraction]]
"""Bounds of a number, nearer than ``2**-p`` of it."""


class RealConstant(Fraction):
    """A real number: to ``ideal`` by its ``bounds``, to every other reading the rational that is given (the number
    rounded to binary64), which is rounded to the dtype once more.
    """

    bounds: Bounds

    def __new__(cls, near: Fraction, bounds: Bounds) -> RealConstant:
        made = super().__new__(cls, near)
        made.bounds = bounds
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return RealConstant, (Fraction(self), self.bounds)


__all__ = ["Bounds", "RealConstant"]
