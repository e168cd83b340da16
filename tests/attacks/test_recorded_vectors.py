"""A vector that is one element of a buffer is written down as its lanes."""

from __future__ import annotations

import refrelax as rr
from refrelax.views.recording import record

TEXT = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float16"), B: T.Buffer((4,), "float16")):
        V = T.decl_buffer((2,), "float16x2", data=A.data)
        W = T.decl_buffer((2,), "float16x2", data=B.data)
        for i in range(2):
            W[i] = V[i]
"""


def test_lanes_are_written_down() -> None:
    given = [rr.Tensor.of(each, "float16") for each in ([1.0, 2.0, 0.5, -1.0], [0.0] * 4)]
    found = record(rr.check(rr.parse(TEXT)), "main", *given, loops=True)
    assert isinstance(found.outcome, rr.Returned)
    for kind in ("read", "write"):
        assert [each.value for each in found.steps if each.kind == kind] == [
            {"lanes": [1.0, 2.0]},
            {"lanes": [0.5, -1.0]},
        ]
