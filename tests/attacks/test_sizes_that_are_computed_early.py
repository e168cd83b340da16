"""A storage that grows for a later tensor: its size may have no value, where the run ends before it comes to that."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.memory_sizes import planned_bytes
from refrelax.lower.pipeline import lower
from refrelax.syntax.write.scalars import expression

FOUR = 'R.Tensor((4,), "float32")'
TEXT = f"""
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def row(b: T.handle):
        m = T.int64()
        B = T.match_buffer(b, (m,), "float32")
        for i in range(m):
            B[i] = T.float32(1)

    @T.prim_func(private=True)
    def square(b: T.handle):
        m, k = T.int64(), T.int64()
        B = T.match_buffer(b, (m, k), "float32")
        for i, j in T.grid(m, k):
            B[i, j] = T.float32(2)

    @T.prim_func(private=True)
    def of_row(a: T.handle, B: T.Buffer((4,), "float32")):
        m = T.int64()
        A = T.match_buffer(a, (m,), "float32")
        for i in range(4):
            B[i] = T.float32(3)

    @T.prim_func(private=True)
    def of_square(a: T.handle, B: T.Buffer((4,), "float32")):
        m, k = T.int64(), T.int64()
        A = T.match_buffer(a, (m, k), "float32")
        for i in range(4):
            B[i] = T.float32(4)

    @T.prim_func(private=True)
    def three(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        for i in range(3):
            B[i] = A[i]

    @R.function
    def main(x: R.Tensor(("n", 0), "float32"), y: R.Tensor(ndim=1, dtype="float32")):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.row, R.tuple(), out_ty=R.Tensor((T.min(n, 7),), "float32"))
        r = R.call_tir(cls.of_row, (a,), out_ty={FOUR})
        z = BETWEEN
        b = R.call_tir(cls.square, R.tuple(), out_ty=R.Tensor((n, n), "float32"))
        s = R.call_tir(cls.of_square, (b,), out_ty={FOUR})
        return (r, s, z)
"""
BETWEEN = {
    "a cast": 'R.match_cast(y, R.Tensor((3,), "float32"))',
    "an entry check": 'R.call_tir(cls.three, (y,), out_ty=R.Tensor((3,), "float32"))',
}
PASSES = ("to_destinations", "plan_memory")


@pytest.mark.parametrize("passes", [PASSES, (*PASSES, "capture", "build")])
@pytest.mark.parametrize("name", BETWEEN)
def test_what_stands_behind_a_trap_is_not_computed(name: str, passes: tuple[str, ...]) -> None:
    checked = rr.check(rr.parse(TEXT.replace("BETWEEN", BETWEEN[name])))
    lowered = lower(checked, passes=passes).module
    large = np.zeros((1 << 40, 0), "float32")
    ends = [rr.run(each, "main", large, [1.0, 2.0]) for each in (checked, lowered)]
    assert all(isinstance(each, rr.Trapped) for each in ends), ends
    assert ends[0].rule == ends[1].rule


def test_where_nothing_traps_a_storage_grows() -> None:
    checked = rr.check(rr.parse(TEXT.replace("BETWEEN", "R.shape([n])")))
    before, after = planned_bytes(lower(checked, passes=PASSES).module.module)
    assert expression(after) == "n * n * 4 + 32", (expression(before), expression(after))
