"""A contract with a written zero takes no operator with the other zero."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function(private=True)
    def contract(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({{"Contract": "lib.f"}})
        with R.dataflow():
            y = {contract}
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        with R.dataflow():
            y = {call}
            R.output(y)
        return y
"""
FORMS = (
    "R.multiply(x, R.prim_value(T.float32({})))",
    "R.clip(x, R.prim_value(T.float32({})), R.prim_value(T.float32(5)))",
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("contract", ["0.0", "-0.0"])
@pytest.mark.parametrize("call", ["0.0", "-0.0"])
def test_the_zeros_are_two(form: str, contract: str, call: str) -> None:
    module = rr.check(rr.parse(TEXT.format(contract=form.format(contract), call=form.format(call))))
    dispatched = lower(module, passes=("dispatch_library",), libraries=()).module
    assert ("call_dps_packed" in rr.print_module(dispatched.module)) == (contract == call)
    x = np.array([-1, 0, 2], "float32")
    before, after = rr.run(module, "main", x), rr.run(dispatched, "main", x)
    assert isinstance(before, rr.Returned) and isinstance(after, rr.Returned)
    assert before.value.numpy().tobytes() == after.value.numpy().tobytes()
