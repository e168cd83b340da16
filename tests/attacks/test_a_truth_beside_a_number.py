"""A comparison of programs asks of truths and of integers that are read from memory, under the same assumptions."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import Options, attempt

PROGRAM = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32"), X: T.Buffer((n,), "int32"), C: T.Buffer((n,), "float32")):
        for i in range(n):
            C[i] = {}
"""  # noqa: E501
PICKED = "A[T.if_then_else(B[i] < A[{}], i + T.int64(1), i)] + {}"


GIVEN = 'A[T.Cast("int64", T.bitwise_and(X[i], 3))]'


@pytest.mark.parametrize("other", [GIVEN, "A[i]"])
def test_one_answer_for_both(other: str) -> None:
    """Another element is not proved; and no answer is that the question is none."""
    texts = (PICKED.format("i", GIVEN), PICKED.format("i * T.int64(1)", other))
    both = [rr.check(rr.parse('n = TypeVar("n")' + PROGRAM.format(each))) for each in texts]
    found = attempt(*both, "main", Options())
    assert not isinstance(found, Proved) or other == GIVEN
