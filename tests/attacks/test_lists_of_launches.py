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
