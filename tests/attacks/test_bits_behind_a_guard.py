"""Two parts under bit operators that are one polynomial, of which one has a value behind a guard only.

The other one was taken for it, and that it has a value was an assumption then: ``y == 0`` was a counterexample.
"""

from __future__ import annotations

import pytest

from refrelax.shape_solver import Proved, Refuted, prove

RARE = "x != 777123"
WRONG: list[tuple[str, list[str]]] = [
    (f"y != 0 or {RARE}", ["(y == 0 or ((x * y) // y & z) > 4) and (x & z) > 4"]),
    (f"y != 0 or {RARE}", ["(y == 0 or (((x * y) // y + 1) & z) > 4) and ((x + 1) & z) > 4"]),
    (f"y != 0 or {RARE}", ["(y == 0 or ((-1 - (x * y) // y) & z) != 4) and (x & z) > 4"]),
    (f"y != 0 or {RARE}", ["(y == 0 or int8((x * y) // y & z) != 4) and int8(x & z) > 4"]),
    (f"y >= 0 or {RARE}", ["(y < 0 or (x << y >> y & z) > 4) and (x & z) > 4"]),
    (f"implies((y == 0 or ((x * y) // y & z) > 4) and (x & z) > 4, y != 0 or {RARE})", []),
]


@pytest.mark.parametrize(("claim", "assume"), WRONG)
def test_a_part_behind_a_guard_stands_for_no_other(claim: str, assume: list[str]) -> None:
    assert isinstance(prove(claim, ["x > 0", "z > 0", *assume]), Refuted)


def test_where_both_have_a_value_they_are_one() -> None:
    assert isinstance(prove("((x * y) // y & z) == (x & z)"), Proved)
    assert isinstance(prove("y == 0 or ((x * y) // y & z) == (x & z)"), Proved)
    assert isinstance(prove("((x * y) // y & z) == (x & z)", ["y > 0"]), Proved)
