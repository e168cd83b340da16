"""An element made of indices wraps where its dtype ends, in every backend: an index would be exact there."""

from __future__ import annotations

import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3,), "int32")):
        for i in range(3):
            A[i] = VALUE
"""
WRAPS = [
    'T.Cast("int32", i + 2147483647 > 0)',
    'T.Cast("int32", T.And(i + 2147483647 > 0, i < 2))',
    'T.Cast("int32", T.Not(i + 2147483647 > 0))',
    "i * 2147483647 - 1",
    'T.Cast("int32", T.Cast("int64", i + 2147483646 + 1) // 4294967296)',
]


@pytest.mark.by_day(1)
@pytest.mark.parametrize("value", WRAPS)
def test_every_backend_wraps(value: str) -> None:
    checked = rr.check(rr.parse(TEXT.replace("VALUE", value)))
    start = rr.Tensor.of([0, 0, 0], "int32")
    for backend in ("numpy", "cuda-emulated"):
        verdict = rr.diff(checked, "main", [start], impl=backend)
        assert isinstance(verdict, rr.Agreement), f"{backend}: {verdict}"
