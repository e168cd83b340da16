"""An array that is written has a place for each of its elements; what is a class is no array."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @T.prim_func
    def k(a: T.handle, o: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        O = T.match_buffer(o, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                v = T.axis.spatial(n, i)
                O[v] = A[v] + T.float32(1)
"""


@pytest.mark.parametrize("stride", [0, 2])
def test_an_output_whose_elements_share_memory_is_refused(stride: int) -> None:
    out = as_strided(np.zeros(4, "float32"), (4,), (stride,))
    with pytest.raises(rr.UsageError, match="elements of O share memory"):
        rr.compile(rr.parse(TEXT))["k"](np.arange(4, dtype="float32"), out)
    assert not out.any()


@pytest.mark.parametrize("step", [1, -1, 2, -2])
def test_an_output_with_room_between_its_elements_is_filled(step: int) -> None:
    out = np.zeros(4 * abs(step), "float32")[::step]
    rr.compile(rr.parse(TEXT))["k"](np.arange(4, dtype="float32"), out)
    assert out.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("kind", [np.float32, np.ndarray])
def test_a_class_is_no_array(kind: type) -> None:
    with pytest.raises(rr.UsageError, match=f"a class, {kind.__name__}, is no array"):
        rr.compile(rr.parse(TEXT))["k"](kind, np.zeros(4, "float32"))
