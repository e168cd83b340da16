# ruff: noqa: E501 (programs of a line)
"""The definition answers the protocol of chapter 01 with each of its words."""

from __future__ import annotations

import json

import pytest

from refrelax.conformance.suite import serve

PROGRAM = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32"), p: R.Tensor((), "bool")):
        q = R.assert_op(p, format="no")
        return x
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("asked", "end"),
    [
        ({"ask": "prove", "claim": "n == n"}, "proved"),
        ({"ask": "prove", "claim": "n == n + 1"}, "refuted"),
        ({"ask": "prove", "claim": "n*n*n + m*m*m != 33*k*k*k + 3", "assume": ["n > 10**9", "m > 10**9"]}, "unknown"),
        ({"ask": "prove", "claim": "n +"}, "rejected"),
        ({"ask": "check", "case": "a/b", "text": PROGRAM}, "rejected"),
        ({"ask": "check", "case": "a/b", "text": PROGRAM.replace("@R.function", "@R.function(pure=False)")}, "accepted"),
        ({"ask": "run", "case": "a/b", "text": "x", "entry": "main", "args": []}, "rejected"),
        ({"ask": "sing"}, "unsupported"),
    ],
)  # fmt: skip
def test_the_definition_answers_so(asked: dict[str, object], end: str) -> None:
    assert serve.answer(json.loads(json.dumps(asked)))["end"] == end


@pytest.mark.parametrize(("truth", "end"), [(True, "returned"), (False, "trapped")])
def test_the_definition_runs(truth: bool, end: str) -> None:
    args = [{"dtype": "float32", "shape": [2], "data": [1, 2]}, {"dtype": "bool", "shape": [], "data": [truth]}]
    asked = {"ask": "run", "case": "a/b", "entry": "main", "args": args}
    assert serve.answer({**asked, "text": PROGRAM.replace("@R.function", "@R.function(pure=False)")})["end"] == end
