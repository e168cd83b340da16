"""What the readings answer on tables of payloads is what was written down."""

from __future__ import annotations

from functools import cache

import pytest

from tests.semantics.numbers.answers import ASKED, FROZEN, line


@cache
def frozen() -> dict[str, str]:
    return {each.partition(": ")[0]: each for each in FROZEN.read_text(encoding="utf-8").splitlines()}


@pytest.mark.by_day(2)
@pytest.mark.parametrize(("name", "dtype"), ASKED)
def test_what_is_answered(name: str, dtype: str) -> None:
    """``tools/make_decisions.py`` writes it down; a word that changes is an answer that changed: look at it."""
    assert line(name, dtype) == frozen()[f"{name} {dtype}"]
