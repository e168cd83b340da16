"""The bounds of a loop are evaluated once, before it, whatever its body stores."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_ import emulate

PROGRAM = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3,), "int32"), O: T.Buffer((3,), "int32")):
        for i in range(A[1]):
            A[1] = A[1] - 1
            O[0] = O[0] + 1
        for i in range(A[0] - 1, A[0] + 2):
            A[0] = A[0] + 1
            O[1] = O[1] * 10 + i
        for i in T.serial(A[2], A[2] + 7, step=3):
            A[2] = 7
            O[2] = O[2] * 10 + i
"""


@pytest.mark.by_day(3)
@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("backend", ["numpy", *(["cuda-emulated"] if emulate.compiler() else [])])
def test_what_a_body_stores_moves_no_bound(backend: str, mode: str) -> None:
    checked = rr.check(rr.parse(PROGRAM))
    given = [np.array([3, 5, 1], np.int32), np.zeros(3, np.int32)]
    wanted = rr.run(checked, "main", *given)
    assert isinstance(wanted, rr.Returned) and wanted.arguments[1].tolist() == [5, 234, 147]
    found = rr.compile(checked, backend=backend, mode=mode).run("main", *given)
    assert isinstance(found, rr.Returned), found
    assert [each.tolist() for each in found.arguments] == [each.tolist() for each in wanted.arguments]
