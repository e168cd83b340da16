"""Random programs of fixed sizes, captured and built: every call of a session gives what the program gives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.judge.sessions import records
from refrelax.lower.pipeline import lower
from refrelax.semantics.session import Session

from .memory_modules import M, V, W, call, module
from .test_plan_memory_random import KINDS, Choices, Writer, observed

CALLS = (
    [True, [1.0, 2.0, 3.0, 4.0], [0.5, -8.0, 16.0, 32.0]],
    [False, [-3.0, 0.0, 9.0, 1.0], [2.0, 4.0, 0.25, -1.0]],
    [True, [7.0, 5.0, -1.0, 0.0], [1.0, 1.0, 1.0, 64.0]],
)
PASSES = ("to_destinations", "plan_memory", "capture", "build")


def program(choices: Choices, result: int) -> str:
    """A program that computes on what it made of its parameters, so that there is something to record."""
    writer = Writer()
    names: dict[str, list[str]] = {V: ["x", "y"], M: [], W: []}
    for place in (0, 1):
        writer.statement("double", place, 0, names, "", 0)
    names[V] = names[V][2:]
    for kind, a, b in choices:
        writer.statement(KINDS[kind], a, b, names, "", 0)
    found = names[V][-1 - result % min(4, len(names[V]))]
    writer.add("", f"result = {call('bump', found)}")
    return module(*writer.lines, "return result", params=f"c: T.bool, x: {V}, y: {V}")


@pytest.mark.thorough
@given(
    st.lists(st.tuples(st.integers(0, len(KINDS) - 1), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12),
    st.integers(0, 3),
)
def test_every_call_of_a_session(choices: Choices, result: int) -> None:
    checked = rr.check(rr.parse(program(choices, result)))
    steps = lower(checked, passes=PASSES).steps
    captured, built = steps[2].module, steps[3].module
    assert "stays" not in steps[3].evidence
    event(f"records: {records(captured.module)}")
    wanted = [observed(rr.run(checked, "main", *args)) for args in CALLS]
    for lowered in (captured, built):
        kept = Session()
        outcomes: list[Any] = []
        for number, args in enumerate(CALLS, start=1):
            outcomes.append(rr.run(lowered, "main", *args, session=kept))
            assert [observed(each) for each in outcomes] == wanted[:number]
    compiled = rr.compile(built, backend="numpy", mode="bits")
    for args, before in zip(CALLS, wanted, strict=True):
        found = compiled.run("main", *args)
        assert isinstance(found, rr.Returned) and found.value.core.bits() == before[0]
