"""Questions that Python itself evaluates (``native.py``): nothing wrong, next to nothing unknown."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import z3_
from tests.shape_solver.native import asked


@pytest.mark.thorough
@pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")
def test_some_questions_that_python_evaluates() -> None:
    rows = [asked(f"day/{number}") for number in range(100)]
    assert not any(row["wrong"] for row in rows)
    assert sum(row["said"] == "unknown" for row in rows) <= 1 and sum(row["said"] == "proved" for row in rows) > 30


@pytest.mark.nightly
@pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")
@pytest.mark.parametrize("seed", range(10))
def test_many_questions_that_python_evaluates(seed: int) -> None:
    """In all 50 000. Shifts by symbols are drawn far more often here than programs have them."""
    rows = [asked(f"night {seed}/{number}") for number in range(5_000)]
    assert not [row["claim"] for row in rows if row["wrong"]]
    assert sum(row["said"] == "unknown" for row in rows) <= 5
