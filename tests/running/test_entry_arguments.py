"""The tensors that a run is given lie in memory of their own (``ev/entry-arguments``)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr

KERNEL = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(3):
            B[i + 1] = A[i] + T.float32(1)
"""
PARAMETERS = 'x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")'
TUPLE = 'p: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))'
GRAPH = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def step(B: T.Buffer((4,), "float32")):
        for i in range(3):
            B[i + 1] = B[i] + T.float32(1)
    @R.function(pure=False)
    def main({parameters}):
        cls = Module
        {names}
        z = R.call_tir_inplace(cls.step, (x,), inplace_indices=[0], out_ty=R.Tensor((4,), "float32"))
        return (x, y)
"""
START = [5.0, 2.0, 3.0, 4.0]
BACKENDS = [("numpy", "bits"), ("numpy", "fast"), ("cuda-emulated", "bits"), ("cuda-emulated", "fast")]
PROGRAMS = {
    "a kernel": (KERNEL, False, [START, [5.0, 6.0, 3.0, 4.0]]),
    "a function": (GRAPH.format(parameters=PARAMETERS, names=""), False, [[5.0, 6.0, 7.0, 8.0], START]),
    "a tuple": (GRAPH.format(parameters=TUPLE, names="x = p[0]; y = p[1]"), True, [[5.0, 6.0, 7.0, 8.0], START]),
}


def _finals(outcome: rr.Outcome) -> list[Any]:
    assert isinstance(outcome, rr.Returned), outcome
    found = outcome.arguments[0] if isinstance(outcome.arguments[0], tuple) else outcome.arguments
    return [each.tolist() for each in found]


def _given(pair: bool) -> tuple[Any, ...]:
    one = rr.Tensor.of(START, "float32")
    return ((one, one),) if pair else (one, one)


@pytest.mark.by_day(1)
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_tensor_as_two_arguments_is_two_tensors(name: str) -> None:
    text, pair, wanted = PROGRAMS[name]
    checked = rr.check(rr.parse(text))
    assert _finals(rr.run(checked, "main", *_given(pair))) == wanted
    for backend, mode in BACKENDS:
        compiled = rr.compile(checked, backend=backend, mode=mode)  # type: ignore[arg-type]
        assert _finals(compiled.run("main", *_given(pair))) == wanted, (backend, mode)


def test_under_every_reading() -> None:
    checked = rr.check(rr.parse(KERNEL))
    outcome = rr.run(checked, "main", *_given(False), numerics="enclosure")
    assert isinstance(outcome, rr.Returned)
    assert outcome.arguments[1].contains(np.array([5, 6, 3, 4], "float32"))


@pytest.mark.parametrize("backend", ["numpy", "cuda-emulated"])
def test_a_call_over_the_caller_s_memory_refuses_it(backend: Any) -> None:
    """The caller's memory cannot be what two arguments are in the end."""
    call = rr.compile(rr.check(rr.parse(KERNEL)), backend=backend)["main"]
    array = np.array(START, "float32")
    for one in (array, rr.Tensor.of(START, "float32")):
        with pytest.raises(rr.UsageError, match="the arguments 0 and 1 share memory that the program writes"):
            call(one, one)
