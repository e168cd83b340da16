"""What a contract's attributes promise of its symbols is asked of the extents at which the library is called."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

HEAD = """
m = TypeVar("m")
n = TypeVar("n")
@I.ir_module
class Module:
"""
LIBRARY = (
    HEAD
    + """
    @R.function(private=True)
    def small_exp(a: R.Tensor((m, n), "float32")) -> R.Tensor((m, n), "float32"):
        R.func_attr({"Contract": "small.exp", "tir_var_upper_bound": {"n": 4}, "tir_var_lower_bound": {"m": 1}})
        with R.dataflow():
            y = R.exp(a)
            R.output(y)
        return y
"""
)


def program(dims: str, attrs: str = "") -> str:
    return (
        HEAD
        + f"""
    @R.function
    def main(x: R.Tensor(({dims}), "float32")):
        R.func_attr({{{attrs}}})
        with R.dataflow():
            y = R.exp(x)
            R.output(y)
        return y
"""
    )


@pytest.mark.parametrize(
    ("dims", "attrs", "taken"),
    [
        ("m, n", "", False),
        ("2, 5", "", False),
        ("0, 3", "", False),
        ("2, n", "", False),
        ("2, 4", "", True),
        ("2, n", '"tir_var_upper_bound": {"n": 4}', True),
        ("2, n", '"tir_var_upper_bound": {"n": 5}', False),
    ],
)
def test_a_call_is_made_where_the_promise_is_kept(dims: str, attrs: str, taken: bool) -> None:
    checked = rr.check(rr.parse(program(dims, attrs)))
    found = lower(checked, passes=["dispatch_library"], libraries=[rr.check(rr.parse(LIBRARY))]).module
    assert ("small.exp" in str(found.module.functions["main"])) == taken
    assert not isinstance(rr.validate(checked, found), rr.Refuted)
