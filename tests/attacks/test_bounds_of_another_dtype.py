"""Trees from JSON whose loops count in one dtype and are bounded in another: no text gives them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "int32")):
        for i in T.serial(1, 3, step=2):
            A[i] = 1
        for j in range(4):
            with T.sblock("b"):
                v = T.axis.spatial(4, j)
                A[v] = 2
        with T.launch_thread("threadIdx.x", 4) as t:
            A[t] = 3
"""


def found(tree: Any, node: str) -> Any:
    pending = [tree]
    while pending:
        each = pending.pop(0)
        if isinstance(each, dict) and each.get("node") == node:
            return each
        pending += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
    raise AssertionError(node)


@pytest.mark.parametrize(
    ("node", "field"),
    [("For", "min"), ("For", "extent"), ("For", "step"), ("IterVar", "min"), ("IterVar", "extent"),
     ("LaunchThread", "extent")],
)  # fmt: skip
def test_refused(node: str, field: str) -> None:
    tree = json.loads(rr.to_json(rr.parse(TEXT)))
    rr.check(rr.from_json(json.dumps(tree)))
    found(tree, node)[field]["dtype"] = "int8"
    with pytest.raises(rr.IllFormed) as refused:
        rr.check(rr.from_json(json.dumps(tree)))
    assert {each.rule for each in refused.value.diagnostics} == {"wf/operand-dtypes"}
