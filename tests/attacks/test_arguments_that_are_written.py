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


OTHERS = """
@I.ir_module
class Module:
    @T.prim_func
    def one(B: T.Buffer((), "float32")):
        with T.sblock("b"):
            B[()] = B[()] + T.float32(1)

    @T.prim_func
    def two(B: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.sblock("b"):
                vi = T.axis.spatial(2, i)
                B[vi] = B[vi] + T.float32(1)

    @R.function(pure=False)
    def number(x: R.Tensor((), "float32")) -> R.Tensor((), "float32"):
        y = R.call_tir_inplace(Module.one, (x,), inplace_indices=[0], out_ty=[R.Tensor((), "float32")])
        return y

    @R.function(pure=False)
    def array(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.call_tir_inplace(Module.two, (x,), inplace_indices=[0], out_ty=[R.Tensor((2,), "float32")])
        return y

    @R.function(pure=False)
    def pair(s: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32"))) -> R.Tensor((2,), "float32"):
        x = s[0]
        y = s[1]
        z = R.call_tir_inplace(Module.two, (x,), inplace_indices=[0], out_ty=[R.Tensor((2,), "float32")])
        return y
"""


@pytest.fixture
def others() -> Any:
    return rr.compile(rr.check(rr.parse(OTHERS)))


@pytest.mark.parametrize("entry", ["one", "number"])
def test_a_number_of_numpy_is_not_written(others: Any, entry: str) -> None:
    with pytest.raises(rr.UsageError, match="give an array"):
        others[entry](np.float32(0))
    place = np.zeros((), np.float32)
    others[entry](place)
    assert place == 1


@pytest.mark.parametrize("entry", ["two", "array"])
@pytest.mark.parametrize("seen", [memoryview, Interface])
def test_a_buffer_in_the_other_byte_order_is_not_written(others: Any, entry: str, seen: Any) -> None:
    with pytest.raises(rr.UsageError, match="give an array"):
        others[entry](seen(np.zeros(2, np.dtype(np.float32).newbyteorder())))
    place = np.zeros(2, np.float32)
    others[entry](seen(place))
    assert place.tolist() == [1, 1]


@pytest.mark.parametrize("made", [
    lambda: np.zeros(2, np.float32),
    lambda: np.zeros(2, np.dtype(np.float32).newbyteorder()),
    lambda: rr.Tensor.of([0.0, 0.0]),
])  # fmt: skip
def test_within_a_tuple(others: Any, made: Any) -> None:
    place = made()
    others["pair"]((place, np.ones(2, np.float32)))
    assert place.tolist() == [1, 1]


def test_one_array_twice_in_a_tuple(others: Any) -> None:
    """As in a run (``ev/entry-arguments``): each field is memory of its own while the program runs."""
    place = np.zeros(2, np.float32)
    assert others.run("pair", (place, place)).value.tolist() == [0, 0]
    assert others["pair"]((place, place)).tolist() == [0, 0]
    assert place.tolist() == [1, 1]


def test_elements_that_share_memory_within_a_tuple(others: Any) -> None:
    line = np.zeros(1, np.float32)
    with pytest.raises(rr.UsageError, match="share memory"):
        others["pair"]((np.lib.stride_tricks.as_strided(line, (2,), (0,)), np.ones(2, np.float32)))
    assert line.tolist() == [0]
