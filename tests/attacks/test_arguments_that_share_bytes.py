"""No call of a loop program or of a library function is proved that is given two tensors that share bytes."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.pointwise import attempt

BEFORE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        b = R.add(x, x)
        return b
"""

IN_DESTINATION_FORM = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def copy(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        for i in range(4):
            b[i] = a[i]
    @T.prim_func(private=True)
    def twice(z: T.Buffer((4,), "float32"), a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        for i in range(4):
            b[i] = a[i] + a[i]
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        m = R.memory.alloc_storage(R.shape([32]), 0, R.str("global"), R.dtype("uint8"))
        a: R.Tensor((4,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([4]), R.dtype("float32"), 0)
        b: R.Tensor((4,), "float32") = R.memory.alloc_tensor(m, 8, R.shape([4]), R.dtype("float32"), 0)
        cls.copy(x, b)
        y = R.call_tir(cls.twice, (a, b), out_ty=R.Tensor((4,), "float32"))
        return y
"""

IN_STORAGE_OF_ANOTHER_FUNCTION = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def copy(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        for i in range(4):
            b[i] = a[i]
    @R.function(private=True)
    def contract(z: R.Tensor((4,), "float32"), a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"Contract": "lib.twice"})
        b = R.add(a, a)
        return b
    @R.function(private=True)
    def helper(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        m = R.memory.alloc_storage(R.shape([32]), 0, R.str("global"), R.dtype("uint8"))
        a: R.Tensor((4,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([4]), R.dtype("float32"), 0)
        b: R.Tensor((4,), "float32") = R.memory.alloc_tensor(m, 8, R.shape([4]), R.dtype("float32"), 0)
        cls.copy(x, b)
        return (a, b)
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        t = cls.helper(x)
        a = t[0]
        b = t[1]
        y = R.call_dps_packed("lib.twice", (a, b), out_ty=R.Tensor((4,), "float32"))
        return y
"""


@pytest.mark.parametrize("after", [IN_DESTINATION_FORM, IN_STORAGE_OF_ANOTHER_FUNCTION])
def test_arguments_that_share_bytes_are_no_proof(after: str) -> None:
    first, second = rr.check(rr.parse(BEFORE)), rr.check(rr.parse(after))
    found = rr.run(second, "main", np.arange(4, dtype="float32"))
    assert isinstance(found, rr.Unspecified) and found.rule == "st/live-overlap"
    assert "whose bytes may meet" in str(attempt(first, second, "main"))
