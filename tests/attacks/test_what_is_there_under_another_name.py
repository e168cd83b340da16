"""A loop program that stores in an input what is there, through a second name of it: a store all the same.

A computed tensor that is the same up to bound names is one object, and a store of what is there makes what was given.
That a parameter was stored to is told by the stores, not by what it holds; by a view's name as by its own.
"""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

TEXT = """n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def turned(x: T.Buffer((n, 4), "float32"), y: T.Buffer((4, n), "float32")):
        for i, j in T.grid(4, n):
            y[i, j] = x[j, i]

    @T.prim_func(s_tir=True)
    def more(x: T.Buffer((4, n), "float32"), y: T.Buffer((4, n), "float32")):
        {before}
        for i, j in T.grid(4, n):
            y[i, j] = {x} + T.float32(1)

    @R.function
    def main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((4, n), "float32"):
        cls = Module
        with R.dataflow():
            z = R.call_tir(cls.turned, (x,), out_ty=R.Tensor((4, n), "float32"))
            y = R.call_tir(cls.more, (z,), out_ty=R.Tensor((4, n), "float32"))
            R.output(y)
        return y
"""
ITSELF = """for i, j in T.grid(4, n):
            x[i, j] = x[i, j]"""
NAMED = """w = T.decl_buffer((4, n), data=x.data)
        for i, j in T.grid(4, n):
            w[i, j] = w[i, j]"""
FLAT = """w = T.decl_buffer((4 * n,), data=x.data)
        for i in range(4 * n):
            w[i] = w[i]"""


def module(before: str = "T.evaluate(0)", x: str = "x[i, j]") -> rr.CheckedModule:
    return rr.check(rr.parse(TEXT.format(before=before, x=x)))


@pytest.mark.parametrize(("before", "x"), [(ITSELF, "x[i, j]"), (NAMED, "w[i, j]"), (FLAT, "w[i * n + j]")])
def test_a_store_of_what_is_there_is_a_store(before: str, x: str) -> None:
    assert attempt(module(), module(before, x), "main") == "a call_tir that writes to its input"


def test_a_name_that_is_only_read_is_none() -> None:
    named, _ = NAMED.split("\n", 1)
    assert isinstance(attempt(module(), module(named, "w[i, j]"), "main"), Proved)
