"""``(1 << k) & c`` for a number ``k``: the zeros that a part ends in were worked out as a number of ``k`` bits."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import Proved, prove


@pytest.mark.parametrize("count", ["9223372036854775807", "17179869184", "100"])
@pytest.mark.parametrize("part", ["1", "x", "(x & y)"])
def test_a_shift_by_far_leaves_zeros(part: str, count: str) -> None:
    assert isinstance(prove(f"(({part} << {count}) & 15) == 0"), Proved)


def test_many_of_them_are_no_work() -> None:
    assert isinstance(prove(" + ".join(f"((x << {2**31 - k}) & 15)" for k in range(30)) + " == 0"), Proved)
