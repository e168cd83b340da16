"""Shared memory that a program is given: the barriers that the compiler owes stand behind its statements as well."""

from __future__ import annotations

import textwrap

import numpy as np

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

MODULE = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), S: T.Buffer((8,), "float32", scope="shared")):
        for t in T.thread_binding(8, thread="threadIdx.x"):
"""
STORES = "S[t] = A[t]\nB[t] = A[t] + T.float32(1)"
LATER = "\nA[t] = B[7 - t] + S[t]"


def module(body: str) -> rr.CheckedModule:
    return rr.check(rr.parse(MODULE + textwrap.indent(body, " " * 12) + "\n"))


def test_stores_out_of_a_block_have_another_barrier() -> None:
    first = module('with T.sblock("s"):\n' + textwrap.indent(STORES, "    ") + LATER)
    second = module(STORES + LATER)
    assert not isinstance(attempt(first, second, "main"), Proved)
    given = (np.arange(8, dtype="float32"), np.zeros(8, "float32"), np.zeros(8, "float32"))
    for each in (first, second):  # no barrier that is owed orders B, which is global
        assert isinstance(rr.run(each, "main", *given), rr.Unspecified)
