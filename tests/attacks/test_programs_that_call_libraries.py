"""A loop program may call a library function that keeps what it is given, another one a library function that stores
there."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.judge.outcomes import Reference, copies
from refrelax.lower.pipeline import lower
from refrelax.semantics.budget import Budget

V = 'R.Tensor((3,), "float32")'
ARRAY = 'T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(3), 0, 1, T.Cast("float32", 0), 0)'
TEXT = f"""
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        for i in range(3):
            B[i] = A[i] + T.float32(1)

    @T.prim_func(private=True)
    def keeps(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        T.evaluate(T.call_packed("lib.keep", {ARRAY}))
        for i in range(3):
            B[i] = A[i] * T.float32(2)

    @T.prim_func(private=True)
    def stores(B: T.Buffer((3,), "float32")):
        T.evaluate(T.call_packed("lib.store"))
        for i in range(3):
            B[i] = T.float32(1)

    @T.prim_func(private=True)
    def through(B: T.Buffer((3,), "float32")):
        Module.stores(B.data)

    @R.function
    def main(x: {V}):
        cls = Module
        with R.dataflow():
            u = R.call_tir(cls.keeps, (x,), out_ty={V})
            a = R.call_tir(cls.bump, (x,), out_ty={V})
            w = R.call_tir(cls.STORES, R.tuple(), out_ty={V})
            b = R.call_tir(cls.bump, (READ,), out_ty={V})
            R.output(u, b)
        return (u, b)
"""


def externs() -> dict[str, Any]:
    kept: list[Any] = []

    def store() -> None:
        for each in kept:
            each.assign(rr.Tensor.of([7.0] * 3, "float32"))

    return {"lib.keep": lambda *given: kept.extend(given), "lib.store": store}


@pytest.mark.parametrize("pipeline", ["default", "kernels", "paper"])
@pytest.mark.parametrize("read", ["a", "x"])
@pytest.mark.parametrize("stores", ["stores", "through"])
def test_what_is_stored_there_is_seen(stores: str, read: str, pipeline: str) -> None:
    checked = rr.check(rr.parse(TEXT.replace("STORES", stores).replace("READ", read)))
    lowered = lower(checked, pipeline=pipeline).module
    args = [[1.0, -2.0, 5.0]]
    reference = Reference(checked, "main", args, externs(), Budget())
    wanted = reference.outcome
    assert isinstance(wanted, rr.Returned) and isinstance(wanted.value, tuple), wanted
    ended = rr.run(lowered, "main", *copies(args), externs=externs())
    assert isinstance(ended, rr.Returned), ended
    assert [each.tolist() for each in ended.value] == [each.tolist() for each in wanted.value]
