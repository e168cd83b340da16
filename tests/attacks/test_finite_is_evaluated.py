"""A question with more nodes at all of its points than are evaluated is not inside the class of few points."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import Proved, Unknown, prove


def long(terms: int) -> str:
    return " + ".join(f"(x*x // {i + 2} % {2 * i + 3})*(y*{i + 2} % {2 * i + 3})" for i in range(terms)) + " != 1000003"


@pytest.mark.parametrize(("terms", "inside"), [(4, True), (170, False)])
def test_a_long_question_is_not_finite(terms: int, inside: bool) -> None:
    """1 950 points of 2 700 nodes were never all looked at, and the answer blamed the solver."""
    found = prove(long(terms), ["0 <= x", "x < 39", "0 <= y", "y < 50"], effort="quick")
    if inside:
        assert isinstance(found, Proved)
    else:
        assert isinstance(found, Unknown) and found.scope.kind != "inside"
