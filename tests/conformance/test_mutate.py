"""``refrelax rules mutate``: a broken rule is seen by its cases, the honest code comes back, survivors are told."""

from __future__ import annotations

import json

import pytest

from refrelax import cli
from refrelax.conformance import mutate
from refrelax.conformance.mutants import in_force, mutants
from refrelax.conformance.run import run_case


@pytest.mark.thorough
@pytest.mark.parametrize("rule", ["op.common/axis-range", "ev/match-cast-mismatch", "syn/buffer-shape"])
def test_a_check_that_never_refuses_is_seen(rule: str) -> None:
    checks = ("never refuses", "never happens", "is dropped")
    chosen = [each for each in mutate.choose(None, only=rule) if each.what in checks]
    verdicts = list(mutate.campaign(chosen))
    assert any(each.killer is not None for each in verdicts), [str(each.mutant) for each in verdicts]


@pytest.mark.thorough
def test_the_honest_code_comes_back() -> None:
    mutant = next(each for each in mutants() if each.rules == ("ev/match-cast-mismatch",))
    cases = mutate.tied(mutant)
    before = mutant.function.__code__
    with in_force(mutant) as possible:
        assert possible and mutant.function.__code__ is not before
    assert mutant.function.__code__ is before
    assert cases and all(run_case(case).passed for case in cases)


@pytest.mark.thorough
def test_a_sample_is_spread_over_rules_and_reproducible() -> None:
    one, again, other = (mutate.choose(30, seed) for seed in (1, 1, 2))
    assert [m.place for m in one] == [m.place for m in again] != [m.place for m in other]
    assert len({m.rules for m in one}) == 30


@pytest.mark.thorough
def test_a_mutant_without_cases_survives() -> None:
    assert mutate.judge(mutate.choose(1)[0], []).killer is None


@pytest.mark.nightly
def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    code = cli.main(["rules", "mutate", "--sample", "5", "--json"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 5 and code == any(row["case"] is None for row in rows)


@pytest.mark.nightly
def test_most_mutants_are_seen() -> None:
    """A floor, to be raised as cases are added."""
    verdicts = list(mutate.campaign(mutate.choose(400, 0)))
    assert sum(each.killer is not None for each in verdicts) > 0.55 * len(verdicts)
