"""What is allocated on another device or in another scope stays there: a plan has global memory of the first."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr

PROGRAM = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + T.float32(1)
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a = R.builtin.alloc_tensor(R.shape([4]), "float32", PLACE)
        _ = cls.bump(x, a)
        b = R.builtin.alloc_tensor(R.shape([4]), "float32", 0, "global")
        _1 = cls.bump(a, b)
        c = R.builtin.alloc_tensor(R.shape([4]), "float32", PLACE)
        _2 = cls.bump(b, c)
        y = R.add(c, c)
        return y
"""


@pytest.mark.parametrize(("place", "kept"), [("0, 'global'", 0), ("1, 'global'", 2), ("0, 'global.texture'", 2)])
def test_a_tensor_stays_on_its_device_and_in_its_scope(place: str, kept: int) -> None:
    checked = rr.check(rr.parse(PROGRAM.replace("PLACE", place)))
    planned = rr.lower(checked, passes=["plan_memory"]).module
    text = rr.print_module(planned.module)
    assert text.count("R.builtin.alloc_tensor") == kept
    assert text.count("R.memory.alloc_tensor") == 3 - kept
    x = np.array([1, 2, 3, 5], "float32")
    assert rr.run(planned, "main", x) == rr.run(checked, "main", x)
