"""The extents of an allocation are those at which it was reached, whatever is written afterwards to what they read."""

from __future__ import annotations

import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3,), "int32"), B: T.Buffer((6,), "int32")):
        C = T.alloc_buffer((2, A[0]), "int32")
        A[0] = {first}
        for i, j in T.grid(2, 3):
            C[i, j] = i * 3 + j
        A[0] = {second}
        for i, j in T.grid(2, 3):
            B[i * 3 + j] = C[i, j]
"""


@pytest.mark.parametrize("first", [3, 1, 7, 0, -1])
@pytest.mark.parametrize("second", [3, 2, 9, 0])
def test_extents_are_read_when_the_allocation_is_reached(first: int, second: int) -> None:
    checked = rr.check(rr.parse(TEXT.format(first=first, second=second)))
    given = [rr.Tensor.of(each, "int32") for each in ([3, 0, 0], [0] * 6)]
    ended = rr.run(checked, "main", *given)
    assert isinstance(ended, rr.Returned), ended
    assert ended.arguments[1].tolist() == [0, 1, 2, 3, 4, 5]


def test_a_call_in_an_extent_is_one_call() -> None:
    text = TEXT.replace("A[0]), ", 'T.call_extern("int32", "lib.three")), ').format(first=1, second=2)
    given = [rr.Tensor.of(each, "int32") for each in ([0, 0, 0], [0] * 6)]
    ended = rr.run(rr.check(rr.parse(text)), "main", *given, externs={"lib.three": lambda: 3})
    assert isinstance(ended, rr.Returned) and ended.arguments[1].tolist() == [0, 1, 2, 3, 4, 5], ended
    assert len(ended.effects) == 1
