"""A list of launches is replayed only for what it was made for, and finds what its first run found."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.emulate import EmulatedDevice

pytestmark = pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")

SCALED = """
@I.ir_module
class Module:
    @T.prim_func
    def scale(x: T.Buffer((3,), "float32"), s: T.float32, out: T.Buffer((3,), "float32")):
        for i in range(3):
            with T.sblock("b"):
                v = T.axis.spatial(3, i)
                out[v] = x[v] * s
"""


@cache
def compiled(text: str) -> CudaExecutable:
    return CudaExecutable(rr.check(rr.parse(text)), "fast", EmulatedDevice())


@pytest.mark.parametrize("graph", [False, True])
def test_a_list_is_made_for_a_number_and_its_sign(graph: bool) -> None:
    call, x = compiled(SCALED).resident("scale", graph=graph), np.ones(3, np.float32)
    for number in (0.0, -0.0, 0.0, -0.0):
        out = np.empty(3, np.float32)
        call(x, number, out)
        assert np.signbit(out).tolist() == [bool(np.signbit(number))] * 3


ACCUMULATED = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(a: T.Buffer((3,), "float32"), b: T.Buffer((3,), "float32")):
        for i in range(3):
            with T.sblock("b"):
                v = T.axis.spatial(3, i)
                a[v] = a[v] + b[v]
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        z = R.zeros(R.shape([3]), dtype="float32")
        y = R.call_tir_inplace(Module.add, (z, x), inplace_indices=[0], out_ty=R.Tensor((3,), "float32"))
        return y
"""


@pytest.mark.thorough
@pytest.mark.parametrize("graph", [False, True])
def test_what_the_host_filled_and_a_kernel_overwrites_is_filled_again(graph: bool) -> None:
    call = compiled(ACCUMULATED).resident("main", graph=graph)
    for turn in (1, 2, 3):
        assert call(np.full(3, turn, np.float32)).tolist() == [turn] * 3


CONSTANT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        y = R.const([1.0, 2.0, 3.0], "float32")
        return y
"""


@pytest.mark.parametrize("graph", [False, True])
def test_who_writes_to_a_result_writes_to_no_constant(graph: bool) -> None:
    made, x = compiled(CONSTANT), np.ones(3, np.float32)
    call = made.resident("main", graph=graph)
    for _ in range(3):
        y = call(x)
        assert y.tolist() == [1, 2, 3]
        y[:] = 9
    assert made["main"](x).tolist() == [1, 2, 3]
