"""A write of the value that is there already changes nothing, and is another value beside a write that changes it."""

from __future__ import annotations

import textwrap

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(O: T.Buffer((2,), "int32")):
        for i in {loop}:
{body}
"""

ADD = "T.cuda.atomic_add(T.address_of(O[0]), 1)"
RACES = {
    "the first of two writes": "O[0] = i",
    "changed and changed back": "if i == 0:\n    O[0] = 1\n    O[0] = 0\nelse:\n    O[0] = 0",
    "before an atomic": f"if i == 0:\n    O[0] = 0\nelse:\n    {ADD}",
    "after an atomic": f"if i == 0:\n    {ADD}\nelse:\n    O[0] = 1",
}
ORDERS = {
    "all write what is there": ("O[0] = 0", [0, 0]),
    "all write one other value": ("O[0] = 7", [7, 0]),
    "read beside it": ("if i == 0:\n    O[0] = 0\nelse:\n    O[1] = O[0] + 1", [0, 1]),
    "its own change after it": ("if i == 0:\n    O[0] = 0\n    O[0] = 5", [5, 0]),
}


def _run(body: str, loop: str) -> rr.Outcome:
    text = MODULE.format(loop=loop, body=textwrap.indent(body, " " * 12))
    return rr.run(rr.check(rr.parse(text)), "main", rr.Tensor.of([0, 0], "int32"))


LOOPS = pytest.mark.parametrize("loop", ["T.parallel(2)", 'T.thread_binding(2, thread="threadIdx.x")'])


@LOOPS
@pytest.mark.parametrize("body", RACES.values(), ids=[*RACES])
def test_it_races_with_another_value(body: str, loop: str) -> None:
    ended = _run(body, loop)
    assert isinstance(ended, rr.Unspecified) and ended.rule == "ev/data-race", ended


@LOOPS
@pytest.mark.parametrize(("body", "left"), ORDERS.values(), ids=[*ORDERS])
def test_it_races_with_nothing_else(body: str, left: list[int], loop: str) -> None:
    ended = _run(body, loop)
    assert isinstance(ended, rr.Returned) and ended.arguments[0].tolist() == left, ended


def test_two_loops_are_in_order() -> None:
    text = MODULE.format(loop="T.parallel(2)", body=" " * 12 + "O[0] = 0")
    text += "        for j in T.parallel(2):\n            O[0] = 1\n"
    ended = rr.run(rr.check(rr.parse(text)), "main", rr.Tensor.of([0, 0], "int32"))
    assert isinstance(ended, rr.Returned) and ended.arguments[0].tolist() == [1, 0], ended
