"""Budgets: how much a run may do before it ends as ``Exhausted``."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from refrelax.errors import Ended, Exhausted, UsageError

LOOK = 2_000
"""After how many steps the clock is looked at."""

MOST_STEPS = 1 << 50
"""Steps where there is no limit of them but one of time."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one run; ``None`` is no limit.

    ``steps``: bindings and loop iterations; ``elements``: tensor elements made by operators and allocations;
    ``depth``: nested calls of Relax functions and PrimFuncs; ``until``: when the run ends, on ``perf_counter``.
    """

    steps: int | None = 1_000_000_000
    elements: int | None = 100_000_000
    depth: int = 200
    until: float | None = None

    def __post_init__(self) -> None:
        for name, limit in (("steps", self.steps), ("elements", self.elements), ("depth", self.depth)):
            if limit is not None and not limit >= 0:
                raise UsageError(f"a budget of {name} is a number of at least 0, found {limit}")


@dataclass(slots=True)
class Meter:
    """What is left of a budget."""

    steps: float
    elements: float
    depth: int
    until: float | None = None
    mark: float = 0
    """Where steps run out, or the clock is looked at."""

    @staticmethod
    def of(budget: Budget) -> Meter:
        """A full meter."""
        infinite = float("inf")
        steps = budget.steps
        if budget.until is not None:
            steps = min(MOST_STEPS, MOST_STEPS if steps is None else steps)
        return Meter(
            infinite if steps is None else steps,
            infinite if budget.elements is None else budget.elements,
            budget.depth,
            budget.until,
            0 if budget.until is None else max(0, (steps or 0) - LOOK),
        )

    def step(self, count: int = 1) -> None:
        """Charge ``count`` steps; raises ``Ended(Exhausted("steps"))``, or ``"time"``."""
        self.steps -= count
        if self.steps < self.mark:
            self._look()

    def _look(self) -> None:
        if self.steps < 0:
            raise Ended(Exhausted("steps"))
        self._in_time()
        self.mark = max(0, self.steps - LOOK)

    def _in_time(self) -> None:
        if self.until is not None and perf_counter() > self.until:
            raise Ended(Exhausted("time"))

    def make(self, count: int) -> None:
        """Charge ``count`` elements; raises ``Ended(Exhausted("elements"))``."""
        self.elements -= count
        if self.until is not None:
            self._in_time()
        if self.elements < 0:
            raise Ended(Exhausted("elements"))

    def enter(self) -> None:
        """One call deeper; raises ``Ended(Exhausted("depth"))``."""
        self.depth -= 1
        if self.depth < 0:
            raise Ended(Exhausted("depth"))

    def leave(self) -> None:
        self.depth += 1
