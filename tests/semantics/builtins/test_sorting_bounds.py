"""Library functions reach memory through the checked accesses alone: outside is poison to read, and open to write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "float32"), O: T.Buffer((4,), "int32")):
        T.call_packed(
            "tvm.contrib.sort.argsort",
            T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(T.int64({n})), 0, 1, T.float32(0), T.int64({a})),
            T.tvm_stack_make_array(O.data, T.tvm_stack_make_shape(T.int64({n})), 0, 1, 0, T.int64({o})),
            0, T.bool(True),
        )
"""


@given(st.integers(0, 6), st.integers(-5, 5), st.integers(-5, 5))
def test_argsort_at_an_offset(n: int, a: int, o: int) -> None:
    out = rr.run(
        rr.check(rr.parse(TEXT.format(n=n, a=a, o=o))), "main", rr.Tensor.of([4.0, 3.0, 2.0, 1.0], "float32"),
        rr.Tensor.of([9, 9, 9, 9], "int32"),
    )  # fmt: skip
    if n and not (o >= 0 and o + n <= 4):
        assert isinstance(out, rr.Unspecified) and out.rule == "ld/store-out-of-bounds"
        return
    assert isinstance(out, rr.Returned)
    if n and not (a >= 0 and a + n <= 4):
        assert {rule for _, rule in out.poison} == {"ld/load-out-of-bounds"}
    else:
        assert not out.poison
        written = list(reversed(range(n)))
        assert out.arguments[1].tolist() == ([9] * o + written + [9] * (4 - o - n) if n else [9] * 4)


@pytest.mark.parametrize("offset", [-1, 1])
def test_reading_beside_the_buffer(offset: int) -> None:
    out = rr.run(
        rr.check(rr.parse(TEXT.format(n=4, a=offset, o=0))), "main", rr.Tensor.of([1.0] * 4), rr.Tensor.of([0] * 4)
    )
    assert isinstance(out, rr.Returned) and len(out.poison) == 4
