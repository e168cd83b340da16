"""A race of a reduction block is one under every reading, those that collect its items included."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.errors import Outcome
from refrelax.judge.evidence import Proved
from refrelax.judge.pairs import Pair

TEXT = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((2, 3), "float32"), O: T.Buffer((2,), "float32")):
        for k in {}:
            for i in range(2):
                with T.sblock("sum"):
                    v, w = T.axis.remap("SR", [i, k])
                    with T.init():
                        O[v] = T.float32(0)
                    O[v] = O[v] + A[v, w]
"""
READINGS = ("ieee", "enclosure", "sampled", "symbolic", "strict", "exact")


def ran(loop: str, numerics: str) -> Outcome:
    checked = rr.check(rr.parse(TEXT.format(loop)))
    return rr.run(checked, "main", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [0.0, 0.0], numerics=numerics)


@pytest.mark.parametrize("numerics", READINGS)
def test_iterations_of_a_parallel_loop_race(numerics: str) -> None:
    found = ran("T.parallel(3)", numerics)
    assert isinstance(found, rr.Unspecified) and found.rule == "ev/data-race"


@pytest.mark.parametrize("loop", ["range(3)", 'T.thread_binding(3, thread="threadIdx.x")'])
@pytest.mark.parametrize("numerics", READINGS)
def test_those_of_a_serial_loop_and_threads_that_take_turns_do_not(loop: str, numerics: str) -> None:
    assert isinstance(ran(loop, numerics), rr.Returned)


def test_terms_at_an_only_shape_are_not_equal_to_those_of_a_race() -> None:
    first, second = (rr.check(rr.parse(TEXT.format(loop))) for loop in ("range(3)", "T.parallel(3)"))
    assert Pair(first, second, "main", {}, ()).equal_terms(0) is None
    assert not isinstance(rr.validate(first, second), Proved)
