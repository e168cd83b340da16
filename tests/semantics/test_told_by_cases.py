"""What runs of the suite's cases tell beside the expected outcome is what was written down."""

from __future__ import annotations

from functools import cache

import pytest

from refrelax.conformance.cases import Case
from refrelax.running.run import make_headroom
from tests.digests import digest, written_down
from tests.semantics.told_by_cases import FROZEN, SIZE, asked, key, pieces, told


@cache
def frozen() -> dict[str, dict[str, str]]:
    rows = written_down(FROZEN).items()
    return {file: dict(each.split("=") for each in words.split()) for file, words in rows}  # type: ignore[misc]


CASES: dict[str, list[Case]] = asked()


@pytest.mark.by_day(2)
@pytest.mark.parametrize(("file", "first"), [*pieces()])
def test_what_is_told(file: str, first: int) -> None:
    """``tools/make_decisions.py`` writes it down; a word that changes is a message, a place, an event, a charge or a
    permitted set that changed: look at it."""
    make_headroom()
    known = frozen().get(file, {})
    for case in CASES[file][first : first + SIZE]:
        if key(case) in known:
            assert digest(told(case)) == known[key(case)], (case.name, told(case))


def test_most_cases_are_written_down() -> None:
    cases = [(file, key(case)) for file, found in CASES.items() for case in found]
    assert sum(name in frozen().get(file, {}) for file, name in cases) > 0.9 * len(cases)
