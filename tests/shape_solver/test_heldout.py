"""Questions of another author (``heldout.py``): nothing wrong, next to nothing unknown."""

from __future__ import annotations

import json
from random import Random

import pytest

from refrelax.shape_solver import parse_claim, z3_
from refrelax.shape_solver.certify import confirm
from refrelax.shape_solver.door import Door
from refrelax.shape_solver.evaluate import TooLarge, Undefined, compiled
from tests.shape_solver.heldout import asked, drawn_points, names, question, run, said


@pytest.mark.thorough
@pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")
def test_some_questions_from_elsewhere() -> None:
    rows = [asked(f"day/{number}", {}) for number in range(150)]
    assert not any(row["wrong"] for row in rows)
    assert sum(row["said"] == "unknown" for row in rows) <= 1 and sum(row["said"] == "proved" for row in rows) > 50


def test_the_machine_of_three_values_agrees_with_ours() -> None:
    """Where it has a value, so has ours, and the same; where it has none, ours has none, or computes no such number."""
    compared = 0
    for number in range(400):
        random = Random(f"machine/{number}")
        program, _ = question(random)
        over, door = names(program), Door()
        evaluated = compiled(door.claim(parse_claim(said(program))))
        inner = {name: key for key, name in door.names().items()}
        points = drawn_points(random, over, 5)
        for point, expected in zip(points, run(program, points)):
            try:
                found = evaluated({inner[name]: value for name, value in point.items() if name in inner})
            except Undefined:
                assert expected is None, (said(program), point)
            except TooLarge:
                continue
            else:
                assert expected is None or bool(found) == bool(expected), (said(program), point)
                compared += expected is not None
    assert compared > 1_000


@pytest.mark.nightly
@pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")
@pytest.mark.parametrize("seed", range(10))
def test_many_questions_from_elsewhere(seed: int) -> None:
    """In all 50 000: none wrong, at most 2 of 10 000 unknown, and few of what is proved without a log."""
    unknown, slow, logged, unlogged = [], 0, 0, 0
    for number in range(5_000):
        row = asked(f"night {seed}/{number}", {})
        assert not row["wrong"], row
        slow += row["seconds"] > 4
        if row["said"] == "unknown":
            unknown.append(row["claim"])
        elif row["said"] == "proved" and number % 5 == 0:
            document = json.loads(json.dumps(row["answer"].certificate.document()))
            accepted = confirm(document, who="checker").by is not None
            logged, unlogged = logged + accepted, unlogged + (not accepted)
    assert len(unknown) <= 4, unknown
    assert slow == 0 and unlogged <= 0.03 * logged
