"""A truth that an answer tells with a dtype is a `bool`, and an integer is none."""

from __future__ import annotations

from typing import Any

import pytest

from refrelax.conformance.suite.judge import judge


def word(wanted: Any, found: Any) -> str:
    record = {
        "ask": "run", "expect": "Returned", "value": wanted, "arguments": [], "effects": [],
        "permitted": {"value": wanted, "arguments": [], "effects": []},
    }  # fmt: skip
    return judge(record, {"end": "returned", "value": found, "arguments": [], "effects": []})[0]


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
def test_a_truth_told_with_another_dtype_is_none(dtype: str, nested: bool) -> None:
    wanted, found = True, {"dtype": dtype, "value": "0x1"}
    assert (word([wanted], [found]) if nested else word(wanted, found)) == "failed"


def test_an_integer_told_as_a_bool_is_none() -> None:
    assert word(1, {"dtype": "bool", "value": "0x1"}) == "failed"
    assert word(0, {"dtype": "bool", "value": "0x0"}) == "failed"


def test_what_is_told_rightly_is_right() -> None:
    truth, seven = {"dtype": "bool", "value": "0x1"}, {"dtype": "int64", "value": "0x7"}
    told = [(True, True), (True, truth), (7, 7), (7, seven)]
    assert [word(*each) for each in told] == ["passed"] * len(told)
