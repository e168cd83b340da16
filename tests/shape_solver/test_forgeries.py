"""Forged certificates are refused, quickly, and what is certified is shown as it is."""

from __future__ import annotations

import json
import time

import pytest

from refrelax.shape_solver.checker.document import examine, load, question_said
from tests.clock import seconds_since
from tests.shape_solver.forgeries import FORGERIES, ONE, POINTS, X, combine, forged, log
from tests.shape_solver.forgeries_of_steps import HONEST, STEPS

SECONDS = 4.0
"""Far above what any of them takes (most: a millisecond), far below "without end"."""


def refused(text: str) -> str:
    """Why ``text`` is refused; empty where it is not."""
    try:
        document = load(text)
    except ValueError as error:
        return str(error) or "no JSON"
    return examine(document).rejected


@pytest.mark.thorough
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_refused(name: str) -> None:
    start = time.process_time()
    assert refused(FORGERIES[name]), name
    assert seconds_since(start) < SECONDS


@pytest.mark.parametrize("name", STEPS)
def test_a_step_that_is_not_what_it_says_is_refused(name: str) -> None:
    assert refused(STEPS[name]).startswith(("step ", "expected ")), name


@pytest.mark.parametrize("name", HONEST)
def test_the_same_steps_told_straight_are_accepted(name: str) -> None:
    assert not refused(HONEST[name]), refused(HONEST[name])


def test_there_are_forgeries_of_each_kind() -> None:
    assert len(FORGERIES) > 140


def test_what_the_forgeries_start_from_is_accepted() -> None:
    """The same files without what is wrong with them: they are not refused for another reason."""
    bounds = ["ge", X, ["const", 0]], ["le", X, ["const", 3]]
    for text in (
        forged(["le", ["mul", X, X], ["const", 9]], POINTS, *bounds, symbols=["int"]),
        forged(["lt", X, X], log(combine([1, [0]], [1, [1]])), ["lt", X, ["const", -1]], ["ge", X, ["const", 5]]),
        forged(["le", ["min", X, ONE], ONE], {"kind": "log", "atoms": [X, ["min", [[1, [0]]], [[1, []]]]], "steps": [
            {"rule": "min/low", "number": 1, "atoms": [1], "premises": [], "gives": ["ge", [[1, []], [-1, [1]]]]},
            combine([1, [0]], [1, [1]])]}),
        forged(["le", ["floormod", X, ["const", 6]], ["const", 10]], POINTS, fits="int8", symbols=["int"]),
    ):  # fmt: skip
        assert not refused(text), (text, refused(text))


@pytest.mark.parametrize(
    ("names", "shown"),
    [(["x", "b", "y"], "x <= 1"), (["x <= 0 or x", "b", "y"], "s0 <= 1"), (["x\n", "b", "y"], "s0 <= 1"),
     (["y", "b", "y"], "s0 <= 1"), (["s1", "b", "y"], "s0 <= 1"), (["min", "b", "y"], "s0 <= 1"), (["x"], "s0 <= 1"),
     ("xby", "s0 <= 1"), (None, "s0 <= 1"), ([["x"], "b", "y"], "s0 <= 1"), (["\u0445", "b", "y"], "s0 <= 1")],
)  # fmt: skip
def test_names_only_show(names: object, shown: str) -> None:
    assert question_said(json.loads(forged(["le", X, ONE], names=names))) == shown
