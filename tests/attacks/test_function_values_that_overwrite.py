"""A call of a function that is a value may overwrite what any function of the module does."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

TEXT = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def inc(a: T.Buffer((4,), "float32")):
        for i in range(4):
            a[i] = a[i] + T.float32(1)

    @R.function(private=True)
    def helper(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        b = R.call_tir_inplace(cls.inc, (a,), inplace_indices=[0], out_ty=R.Tensor((4,), "float32"))
        return b

    @R.function(private=True)
    def apply(
        f: R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32"), True), a: R.Tensor((4,), "float32")
    ) -> R.Tensor((4,), "float32"):
        b = f(a)
        return b

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        with R.dataflow():
            y = R.add(x, x)
            <CALL>
            r = R.add(y, y)
            R.output(r)
        return r
"""
CALLS = {
    "by name": "u = cls.helper(y)",
    "value": "g = cls.helper\n            u = g(y)",
    "field": "gs = (cls.helper,)\n            g = gs[0]\n            u = g(y)",
    "argument": "u = cls.apply(cls.helper, y)",
    "closure": """g = R.make_closure(cls.helper, (y,))
            u = R.invoke_pure_closure(g, R.tuple(), ty_args=(R.Tensor((4,), "float32"),))""",
}


@pytest.mark.by_day(9)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("pipeline", ["default", "paper", "build"])
def test_what_it_overwrites_stays_overwritten(call: str, pipeline: str) -> None:
    module = rr.check(rr.parse(TEXT.replace("<CALL>", CALLS[call])))
    found = rr.run(lower(module, pipeline).module, "main", np.arange(1, 5, dtype="float32"))
    assert isinstance(found, rr.Returned) and found.value.numpy().tolist() == [6, 10, 14, 18]
