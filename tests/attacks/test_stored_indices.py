"""What is stored is computed in its dtype, also where it is made of loop variables: compiled modules wrap, too."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(A: T.Buffer((3,), "{dtype}")):
        for i in range(3):
            A[i] = {value}
    @R.function
    def main() -> R.Tensor((3,), "{dtype}"):
        cls = Module
        out = R.call_tir(cls.f, R.tuple(), out_ty=R.Tensor((3,), dtype="{dtype}"))
        return out
"""

STORED = [
    ('T.Cast("int32", i + 2147483647 > 0)', "int32"),
    ('T.Cast("int64", i + 2147483647)', "int64"),
    ("i * 1073741824 + i < i", "bool"),
    ("T.Not(i + 2147483647 > 0)", "bool"),
    ("T.And(i + 2147483647 > 0, i > 0)", "bool"),
    ("T.Or(i + 2147483647 > 0, i < 1)", "bool"),
    ('T.Cast("int8", i * 100) > T.int8(0)', "bool"),
    ('T.Cast("int32", T.Cast("int8", i * 100))', "int32"),
]


@pytest.mark.by_day(4)
@pytest.mark.parametrize(("impl", "mode"), [("numpy", "bits"), ("numpy", "fast"), ("cuda-emulated", "bits")])
@pytest.mark.parametrize(("value", "dtype"), STORED)
def test_a_stored_expression_wraps(value: str, dtype: str, impl: str, mode: Any) -> None:
    checked = rr.check(rr.parse(TEXT.format(value=value, dtype=dtype)))
    ended = rr.run(checked, "main")
    assert isinstance(ended, rr.Returned), ended
    verdict = rr.diff(checked, "main", [], impl=impl, mode=mode)
    assert isinstance(verdict, rr.Agreement), verdict
