"""What a program writes to an argument reaches the caller, or the call says that it cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr

TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func
    def g(p: T.handle):
        n = T.int64()
        A = T.match_buffer(p, (n, 3), "float32")
        for i, j in T.grid(n, 3):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = A[vi, vj] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor((n, 3), "float32")):
        cls = Module
        y = R.call_tir_inplace(cls.g, (x,), inplace_indices=[0], out_ty=R.Tensor((n, 3), "float32"))
        return y

    @R.function
    def alone(x: R.Tensor((n, 3), "float32")):
        y = R.add(x, x)
        return y
"""


class Interface:
    """An object with the array protocol alone."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.__array_interface__ = array.__array_interface__


@pytest.fixture
def compiled() -> Any:
    return rr.compile(rr.check(rr.parse(TEXT)))


def ones() -> Any:
    return np.arange(6, dtype=np.float32).reshape(2, 3)


def test_a_list_is_not_written(compiled: Any) -> None:
    with pytest.raises(rr.UsageError, match="a list or a number"):
        compiled["main"]([[1.0, 2.0, 3.0]])
    assert compiled["alone"]([[1.0, 2.0, 3.0]]).tolist() == [[2.0, 4.0, 6.0]]


def test_elements_that_share_memory(compiled: Any) -> None:
    line = np.arange(8, dtype=np.float32)
    lapping = np.lib.stride_tricks.as_strided(line, (2, 3), (4, 4))
    with pytest.raises(rr.UsageError, match="share memory"):
        compiled["main"](lapping)
    assert line.tolist() == list(range(8))
    assert compiled["alone"](lapping).tolist() == [[0.0, 2.0, 4.0], [2.0, 4.0, 6.0]]


def test_the_array_protocol(compiled: Any) -> None:
    array = ones()
    compiled["main"](Interface(array))
    assert array.tolist() == (ones() + 1).tolist()
    assert compiled["alone"](Interface(array)).tolist() == (2 * (ones() + 1)).tolist()

    broken = Interface(array)
    broken.__array_interface__ = {"shape": (2, 3), "typestr": "<f4", "version": 3}
    with pytest.raises(rr.UsageError, match="__array_interface__"):
        compiled["alone"](broken)


def test_a_cost_that_numpy_does_not_have(compiled: Any) -> None:
    with pytest.raises(rr.UsageError, match="launches no kernels"):
        compiled.cost("alone", n=2)
