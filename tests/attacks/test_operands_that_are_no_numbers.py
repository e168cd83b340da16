"""Strings, buffers and vectors where the loop level takes one number, and memory that a pointer does not have."""

from __future__ import annotations

import pytest

import refrelax as rr

HEAD = """
@T.prim_func
def main(A: T.Buffer((4,), "float32"), N: T.Buffer((4,), "int32")):
    {}
"""


@pytest.mark.parametrize(
    "statement",
    [
        'm: T.let[T.int32] = T.Cast("int32", A.data)',
        'm: T.let[T.uint64] = T.reinterpret("uint64", A.data)',
        "N[0] = T.q_multiply_shift(T.float64(2.0), 5, 1, 0)",
        "N[0] = T.q_multiply_shift(N[0], 5, T.bool(True), 0)",
        "N[0] = T.q_multiply_shift(N[0], T.Broadcast(5, 4), 1, 0)",
        "A[0] = T.ldexp(A[0], T.Broadcast(2, 4))",
    ],
)
def test_operands_are_numbers(statement: str) -> None:
    """All of them were faults when the program ran."""
    with pytest.raises(rr.IllFormed, match="wf/scalar-kind"):
        rr.check(rr.parse(HEAD.format(statement)))


def test_a_name_that_is_a_float_is_no_function() -> None:
    checked = rr.check(rr.parse(HEAD.format('A[0] = T.call_pure_extern("float32", T.float16(2.0), A[0])')))
    with pytest.raises(rr.Unlinkable, match="link/library-function-missing"):
        rr.run(checked, "main", [1.0, 2.0, 3.0, 4.0], [1, 2, 3, 4])


@pytest.mark.parametrize("offset", [3, -1, 5])
@pytest.mark.parametrize("numerics", ["ieee", "enclosure"])
def test_a_callee_is_given_more_than_there_is(offset: int, numerics: str) -> None:
    """The callee looked at the extents of its parameter alone: a fault, or an element from the other end."""
    text = f"""
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def g(A: T.Buffer((2,), "float32")):
        for i in range(2):
            A[i] = T.float32(7)

    @T.prim_func
    def main(B: T.Buffer((4,), "float32")):
        Module.g(T.tvm_access_ptr(T.type_annotation("float32"), B.data, {offset}, 2, 3))
"""
    out = rr.run(rr.check(rr.parse(text)), "main", [1.0, 2.0, 3.0, 4.0], numerics=numerics)
    assert isinstance(out, rr.Unspecified) and out.rule == "ld/store-out-of-bounds"


def test_a_chosen_handle_that_is_named_alone_says_nothing() -> None:
    text = """
@T.prim_func
def main(A: T.Buffer((1,), "float32"), B: T.Buffer((1,), "float32"), n: T.Buffer((1,), "int32")):
    h: T.let[T.handle("float32", "global")] = T.if_then_else(n[0] > 0, A.data, B.data)
    A[0] = T.float32(7)
"""
    out = rr.run(rr.check(rr.parse(text)), "main", [1.0], [2.0], [1])
    assert isinstance(out, rr.Returned) and out.arguments[0].tolist() == [7.0]
