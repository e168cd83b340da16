"""A kernel names what its caller only computes (``m`` for ``b - a``): that is no symbol of the caller.

What is known of the caller's ``m`` is not known of it.
"""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.claims import Ledger
from refrelax.lower.legalize import run

SPREAD = """
a = TypeVar("a")
b = TypeVar("b")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((), "float32"), s: R.Shape((a, b)){more}):
        {attrs}
        r = R.broadcast_to(x, ({extent},))
        return r
"""


@pytest.mark.parametrize("more", ["", ', y: R.Tensor((m,), "float32")', ", y: R.Shape((m,))"])
def test_an_extent_of_the_caller_is_no_dim_of_a_kernel(more: str) -> None:
    checked = rr.check(rr.parse(SPREAD.format(more=more, attrs="pass", extent="b - a")))
    assert "call_tir" not in rr.print_module(run(checked, Ledger()))


@pytest.mark.parametrize("name", ["m", "v_i0", "i0"])
def test_a_promise_of_the_caller_is_none_of_a_kernel(name: str) -> None:
    attrs = f'R.func_attr({{"tir_var_lower_bound": {{"{name}": 4}}}})'
    text = SPREAD.format(more=', y: R.Tensor((m,), "float32")', attrs=attrs, extent="b - a").replace(
        "(m,)", f"({name},)"
    )
    checked = rr.check(rr.parse(text.replace('"m"', f'"{name}"').replace("\nm = ", f"\n{name} = ")))
    assert "call_tir" not in rr.print_module(run(checked, Ledger()))


@pytest.mark.parametrize(("assume", "word"), [(("a <= b",), "PROVED"), (("m >= 4",), "TESTED")])
def test_an_assumption_about_the_caller_is_none_about_a_kernel(assume: tuple[str, ...], word: str) -> None:
    first = SPREAD.format(more=', y: R.Tensor((m,), "float32")', attrs="pass", extent="b - a")
    second = first.replace("broadcast_to(x,", "broadcast_to(R.negative(R.negative(x)),")
    found = rr.validate(rr.parse(first), rr.parse(second), assume=assume)
    assert found.word == word, found
