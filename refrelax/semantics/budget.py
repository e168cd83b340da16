"""Budgets: how much a run may do before it ends as ``Exhausted``."""

from __future__ import annotations

from dataclasses import dataclass

from refrelax.errors import Ended, Exhausted, UsageError


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one run; ``None`` is no limit.

    ``steps``: bindings and loop iterations; ``elements``: tensor elements made by operators and allocations;
    ``depth``: nested calls of Relax functions and PrimFuncs.
    """

    steps: int | None = 1_000_000_000
    elements: int | None = 100_000_000
    depth: int = 200

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

    @staticmethod
    def of(budget: Budget) -> Meter:
        """A full meter."""
        infinite = float("inf")
        return Meter(
            infinite if budget.steps is None else budget.steps,
            infinite if budget.elements is None else budget.elements,
            budget.depth,
        )

    def step(self, count: int = 1) -> None:
        """Charge ``count`` steps; raises ``Ended(Exhausted("steps"))``."""
        self.steps -= count
        if self.steps < 0:
            raise Ended(Exhausted("steps"))

    def make(self, count: int) -> None:
        """Charge ``count`` elements; raises ``Ended(Exhausted("elements"))``."""
        self.elements -= count
        if self.elements < 0:
            raise Ended(Exhausted("elements"))

    def enter(self) -> None:
        """One call deeper; raises ``Ended(Exhausted("depth"))``."""
        self.depth -= 1
        if self.depth < 0:
            raise Ended(Exhausted("depth"))

    def leave(self) -> None:
        self.depth += 1
