"""Elements that lie side by side are moved 16 bytes at a time where they are aligned, and one by one where not."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.devices import DeviceArray
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.lower.pipeline import lower

pytestmark = [pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine"), pytest.mark.thorough]

PROGRAM = """
from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def same(x: R.Tensor(("n", "m"), "DTYPE"), y: R.Tensor(("n", "m"), "DTYPE")):
        with R.dataflow():
            a = R.multiply(x, y)
            z = R.add(a, x)
            R.output(z)
        return z

    @R.function
    def weighted(x: R.Tensor(("n", "m"), "DTYPE"), y: R.Tensor(("m",), "DTYPE")):
        with R.dataflow():
            z = R.multiply(x, y)
            R.output(z)
        return z

    @R.function
    def outer(x: R.Tensor(("n", 1), "DTYPE"), y: R.Tensor((1, "m"), "DTYPE")):
        with R.dataflow():
            z = R.add(x, y)
            R.output(z)
        return z

    @R.function
    def across(x: R.Tensor(("n", "m"), "DTYPE")):
        with R.dataflow():
            z = R.permute_dims(x)
            R.output(z)
        return z

    @R.function
    def widened(x: R.Tensor(("n", "m"), "DTYPE")):
        with R.dataflow():
            z = R.astype(x, "float64")
            R.output(z)
        return z

    @R.function
    def greater(x: R.Tensor(("n", "m"), "DTYPE"), y: R.Tensor(("n", "m"), "DTYPE")):
        with R.dataflow():
            z = R.greater(x, y)
            R.output(z)
        return z

    @R.function
    def largest(x: R.Tensor(("n", "m"), "DTYPE")):
        with R.dataflow():
            y = R.max(x, axis=[-1], keepdims=True)
            z = R.subtract(x, y)
            R.output(z)
        return z
"""

EXPECTED: dict[str, Any] = {
    "same": lambda x, y: x * y + x,
    "weighted": lambda x, y: x * y[0],
    "outer": lambda x, y: x[:, :1] + y[:1],
    "across": lambda x, _: x.T,
    "widened": lambda x, _: x.astype(np.float64),
    "greater": lambda x, y: x > y,
    "largest": lambda x, _: x - x.max(axis=1, keepdims=True),
}


@cache
def executable(dtype: str, order: int) -> CudaExecutable:
    module = lower(rr.check(rr.parse(PROGRAM.replace("DTYPE", dtype))), pipeline="kernels").module
    return CudaExecutable(module, "fast", EmulatedDevice(order))


def run(name: str, dtype: str, n: int, m: int, order: int) -> Any:
    compiled = executable(dtype, order)
    x = (np.arange(n * m) % 13 - 6).reshape(n, m).astype(dtype)
    y = (np.arange(n * m) % 7 - 3).reshape(n, m).astype(dtype)
    given_ = {
        "weighted": [x, y[0] if n else np.zeros(m, dtype)],
        "outer": [x[:, :1], y[:1]],
        "same": [x, y],
        "greater": [x, y],
    }.get(name, [x])
    compiled.program.seen.clear()
    ended = compiled.run(name, *given_)
    assert isinstance(ended, rr.Returned)
    wanted = EXPECTED[name](x, y)
    assert ended.value.numpy().tolist() == wanted.tolist()
    return compiled.program.seen


@settings(max_examples=25)
@given(
    st.sampled_from(sorted(EXPECTED)), st.sampled_from(["float32", "float16", "int8", "float64"]), st.integers(1, 9),
    st.integers(1, 70), st.integers(0, 2),
)  # fmt: skip
def test_every_size(name: str, dtype: str, n: int, m: int, order: int) -> None:
    run(name, dtype, n, m, order)


def test_no_element() -> None:
    for name in ("same", "across", "widened"):
        run(name, "float32", 0, 5, 0)
        run(name, "float32", 5, 0, 0)


@pytest.mark.parametrize(("dtype", "width"), [("float32", 4), ("float16", 8), ("int8", 16), ("float64", 2)])
def test_how_often_several_are_moved_at_once(dtype: str, width: int) -> None:
    def vectors(name: str, n: int, m: int) -> list[int]:
        (seen,) = run(name, dtype, n, m, 0)
        return [count for _, count in sorted(seen.vectors.items())]

    assert vectors("same", 3, 64) == vectors("weighted", 3, 64) == [3 * 64 // width] * 3
    assert sum(vectors("weighted", 3, 63)) < 3 * 3 * 64 // width, "rows begin anywhere"
    assert vectors("across", 16, 32) == [0, 16 * 32 // width]
    if dtype != "int8":
        assert vectors("largest", 5, 64) == [5 * 64 // width] * 2


def test_an_address_that_is_not_aligned() -> None:
    """As of a view into planned memory."""
    compiled = executable("float32", 0)
    device = compiled.device
    whole = device.upload(np.arange(3 * 64 + 1, dtype=np.float32))
    moved = DeviceArray(whole.memory[4:], (3, 64), np.dtype(np.float32))
    assert device.address(moved) % 16 == 4
    out = device.empty((3, 64), np.dtype(np.float64))
    name = next(n for n in compiled.launchers if n.startswith(("cast", "astype")))
    compiled.program.seen.clear()
    compiled.launchers[name](moved, out)
    assert device.download(out).tolist() == np.arange(1, 193, dtype=np.float64).reshape(3, 64).tolist()
    assert compiled.program.seen[0].vectors == {"a": 0, "out": 96}


SHORT = """
from tvm.script import ir as I, tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3, 5), "float32"), B: T.Buffer((3, 8), "float32")):
        for i, j in T.grid(3, 8):
            with T.sblock("copy"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj]
"""


def test_what_is_not_proved_to_be_in_bounds_is_moved_one_by_one() -> None:
    """The row of `A` is shorter than the loop: the last three loads mean nothing, and touch nothing."""
    compiled = CudaExecutable(rr.check(rr.parse(SHORT)), "fast", EmulatedDevice())
    a = np.arange(15, dtype=np.float32).reshape(3, 5)
    ended = compiled.run("main", a, np.zeros((3, 8), np.float32))
    assert isinstance(ended, rr.Returned)
    assert ended.arguments[1].numpy()[:, :5].tolist() == a.tolist()
    assert compiled.program.seen[0].vectors == {"A": 0, "B": 6}
