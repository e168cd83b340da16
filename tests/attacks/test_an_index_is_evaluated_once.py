"""What an index calls is called once an access, and the element that is tested is the one that is accessed."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.views.recording import record

TEXT = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "int32"), B: T.Buffer((3,), "int32"), C: T.Buffer((1,), "int32")):
        for i in range(3):
            {statement}
"""

CALL = 'T.call_extern("int32", "lib.next")'


def _run(statement: str, recorded: bool = False) -> tuple[Any, int]:
    calls = 0

    def following(*_args: Any) -> int:
        nonlocal calls
        calls += 1
        return calls - 1

    checked = rr.check(rr.parse(TEXT.format(statement=statement)))
    tensors = [rr.Tensor.of(each, "int32") for each in ([10, 11, 12, 13], [0, 0, 0], [0])]
    if recorded:
        return record(checked, "main", *tensors, loops=True, externs={"lib.next": following}).outcome, calls
    return rr.run(checked, "main", *tensors, externs={"lib.next": following}), calls


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (f"B[i] = A[{CALL}]", [10, 11, 12]),
        (f"B[{CALL}] = A[i + 1]", [11, 12, 13]),
        (f"B[i] = A[T.max({CALL}, 1)]", [11, 11, 12]),
    ],
)
def test_a_call_in_an_index_is_one_call(statement: str, found: list[int], recorded: bool) -> None:
    ended, calls = _run(statement, recorded)
    assert isinstance(ended, rr.Returned), ended
    assert ended.arguments[1].tolist() == found
    assert calls == 3 == len(ended.effects)


@pytest.mark.parametrize("recorded", [False, True])
def test_an_atomic_in_an_index_adds_once(recorded: bool) -> None:
    ended, _ = _run("B[i] = A[T.atomic_add(T.address_of(C[0]), 1)]", recorded)
    assert isinstance(ended, rr.Returned), ended
    assert ended.arguments[1].tolist() == [10, 11, 12] and ended.arguments[2].tolist() == [3]
