"""A left shift in index arithmetic of which both operands are known when the function is called."""

from __future__ import annotations

import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4,), "int32"), k: T.{dtype}):
        A[T.shift_left(k, T.{dtype}({count})) % T.{dtype}(4)] = T.int32(9)
"""


@pytest.mark.parametrize(("dtype", "count", "fits"), [("int32", 30, True), ("int32", 31, False), ("int8", 7, False)])
def test_a_shift_of_a_known_number_overflows(dtype: str, count: int, fits: bool) -> None:
    found = rr.run(rr.check(rr.parse(TEXT.format(dtype=dtype, count=count))), "main", [1, 2, 3, 4], 1)
    if fits:
        assert isinstance(found, rr.Returned)
        assert found.arguments[0].tolist() == [9, 2, 3, 4]
    else:
        assert isinstance(found, rr.Unspecified)
        assert found.rule == "ld/index-overflow"


def test_a_shift_of_a_literal_overflows() -> None:
    text = TEXT.format(dtype="int8", count=7).replace("T.shift_left(k,", "T.shift_left(T.int8(1),")
    found = rr.run(rr.check(rr.parse(text)), "main", [1, 2, 3, 4], 1)
    assert isinstance(found, rr.Unspecified)
    assert found.rule == "ld/index-overflow"
