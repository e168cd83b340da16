"""``bounds`` asks no long row of dear questions."""

from __future__ import annotations

from typing import Any

import pytest

from refrelax.shape_solver import bounds, questions
from refrelax.shape_solver.claim import Answer
from refrelax.shape_solver.prover import Prover
from refrelax.syntax.scalars import PrimExpr


@pytest.mark.thorough
def test_dear_answers_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each bound below ``2**100`` was proved, by a log after all of Z3: 72 of them took 39 seconds."""
    asked: list[Answer] = []
    inside = Prover.inside

    def counted(self: Prover, claim: PrimExpr, *rest: Any) -> Answer:
        asked.append(inside(self, claim, *rest))
        return asked[-1]

    monkeypatch.setattr(Prover, "inside", counted)
    low, high = bounds("x", ["x*x*x == 2**300"])
    assert low is not None and 0 < low <= 2**100 and (high is None or high >= 2**100)
    dear = [each for each in asked if sum(stage.name.startswith("z3") for stage in each.stages) > 1]
    assert len(dear) <= 4 * questions.MAX_OPEN
