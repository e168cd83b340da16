"""The time that a caller gives ends a run in the middle, and what it would have said is not waited for."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

import refrelax as rr
from refrelax.semantics.budget import Budget, Meter
from refrelax.semantics.numbers.symbolic import DEPTH, Symbolic, brief

LONG = """@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32")):
        for i, j, k, q in T.grid(64, 64, 64, 64):
            y[i] = x[j] * T.float32({factor})
"""


def test_a_run_ends_when_its_time_is_over() -> None:
    module = rr.check(rr.parse(LONG.format(factor=2)))
    started = perf_counter()
    args = [np.zeros(64, "float32"), np.zeros(64, "float32")]
    ended = rr.run(module, "main", *args, budget=Budget(until=started + 0.1))
    assert ended == rr.Exhausted("time")
    assert perf_counter() - started < 3


def test_a_meter_without_a_clock_counts_every_step() -> None:
    meter = Meter.of(Budget(steps=3))
    meter.step(3)
    assert meter.steps == 0 and meter.mark == 0


@pytest.mark.thorough
def test_validate_keeps_to_its_time() -> None:
    first, second = (rr.check(rr.parse(LONG.format(factor=factor))) for factor in (2, 3))
    started = perf_counter()
    found = rr.validate(first, second, timeout=1.0)
    assert not isinstance(found, rr.Equivalent)
    assert perf_counter() - started < 10


def test_a_message_does_not_spell_what_is_shared() -> None:
    reading = Symbolic()
    add = reading.at("float32").add
    term: object = reading.variable("x", "float32")
    for _ in range(60):
        term = add(term, term)
    assert len(brief(term)) < 20 * 2**DEPTH
