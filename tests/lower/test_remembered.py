"""Calls that are made loop programs as before: the same module as without, and nothing that was asked less."""

from __future__ import annotations

import refrelax as rr
from refrelax.lower.claims import Ledger
from refrelax.lower.legalize import run
from refrelax.lower.legalize.remembered import RememberedCalls

TEXT = """
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 4), "float32"), y: R.Tensor((1, 4), "float32"), w: R.Tensor((4, 3), "float32")):
        a = R.add(x, y)
        b = R.add(a, y)
        c = R.add(y, b)
        d = R.matmul(b, w)
        e = R.split(d, 3, axis=1)
        f = R.cumsum(c, axis=0)
        g = R.cumsum(c, axis=1)
        h = R.add(f, R.const(1.0, "float32"))
        i = R.add(g, R.const(-1.0, "float32"))
        return (e, h, i)
    @R.function
    def other(x: R.Tensor((m, 4), "float32"), y: R.Tensor((1, 4), "float32")):
        a = R.add(x, y)
        return a
"""


def test_the_module_is_the_same_with_and_without() -> None:
    checked, memory = rr.check(rr.parse(TEXT)), RememberedCalls()
    plain = rr.print_module(run(checked, Ledger()))
    for _ in range(2):
        assert rr.print_module(run(checked, Ledger(), memory=memory)) == plain


def test_what_takes_a_loop_program_that_is_there_is_not_kept() -> None:
    """``a`` of ``other`` is the first call's loop program under another name of its symbol: less is asked of it."""
    memory = RememberedCalls()
    run(rr.check(rr.parse(TEXT)), Ledger(), memory=memory)
    kernels = [each.kernel for each in memory.calls.values()]
    assert kernels and len({id(each) for each in kernels}) == len(kernels)
