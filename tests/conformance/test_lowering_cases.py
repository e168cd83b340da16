"""Every rule of lowering has a case of its own that goes through it: cases that pass it by would say nothing of it."""

from __future__ import annotations

from itertools import groupby

import pytest

from refrelax.conformance.cases import Case, load
from refrelax.conformance.run import run_case

LOWERED = sorted(
    (case for case in load() if case.manner.lower is not None and (case.rule or "").startswith("lo/")),
    key=lambda case: str(case.rule),
)
BY_RULE = {rule: list(cases) for rule, cases in groupby(LOWERED, key=lambda case: str(case.rule))}


@pytest.mark.thorough
@pytest.mark.parametrize("rule", BY_RULE)
def test_some_case_of_a_rule_goes_through_it(rule: str) -> None:
    """(Another may show that it does nothing: a constant that a call stores in is not folded.)"""
    cases: list[Case] = BY_RULE[rule]
    results = [run_case(case, observe=True) for case in cases]
    assert all(result.passed for result in results), [result.reason for result in results]
    assert any(rule in result.fired.all for result in results)


def test_every_rule_of_lowering_has_one() -> None:
    assert len(BY_RULE) > 60
