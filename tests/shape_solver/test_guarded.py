"""Questions whose parts may have no value, under guards (``guarded.py``), and whose parts repeat (``grown.py``)."""

from __future__ import annotations

from random import Random

import pytest

from refrelax.shape_solver import Proved, Refuted, prove, z3_
from refrelax.shape_solver.certify import confirm
from tests.shape_solver import grown, guarded


def test_guards_are_asked_about_all_points_of_a_box() -> None:
    rows = [guarded.asked(f"day/{number}") for number in range(30)]
    assert not [row for row in rows if row["wrong"] is not None]
    assert {row["said"] for row in rows} >= {"proved", "refuted"}


@pytest.mark.thorough
@pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")
def test_more_guards() -> None:
    rows = [guarded.asked(f"long day/{number}") for number in range(400)]
    assert not [row for row in rows if row["wrong"] is not None]
    assert sum(row["said"] == "unknown" for row in rows) <= 2


@pytest.mark.thorough
@pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")
def test_what_grows_is_proved_with_logs() -> None:
    """None wrong, and next to all that is proved has a log."""
    proved, logged = 0, 0
    for place in range(120):
        random = Random(f"grown day/{place}")
        claim, given = grown.question(random)
        answer = prove(claim.text, [each.text for each in given])
        if isinstance(answer, Proved):
            assert grown.counterexample(random, claim, given, 200) is None, claim.text
            proved += 1
            logged += confirm(answer.certificate.document(), who="checker").by is not None
        elif isinstance(answer, Refuted):
            model = tuple(answer.model.get(name, 0) for name in grown.NAMES)
            assert grown.against(claim, given, [model]) is not None, claim.text
    assert proved > 40 and logged >= proved - 1
