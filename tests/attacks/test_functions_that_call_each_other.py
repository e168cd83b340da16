"""What two functions do that call each other, whichever of them is asked first."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.outcomes import Reference, copies
from refrelax.lower.pipeline import lower
from refrelax.semantics.budget import Budget

V = 'R.Tensor((3,), "float32")'
TEXT = f"""
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def inc(A: T.Buffer((3,), "float32")):
        for i in range(3):
            A[i] = A[i] + T.float32(1)

    @R.function(private=True)
    def down(x: {V}, n: R.Tensor((), "int64")) -> {V}:
        b = R.less(R.const(0, "int64"), n)
        if b:
            m = R.subtract(n, R.const(1, "int64"))
            r = Module.up(x, m)
        else:
            r = R.call_tir_inplace(Module.inc, (x,), inplace_indices=[0], out_ty={V})
        return r

    @R.function(private=True)
    def up(x: {V}, n: R.Tensor((), "int64")) -> {V}:
        b = R.less(R.const(0, "int64"), n)
        if b:
            m = R.subtract(n, R.const(1, "int64"))
            r = Module.down(x, m)
        else:
            r = x
        return r

    @R.function
    def main(x: {V}, n: R.Tensor((), "int64")):
        with R.dataflow():
            first = Module.FIRST(x, n)
            second = Module.SECOND(x, n)
            y = R.add(x, x)
            R.output(y)
        return y
"""


@pytest.mark.parametrize("pipeline", ["none", "default", "paper"])
@pytest.mark.parametrize("order", [("up", "down"), ("down", "up")])
def test_what_either_stores_is_seen(order: tuple[str, str], pipeline: str) -> None:
    checked = rr.check(rr.parse(TEXT.replace("FIRST", order[0]).replace("SECOND", order[1])))
    passes = ["dead_code"] if pipeline == "none" else None
    lowered = lower(checked, pipeline=pipeline, passes=passes).module
    for n in range(3):
        args = [[1.0, -2.0, 5.0], n]
        reference = Reference(checked, "main", args, {}, Budget())
        assert reference.judge(rr.run(lowered, "main", *copies(args))) == "equal"
