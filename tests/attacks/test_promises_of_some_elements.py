"""What is promised of some elements is not promised of others: a tensor filled with one number shows no difference."""

from __future__ import annotations

import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "int32"), D: T.Buffer((2, 2), "int32"), B: T.Buffer((4,), "int32")):
        {promise}
        {use}
"""
ALL = ("for k in range(4):\n            B[k] = A[k]", "for k in range(4):\n            B[k] = 3")


@pytest.mark.parametrize(
    "promise",
    [
        "for i in range(2):\n            T.assume(A[i] == 3)",
        "for i in range(2):\n            T.assume(A[2 * i] == 3)",
        "for i in range(2):\n            T.assume(D[i, i] == 3)",
        "for i in range(4):\n            T.assume(A[i % 2] == 3)",
        "T.assume(A[0] == 3)",
    ],
)
def test_refuted(promise: str) -> None:
    first, second = (rr.check(rr.parse(TEXT.format(promise=promise, use=use))) for use in ALL)
    assert isinstance(rr.validate(first, second), rr.Refuted)


def test_what_is_promised_is_kept() -> None:
    promise = "for i in range(4):\n            T.assume(A[i] == 3)"
    first, second = (rr.check(rr.parse(TEXT.format(promise=promise, use=use))) for use in ALL)
    assert isinstance(rr.validate(first, second), rr.Equivalent)
