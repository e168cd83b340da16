"""The loops of a fused program have names: the text that is printed can be read again."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr

PROGRAM = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.sblock("b"):
                AXIS = T.axis.spatial(n, i)
                B[AXIS] = A[AXIS] + T.float32(1)
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        cls = Module
        with R.dataflow():
            v = R.call_tir(cls.bump, (x,), out_ty=R.Tensor((n,), "float32"))
            w = R.call_tir(cls.bump, (v,), out_ty=R.Tensor((n,), "float32"))
            R.output(w)
        return w
"""


@pytest.mark.parametrize("axis", ["v", "v_1", "v_for", "v_", "v_i", "v_None"])
def test_a_fused_program_is_read_again(axis: str) -> None:
    checked = rr.check(rr.parse(PROGRAM.replace("AXIS", axis)))
    fused = rr.lower(checked, "kernels").module
    assert len([name for name in fused.module.functions if name.startswith("fused")]) == 1
    again = rr.check(rr.parse(rr.print_module(fused.module)))
    given = np.array([1, 2, 3], "float32")
    assert rr.run(again, "main", given).value.tolist() == [3, 4, 5]
    assert rr.compile(fused)["main"](given).tolist() == [3, 4, 5]
