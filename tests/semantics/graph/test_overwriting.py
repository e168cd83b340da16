"""What may store into a tensor that graph-level code sees, through functions that call functions, also in circles."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.semantics.graph.overwriting import Overwriting

TEXT = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def store(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = A[i] + T.float32(1)

    @R.function(private=True, pure=False)
    def stores(x: R.Tensor((4,), "float32"), n: R.Prim("int64")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = R.call_tir_inplace(cls.store, (x,), out_ty=R.Tensor((4,), "float32"), inplace_indices=[0])
        return y

    @R.function(private=True, pure=False)
    def pure(x: R.Tensor((4,), "float32"), n: R.Prim("int64")) -> R.Tensor((4,), "float32"):
        y = R.add(x, x)
        return y

    @R.function(private=True, pure=False)
    def inner(x: R.Tensor((4,), "float32"), n: R.Prim("int64")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = cls.{0}(x, n)
        return y

    @R.function(private=True, pure=False)
    def outer(x: R.Tensor((4,), "float32"), n: R.Prim("int64")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = cls.inner(x, n)
        z = R.add(y, y)
        return z

    @R.function(private=True, pure=False)
    def ping(x: R.Tensor((4,), "float32"), n: R.Prim("int64")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = cls.pong(x, n)
        return y

    @R.function(private=True, pure=False)
    def pong(x: R.Tensor((4,), "float32"), n: R.Prim("int64")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = cls.ping(x, n)
        z = cls.{0}(y, n)
        return z
"""


@pytest.mark.parametrize("last", ("stores", "pure"))
def test_functions_that_reach_a_store(last: str) -> None:
    functions = rr.check(rr.parse(TEXT.format(last))).module.functions
    stores = last == "stores"
    wanted = {"stores": True, "pure": False, "inner": stores, "outer": stores, "ping": stores, "pong": stores}
    for order in (sorted(wanted), sorted(wanted, reverse=True)):
        asked = Overwriting(functions)
        assert {name: asked.function(name) for name in order} == wanted
