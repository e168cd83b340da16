"""What the first program leaves to any order, or open, may be several values of the second: they are not one.

``c`` and ``d`` are truths about one sum in two orders: each is what the other permits, and they may differ.
"""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

SUMS = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor((m,), "float32"), z: R.Tensor((m,), "float32"),
             w: R.Tensor((m,), "float32")):
        c = R.less(R.sum(x), R.const(0.0, "float32"))
        d = R.less(R.sum(R.flip(x, axis=0)), R.const(0.0, "float32"))
        s = R.astype(R.sum(x), "int32")
        t = R.astype(R.sum(R.flip(x, axis=0)), "int32")
        r = {}
        return r
"""
OPEN = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((n,), "int32"), B: T.Buffer((n,), "int32"), P: T.Buffer((n,), "bool"),
             Z: T.Buffer((n,), "int32"), C: T.Buffer((n,), "int32")):
        U = T.alloc_buffer((n,), "int32")
        for i in range(n):
            C[i] = {}
"""
PROVED = [
    (SUMS, "R.where(c, y, w)", "R.where(d, y, w)"),
    (SUMS, "R.where(c, R.where(c, y, z), w)", "R.where(c, y, w)"),
    (SUMS, "R.subtract(s, s)", "R.subtract(t, t)"),
    (OPEN, "T.Select(P[i], U[i], Z[i])", "T.Select(P[i], A[i], Z[i])"),
    (OPEN, "Z[i] + T.Select(P[i], U[i], 0)", "Z[i] + T.Select(P[i], A[i], 0)"),
]
NOT_PROVED = [
    (SUMS, "R.where(c, y, w)", "R.where(d, R.where(c, y, z), w)"),
    (SUMS, "R.where(c, y, w)", "R.where(d, y, R.where(c, z, w))"),
    (SUMS, "s", 'R.subtract(R.multiply(s, R.const(100, "int32")), R.multiply(t, R.const(99, "int32")))'),
    (SUMS, 'R.logical_and(c, R.const(False, "bool"))', "R.logical_xor(c, d)"),
    (SUMS, 'R.logical_and(c, R.const(False, "bool"))', "R.logical_and(c, R.logical_not(d))"),
    (OPEN, "T.Select(P[i], U[i], Z[i])", "T.Select(P[i], A[i], Z[i] + A[i] - B[i])"),
    (OPEN, "T.Select(P[i], U[i], Z[i] + 0)", "Z[i] + T.Select(P[i], A[i] - Z[i], A[i] - B[i])"),
]


def is_proved(text: str, first: str, second: str) -> bool:
    """By the terms alone: no run is held against it."""
    return isinstance(
        attempt(rr.check(rr.parse(text.format(first))), rr.check(rr.parse(text.format(second))), "main"), Proved
    )


@pytest.mark.parametrize(("text", "first", "second"), PROVED)
def test_one_value_is_proved(text: str, first: str, second: str) -> None:
    assert is_proved(text, first, second)


@pytest.mark.parametrize(("text", "first", "second"), NOT_PROVED)
def test_several_values_are_not_one(text: str, first: str, second: str) -> None:
    assert not is_proved(text, first, second)


def test_the_arm_that_no_order_permits() -> None:
    x = np.array([-0.5, -1e8, 1, 1e8], "float32")
    arms = [np.full(3, k, "float32") for k in (1, 9, 3)]
    _, first, second = NOT_PROVED[0]
    found = rr.validate(rr.parse(SUMS.format(first)), rr.parse(SUMS.format(second)), args=[x, *arms])
    assert found.word == "REFUTED", found
