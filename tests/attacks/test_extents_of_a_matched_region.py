"""The match of a region defines symbols of strides and offset (`ev/match-buffer-region`), and none of extents."""

from __future__ import annotations

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("n",), "int32")):
        with T.sblock("b"):
            {declared}
            M = T.match_buffer(A[1:n], ({extent},), "int32", strides=["s"], offset_factor=1)
            M[0] = T.Cast("int32", s) + 6
"""


def test_an_extent_is_no_definition() -> None:
    with pytest.raises(rr.IllFormed, match="wf/loop-var-defined"):
        rr.check(rr.parse(MODULE.format(declared="k = T.int32()", extent="k")))


@pytest.mark.parametrize("extent", ["n - 1", "3"])
def test_an_extent_may_be_made_of_what_is_defined(extent: str) -> None:
    ended = rr.run(
        rr.check(rr.parse(MODULE.format(declared="pass", extent=extent))), "main", rr.Tensor.of([0] * 4, "int32")
    )
    assert isinstance(ended, rr.Returned) and ended.arguments[0].tolist() == [0, 7, 0, 0], ended
