"""Contracts read as patterns: what their result is not made of was not looked for, and might still trap; what a
condition gives is the parameter."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

CONTRACT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function(private=True)
    def contract(a: R.Tensor((n,), "float32")) -> {type}:
        R.func_attr({{"Contract": "lib.f"}})
        with R.dataflow():
            {body}
            R.output(c)
        return c
"""
PROGRAM = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(({size},), "float32")):
        with R.dataflow():
            {body}
            R.output(c)
        return c
"""


def dispatched(contract: str, program: str, size: int, extent: str = "n") -> tuple[Any, Any]:
    """The program, and what dispatch makes of it."""
    lines = "\n            "
    given = CONTRACT.format(type=f'R.Tensor(({extent},), "float32")', body=contract.replace("; ", lines))
    checked = rr.check(rr.parse(PROGRAM.format(size=size, body=program.replace("; ", lines))))
    return checked, lower(checked, passes=["dispatch_library"], libraries=[rr.parse(given)]).module


@pytest.mark.parametrize(
    "contract",
    [
        "t = R.reshape(a, R.shape([4])); c = R.exp(a)",
        'c = R.zeros(R.shape([n]), "float32"); t = R.add(c, a)',
        "t = R.exp(a); u = R.exp(t); c = R.exp(a)",
    ],
)
def test_a_contract_with_what_its_result_is_not_made_of_is_no_pattern(contract: str) -> None:
    with pytest.raises(rr.IllFormed, match=r"expected a contract that uses (t|a|u): .*\[lo/dispatch-pattern\]"):
        dispatched(contract, "c = R.exp(x)", 2)


EVEN = 'q = R.match_cast(a, R.Tensor((n // 2 * 2,), "float32")); '


@pytest.mark.parametrize("size", [4, 5])
def test_what_a_condition_gives_is_the_parameter(size: int) -> None:
    before, after = dispatched(f"{EVEN}c = R.add(q, q)", "c = R.add(x, x)", size, "n // 2 * 2")
    assert ("lib.f" in rr.print_module(after.module)) == (size == 4)
    assert rr.validate(before, after).word == "PROVED"
