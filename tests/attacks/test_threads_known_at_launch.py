"""As many threads as only a loop around them tells leave the run open: a second program that has them is not proved."""

import textwrap

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

HEAD = """
@I.ir_module
class Module:
    @T.prim_func
    def main(n: T.int32, A: T.Buffer((4, 8), "float32"), O: T.Buffer((4, 8), "float32")):
"""
PLAIN = """for i in range(4):
    for t in range({extent}):
        O[i, t] = A[i, t]"""
THREADS = """for i in {loop}:
    for t in T.thread_binding({extent}, "threadIdx.x"):
        O[i, t] = A[i, t]
        T.tvm_storage_sync("shared")"""
BLOCKS = 'T.thread_binding(4, "blockIdx.x")'


def module(text: str, **parts: str) -> rr.CheckedModule:
    return rr.check(rr.parse(HEAD + textwrap.indent(text.format(**parts), " " * 8) + "\n"))


def found(first: rr.CheckedModule, second: rr.CheckedModule) -> tuple[bool, str]:
    zeros = [[0.0] * 8] * 4
    run = rr.run(second, "main", 3, zeros, zeros)
    return isinstance(attempt(first, second, "main"), Proved), getattr(run, "rule", "returned")


@pytest.mark.parametrize("loop", ["range(4)", BLOCKS])
@pytest.mark.parametrize("extent", ["i + 1", "T.min(i + 4, 4)"])
def test_as_many_threads_as_a_loop_tells_are_not_proved(loop: str, extent: str) -> None:
    first, second = module(PLAIN, extent=extent), module(THREADS, loop=loop, extent=extent)
    assert found(first, second) == (False, "ld/thread-extent")
    assert not isinstance(attempt(module(THREADS, loop=loop, extent="4"), second, "main"), Proved)


@pytest.mark.parametrize("extent", ["4", "T.min(n, 8)"])
def test_as_many_threads_as_a_call_tells_are_proved(extent: str) -> None:
    assert found(module(PLAIN, extent=extent), module(THREADS, loop="range(4)", extent=extent)) == (True, "returned")


def test_a_loop_that_runs_once_tells_none_in_step() -> None:
    known = module(THREADS, loop="range(4)", extent="3")
    second = module("for k in range(3, 4):\n" + textwrap.indent(THREADS, "    "), loop="range(4)", extent="k")
    assert found(known, second) == (False, "ld/thread-extent")
