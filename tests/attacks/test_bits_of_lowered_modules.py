"""What ``benchmarks/bits.py`` met: lowered modules whose bits were not those of their own loops."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from tests.testing.comparing import same_bits


def lowered(text: str, pipeline: str) -> rr.CheckedModule:
    return rr.lower(rr.check(rr.parse(text)), pipeline).module


def has_the_bits(checked: rr.CheckedModule, *args: Any) -> None:
    wanted, found = rr.run(checked, "main", *args), rr.compile(checked, mode="bits").run("main", *args)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), (wanted, found)
    assert same_bits(wanted.value, found.value), (wanted, found)


@pytest.mark.parametrize("pipeline", ["legalize", "default", "build"])
@pytest.mark.parametrize("call", ["argmax", "argmin", "max", "min", "mean", "variance"])
def test_loops_of_no_element_say_what_it_is(call: str, pipeline: str) -> None:
    """The position of the extreme of nothing is poison as an operator, and a number of the loops where 0 is written."""
    text = f"""@R.function
def main(x: R.Tensor((2, 0), "float32")):
    y = R.{call}(x, axis=1)
    return y
"""
    has_the_bits(lowered(text, pipeline), np.zeros((2, 0), np.float32))
