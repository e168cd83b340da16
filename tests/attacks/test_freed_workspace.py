"""Memory that a loop program freed is used no more: reads, stores, other views and a second end leave the run open."""

from __future__ import annotations

import pytest

import refrelax as rr

PROGRAM = """
from tvm.script import tirx as T

@T.prim_func
def main(B: T.Buffer((4,), "int32")):
    p: T.let[T.handle("int32")] = T.TVMBackendAllocWorkspace(1, 0, 16, 0, 32)
    C = T.decl_buffer((4,), "int32", data=p)
    D = T.decl_buffer((8,), "int16", data=p)
    C[0] = 7
    D[2] = T.int16(5)
    B[0] = C[0]
    B[1] = T.TVMBackendFreeWorkspace(1, 0, p)
    {}
"""


@pytest.mark.parametrize(
    "use", ["B[2] = C[0]", "C[0] = 1", "D[0] = T.int16(1)", "B[2] = T.TVMBackendFreeWorkspace(1, 0, p)"]
)
def test_a_use_after_the_end(use: str) -> None:
    found = rr.run(rr.check(rr.parse(PROGRAM.format(use))), "main", [0, 0, 0, 0])
    assert isinstance(found, rr.Unspecified) and found.rule == "st/use-after-kill"


def test_another_view_holds_nothing_that_can_be_read() -> None:
    found = rr.run(rr.check(rr.parse(PROGRAM.format("B[2] = T.Cast('int32', D[2])"))), "main", [0, 0, 0, 0])
    assert isinstance(found, rr.Unspecified) or "st/use-after-kill" in str(found)


def test_before_it_all_is_well() -> None:
    found = rr.run(rr.check(rr.parse(PROGRAM.format("B[3] = 9"))), "main", [0, 0, 0, 0])
    assert isinstance(found, rr.Returned) and found.arguments[0].tolist() == [7, 0, 0, 9]
