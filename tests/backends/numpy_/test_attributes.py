"""Attributes that are NaN or an infinity: their names mean nothing to Python."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.errors import Returned

TEXT = """
@R.function
def main(x: R.Tensor((2,), "{dtype}")) -> R.Tensor((4,), "{dtype}"):
    return R.nn.pad(x, [1, 1], pad_value={value})
"""


@pytest.mark.parametrize("mode", ["fast", "bits"])
@pytest.mark.parametrize("value", ['float("-inf")', 'float("inf")', 'float("nan")', "300.0", "-1.5", "0.5"])
@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
def test_a_border_of_any_number(dtype: str, value: str, mode: str) -> None:
    checked = rr.check(rr.parse(TEXT.format(dtype=dtype, value=value)))
    x = np.array([1, 0], dtype)
    wanted, found = rr.run(checked, "main", x), rr.compile(checked, mode=mode).run("main", x)
    assert isinstance(wanted, Returned) and isinstance(found, Returned)
    for a, b in zip(wanted.value.patterns(), found.value.patterns(), strict=True):
        assert a is None or a == b


@pytest.mark.parametrize("mode", ["fast", "bits"])
def test_loops_have_elements_where_their_operator_has_none(mode: str) -> None:
    lowered = rr.lower(rr.check(rr.parse(TEXT.format(dtype="uint8", value="-300.0"))), "legalize").module
    x = np.ones(2, "uint8")
    wanted, found = rr.run(lowered, "main", x), rr.compile(lowered, mode=mode).run("main", x)
    assert isinstance(wanted, Returned) and isinstance(found, Returned)
    assert wanted.value.patterns() == found.value.patterns() == [0, 1, 1, 0]
