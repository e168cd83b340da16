"""How two runs ended differently is told in words, on one line; causes that were written down before stay the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.judge.campaign.causes import cause_of
from refrelax.judge.diff import ends_differ
from refrelax.judge.fuzz import kind_of
from refrelax.judge.outcomes import words
from refrelax.judge.verdicts import Divergence
from refrelax.semantics.values import Shape

FOUND = Path(__file__).parents[2] / "docs/findings/findings.jsonl"
RETURNS = rr.Returned(Shape((2, 3)))
ENDS = [
    (
        rr.Trapped("tvm-runtime-error", "InternalError: no\nsuch 'thing'"),
        "traps: InternalError: no such 'thing' [tvm-runtime-error]",
    ),
    (rr.Trapped("ev/x"), "traps [ev/x]"),
    (rr.Unspecified("impl/error", "ValueError: 3"), "fails: ValueError: 3 [impl/error]"),
    (rr.Unspecified("ev/negative-extent", "-1"), "ends where nothing is said of it: -1 [ev/negative-extent]"),
]


@pytest.mark.parametrize(("outcome", "said"), ENDS)
def test_an_end_is_told_in_words(outcome: rr.Outcome, said: str) -> None:
    assert words(outcome) == said
    found = ends_differ(RETURNS, outcome)
    assert isinstance(found, Divergence) and found.message == f"the definition returns, the implementation {said}"
    assert kind_of(found) == getattr(outcome, "rule", "")
    trapped = ends_differ(rr.Trapped("ev/a", "so"), RETURNS)
    assert isinstance(trapped, Divergence) and kind_of(trapped) == "no trap"
    assert trapped.message == f"the definition traps (so [ev/a]), the implementation returns {RETURNS.value}"
    assert cause_of(trapped, ["R.add"], "int64").how == "no trap: ev/a"


def test_causes_on_disk_are_met_again() -> None:
    met = 0
    for row in map(json.loads, FOUND.read_text("utf-8").splitlines()):
        _, dot, rest = row["message"].partition("Trapped(rule='tvm-runtime-error', message='")
        if dot:
            found = ends_differ(RETURNS, rr.Trapped("tvm-runtime-error", rest.partition("', span=")[0]))
            assert isinstance(found, Divergence) and kind_of(found) == row["kind"]
            assert cause_of(found, row["signs"][2], "").row() == row["signs"]
            met += 1
    assert met >= 2
