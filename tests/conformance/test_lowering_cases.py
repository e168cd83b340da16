"""Every case of a lowered module goes through the rule that it is about: else it would say nothing of it."""

from __future__ import annotations

import pytest

from refrelax.conformance.cases import Case, load
from refrelax.conformance.run import run_case

LOWERED = [case for case in load() if case.manner.lower is not None and (case.rule or "").startswith("lo/")]


@pytest.mark.thorough
@pytest.mark.parametrize("case", LOWERED, ids=lambda case: str(case.name))
def test_a_lowered_case_goes_through_its_rule(case: Case) -> None:
    result = run_case(case, observe=True)
    assert result.passed, result.reason
    assert case.rule in result.fired.all
