"""A constant is one memory, whoever names it: what may be stored in is no constant, and becomes none."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

MODULE = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def inc(o: T.Buffer((2,), "float32")):
        for i in range(2):
            o[i] = o[i] + T.float32(1)
    @R.function(private=True)
    def helper(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        c = R.const([1.0, 2.0], "float32")
        y = R.add(c, c)
        d = {inplace}(cls.inc, (y,), inplace_indices=[0], out_ty=R.Tensor((2,), "float32"))
        z = R.add(x, d)
        return z
    @R.function(private=True)
    def made() -> R.Tensor((2,), "float32"):
        c = R.const([1.0, 2.0], "float32")
        y = R.add(c, c)
        return y
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        c = R.const([1.0, 2.0], "float32")
        {body}
        return z
"""
INPLACE = "R.call_tir_inplace"
INC = INPLACE + '(cls.inc, ({},), inplace_indices=[0], out_ty=R.Tensor((2,), "float32"))'
STORED = {
    "by each call of a function": ("z1 = cls.helper(x); z = cls.helper(z1)", [6, 10]),
    "after it was computed": (f"y = R.add(c, c); d = {INC.format('y')}; z = R.add(y, y)", [6, 10]),
    "itself": (f"d = {INC.format('c')}; z = R.add(c, c)", [4, 6]),
    "as a field": (f"y = R.add(c, c); t = (y, x); f = t[0]; d = {INC.format('f')}; z = R.add(y, y)", [6, 10]),
    "where it was given": (f"y = cls.made(); d = {INC.format('y')}; z = cls.made()", [2, 4]),
}


@pytest.mark.parametrize("what", STORED)
def test_what_may_be_stored_in_is_not_folded(what: str) -> None:
    body, wanted = STORED[what]
    first = rr.check(rr.parse(MODULE.format(inplace=INPLACE, body=body.replace("; ", "\n        "))))
    for each in (first, lower(first, passes=["fold_constants"]).module):
        found = rr.run(each, "main", np.zeros(2, "float32"))
        assert isinstance(found, rr.Returned) and found.value.tolist() == wanted


@pytest.mark.parametrize("what", STORED)
def test_a_binding_of_such_a_constant_is_not_judged_by_itself(what: str) -> None:
    pytest.importorskip("numpy")
    checked = rr.check(rr.parse(MODULE.format(inplace=INPLACE, body=STORED[what][0].replace("; ", "\n        "))))
    assert rr.diff(checked, "main", [np.zeros(2, "float32")], impl="numpy").word == "AGREE"
