"""Arguments of loop programs on a device: which memory they lie in, and what of it the caller sees."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.errors import UsageError

pytestmark = pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")

TWO_STATEMENTS = """
@I.ir_module
class Module:
    @T.prim_func
    def after(o1: T.Buffer((8,), "float32"), b: T.Buffer((2,), "float32"), a: T.Buffer((100,), "float32"), o2: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("first"):
                v = T.axis.spatial(8, i)
                o1[v] = a[v] + b[v // 4]
        for i in range(8):
            with T.sblock("second"):
                v = T.axis.spatial(8, i)
                o2[v] = a[57 - v] + o1[v]
"""  # noqa: E501


@cache
def compiled(text: str) -> CudaExecutable:
    return CudaExecutable(rr.check(rr.parse(text)), "fast", EmulatedDevice())


@pytest.mark.thorough
@pytest.mark.parametrize("start", [10, 90])
def test_an_output_inside_an_input_is_stored_before_it_is_read(start: int) -> None:
    """``start``: where an array lies that is read alone; at 10 it begins between the other two."""
    memory = np.arange(100, dtype=np.float32)
    wanted = memory.copy()
    wanted[50:58] = wanted[:8] + np.repeat(wanted[start : start + 2], 4)
    out = np.empty(8, np.float32)
    compiled(TWO_STATEMENTS).resident("after")(memory[50:58], memory[start : start + 2], memory, out)
    assert out.tolist() == (wanted[50:58][::-1] + wanted[50:58]).tolist()
    assert memory.tolist() == wanted.tolist()


FILLED = """
@I.ir_module
class Module:
    @T.prim_func
    def twice(x: T.Buffer((3,), "float32"), out: T.Buffer((3,), "float32")):
        for i in range(3):
            with T.sblock("b"):
                v = T.axis.spatial(3, i)
                out[v] = x[v] + x[v]
"""


def test_an_array_of_the_other_byte_order_is_converted() -> None:
    call, out = compiled(FILLED).resident("twice"), np.empty(3, np.float32)
    for _ in range(2):
        call(np.array([1, 2, 3], ">f4"), out)
        assert out.tolist() == [2, 4, 6]
    with pytest.raises(UsageError):
        call(None, out)


@pytest.mark.parametrize("graph", [False, True])
def test_an_output_that_could_only_be_copied_is_refused(graph: bool) -> None:
    call, x = compiled(FILLED).resident("twice", graph=graph), np.ones(3, np.float32)
    fixed = np.zeros(3, np.float32)
    fixed.flags.writeable = False
    for _ in range(2):
        for out in (fixed, np.zeros(6, np.float32)[::2], np.zeros(3, ">f4")):
            with pytest.raises(UsageError, match="argument 1 is overwritten"):
                call(x, out)
        call(np.ones(6, np.float32)[::2], out := np.zeros(3, np.float32))
        assert out.tolist() == [2, 2, 2]
