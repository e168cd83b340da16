"""Intrinsics of pointers and vectors, of which no example fits into a cell of chapter 07b."""

from __future__ import annotations

import pytest

import refrelax as rr

HANDLES = """@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4,), "float32"), O: T.Buffer((1,), "bool")):
        O[0] = T.isnullptr({pointer})
"""


@pytest.mark.parametrize(("pointer", "null"), [("T.tvm_static_handle()", True), ("A.data", False)])
def test_a_static_handle_is_null(pointer: str, null: bool) -> None:
    ended = rr.run(rr.check(rr.parse(HANDLES.format(pointer=pointer))), "main", [0.0] * 4, rr.Tensor.of([not null]))
    assert isinstance(ended, rr.Returned) and ended.arguments[1].tolist() == [null]


HALVES = """@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4,), "float32"), O: T.Buffer(({lanes},), "float32")):
        O[0:{lanes}] = {value}
"""


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("T.vectorlow('float32x2', A[0:4])", [1, 2]),
        ("T.vectorhigh('float32x2', A[0:4])", [3, 4]),
        ("T.vectorcombine('float32x4', A[2:4], A[0:2])", [3, 4, 1, 2]),
    ],
)
def test_halves(value: str, found: list[float]) -> None:
    program = rr.check(rr.parse(HALVES.format(lanes=len(found), value=value)))
    ended = rr.run(program, "main", [1.0, 2, 3, 4], [0.0] * len(found))
    assert isinstance(ended, rr.Returned) and ended.arguments[1].tolist() == found
