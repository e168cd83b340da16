"""An exchange takes place before its statement, wherever in it: in a loop's bounds, in a block's head, inside a let."""

from __future__ import annotations

import textwrap

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(O: T.Buffer((32,), "int32")):
        for t in T.thread_binding(32, thread="threadIdx.x"):
{body}
"""


def _of_lane(value: str, lane: int = 3) -> str:
    return f"T.tvm_warp_shuffle(T.uint32(0xffffffff), {value}, {lane}, 32, 32)"


THREE = _of_lane("t")
PLACES = {
    "the extent of a loop": (f"for i in range({THREE}):\n    O[t] += i + 1", [6] * 32),
    "no iteration": (f"for i in range({_of_lane('t', 0)}):\n    O[t] = 1", [0] * 32),
    "the start of a loop": (f"for i in T.serial({THREE}, 5):\n    O[t] += i", [7] * 32),
    "a binding": (f'with T.sblock("b"):\n    v = T.axis.spatial(64, {THREE} + t)\n    O[v - 3] = v', [*range(3, 35)]),
    "a predicate": (
        f'with T.sblock("b"):\n    v = T.axis.spatial(32, t)\n    T.where(t < {THREE})\n    O[v] = 1',
        [1, 1, 1, *[0] * 29],
    ),
    "a condition": (f"if t < {THREE}:\n    O[t] = 1", [1, 1, 1, *[0] * 29]),
    "the body of a let": (f"O[t] = T.Let({_of_lane('v')}, where={{v: t + 1}})", [4] * 32),
    "the value of a let": (f"O[t] = T.Let(v + 1, where={{v: {THREE}}})", [4] * 32),
    "a let in a let": (
        f"O[t] = T.Let(T.Let({_of_lane('v + w')} + v, where={{w: v * 2}}), where={{v: t + 1}})",
        [*range(13, 45)],
    ),
}


@pytest.mark.parametrize(("body", "left"), PLACES.values(), ids=[*PLACES])
def test_it_happens_first(body: str, left: list[int]) -> None:
    text = MODULE.format(body=textwrap.indent(body, " " * 12))
    ended = rr.run(rr.check(rr.parse(text)), "main", rr.Tensor.of([0] * 32, "int32"))
    assert isinstance(ended, rr.Returned) and ended.arguments[0].tolist() == left, ended
