"""Wrong plans are refuted with a counterexample at the shapes at which they are wrong; right ones are proved."""

from __future__ import annotations

from functools import cache

import pytest

import refrelax as rr
from refrelax.judge.pointwise import attempt, explain
from refrelax.lower.pipeline import lower

from .memory_faults import FAULTS, PASSES, PROGRAMS, Fault


@cache
def pair(name: str) -> tuple[rr.CheckedModule, rr.CheckedModule]:
    checked = rr.check(rr.parse(PROGRAMS[name]))
    return checked, lower(checked, passes=PASSES).module


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_plan_is_proved_for_all_shapes(name: str) -> None:
    first, second = pair(name)
    found = rr.validate(first, second)
    assert isinstance(found, rr.Equivalent), explain(first, second)


def faulty(fault: Fault) -> str:
    text = rr.print_module(pair(fault.program)[1].module)
    for old, new in fault.edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.thorough
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_wrong_plan_is_refuted(fault: Fault) -> None:
    first, second = pair(fault.program)[0], rr.check(rr.parse(faulty(fault)))
    assert isinstance(attempt(first, second, "main"), str)  # no run is needed to see that there is no proof
    found = rr.validate(first, second)
    assert isinstance(found, rr.Refuted), found
    assert found.counterexample is not None
    assert eval(fault.at, dict(found.model)), found  # a condition of this file
    assert fault.rule in str(found.counterexample.after) + found.counterexample.message
