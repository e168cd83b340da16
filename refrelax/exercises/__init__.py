"""Twelve exercises with automatic checks and hints: ``refrelax exercise``.

==================  ==================================================================
``exercise``        what an exercise is; what its checks share
``meaning``         values, types, symbols, loops, poison, readings, storage
``judging``         passes, counterexamples, floating point, proofs, implementations
``starts``          the texts that the exercises begin with
==================  ==================================================================
"""

from __future__ import annotations

from refrelax.exercises.exercise import Exercise
from refrelax.exercises.judging import JUDGING
from refrelax.exercises.meaning import MEANING

EXERCISES: tuple[Exercise, ...] = (*MEANING, *JUDGING)
"""In the order of the tutorial; exercise ``N`` is the ``N``-th, from 1."""

__all__ = ["EXERCISES", "Exercise"]
"""What the command and the tests use."""
