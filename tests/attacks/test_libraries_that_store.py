"""A library function that is called with room for its results writes them there, on every backend."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower
from refrelax.semantics.types.checked import CheckedModule

TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), "float32"), w: R.Tensor((3, 2), "float32")) -> R.Tensor((n, 2), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 8}})
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.relu(a)
            R.output(b)
        return b
"""
STEPS = ("dispatch_library", "legalize", "to_destinations", "plan_memory", "capture", "build")


def lowered(count: int) -> CheckedModule:
    return lower(rr.check(rr.parse(TEXT)), passes=STEPS[:count]).module


@pytest.mark.thorough
@pytest.mark.parametrize("mode", ["fast", "bits"])
@pytest.mark.parametrize("backend", ["numpy", "cuda-emulated"])
@pytest.mark.parametrize("count", range(1, len(STEPS) + 1))
def test_every_step_of_the_pipeline_computes_the_product(
    backend: str, mode: Literal["fast", "bits"], count: int
) -> None:
    compiled = rr.compile(lowered(count), backend=backend, mode=mode)
    for rows in (4, 1, 0, 4):
        x = np.arange(rows * 3, dtype="float32").reshape(rows, 3) - rows
        w = np.arange(6, dtype="float32").reshape(3, 2)
        out = compiled.run("main", x, w)
        assert isinstance(out, rr.Returned), out
        assert out.value.numpy().tolist() == np.maximum(x @ w, 0).tolist()


@pytest.mark.parametrize("backend", ["numpy", "cuda-emulated"])
def test_what_is_registered_writes_them_there(backend: str) -> None:
    def ones(x: rr.Tensor, w: rr.Tensor, out: rr.Tensor) -> None:
        out.assign([[1.0, 1.0]] * out.shape[0])

    compiled = rr.compile(lowered(len(STEPS)), backend=backend)
    out = compiled.run("main", np.zeros((2, 3), "float32"), np.zeros((3, 2), "float32"), externs={NAME: ones})
    assert isinstance(out, rr.Returned), out
    assert out.value.numpy().tolist() == [[1.0, 1.0]] * 2


NAME = "cublas.matmul_f32"


WRITTEN = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        y = R.call_dps_packed("testing.copy_into", (x,), out_ty=R.Tensor((3,), "float32"))
        z = R.reshape(y, R.shape([3, 1]))
        w = R.add(z, z)
        return (w, y)
"""


@pytest.mark.by_day(4)
@pytest.mark.parametrize("mode", ["fast", "bits"])
@pytest.mark.parametrize("backend", ["numpy", "cuda-emulated"])
@pytest.mark.parametrize("pipeline", ["none", "default", "paper"])
def test_a_library_function_without_a_contract_writes_too(
    pipeline: str, backend: str, mode: Literal["fast", "bits"]
) -> None:
    compiled = rr.compile(lower(rr.check(rr.parse(WRITTEN)), pipeline).module, backend=backend, mode=mode)
    out = compiled.run("main", np.arange(3, dtype="float32"), externs=rr.testing.EXTERNS)
    assert isinstance(out, rr.Returned), out
    assert [each.numpy().tolist() for each in out.value] == [[[0.0], [2.0], [4.0]], [0.0, 1.0, 2.0]]
