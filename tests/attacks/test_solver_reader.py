"""Questions that the solver answered wrongly, or not at all: one test for each cause."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import Proved, Refuted, prove

RING = [*(f"x{i} <= x{i + 1}" for i in range(12)), "x12 <= x0"]
"""A chain that makes thirteen symbols equal."""


@pytest.mark.parametrize(
    "claim",
    [
        "x0 == x12 and y != 12345678",
        "x0 == x5 and y*y != 1522756",
        "x0 == x12 and (y < 987654321 or z < 5)",
        "x0 == x5 and x0 == x4 and y != 12345678 and z*z != 1522756",
    ],
)
def test_a_part_that_is_no_inequality_does_not_follow_from_a_chain(claim: str) -> None:
    assert not isinstance(prove(claim, RING), Proved)


def test_equalities_and_orders_follow_from_a_chain() -> None:
    assert isinstance(prove("x0 == x12 and x3 <= x2 and x1 < x7 + 1", RING), Proved)
