"""The model of a claim that is refuted: who gives one is held to it."""

from __future__ import annotations

from typing import Any

import pytest

from refrelax.conformance.suite import judge as judge_
from refrelax.conformance.suite.judge import judge
from refrelax.shape_solver import Unknown

PRODUCT = {"ask": "prove", "expect": "Refuted", "claim": "n*m == m", "assume": ["n >= 0"], "fits": None}
TRUTH = {**PRODUCT, "claim": "p or n > 3", "assume": []}


@pytest.mark.parametrize(
    ("record", "model"),
    [(PRODUCT, {"n": 2, "m": 3}), (PRODUCT, {"n": 3}), (TRUTH, {"n": 2, "p": 0}), (TRUTH, {"n": 2, "p": False})],
)
def test_a_model_that_refutes(record: dict[str, Any], model: object) -> None:
    assert judge(record, {"end": "refuted", "model": model}) == ("passed", "")


@pytest.mark.parametrize(
    ("record", "model"),
    [
        (PRODUCT, {"n": 1, "m": 3}),  # the claim holds
        (PRODUCT, {"n": -1, "m": 3}),  # an assumption does not
        (PRODUCT, {"n": 2, "m": 3, "q": 1}),  # no symbol of the claim
        (PRODUCT, {"n": "2"}),
        (PRODUCT, [2, 3]),
        (TRUTH, {"n": 2, "p": 1}),
    ],
)
def test_a_model_that_refutes_nothing(record: dict[str, Any], model: object) -> None:
    word, why = judge(record, {"end": "refuted", "model": model})
    assert word == "failed" and why.startswith("model")


def test_a_model_that_nobody_decides_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_, "prove", lambda *_, **__: Unknown("spent", "many points"))
    assert judge(PRODUCT, {"end": "refuted", "model": {"n": 2}})[0] == "undecided"


def test_no_model_is_needed() -> None:
    assert judge(PRODUCT, {"end": "refuted"}) == ("passed", "")
