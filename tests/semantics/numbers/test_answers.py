"""What the readings answer on tables of payloads is what was written down."""

from __future__ import annotations

import pytest

from tests.digests import written_down
from tests.semantics.numbers.answers import ASKED, FROZEN, line


@pytest.mark.by_day(2)
@pytest.mark.parametrize(("name", "dtype"), ASKED)
def test_what_is_answered(name: str, dtype: str) -> None:
    """``tools/make_decisions.py`` writes it down; a word that changes is an answer that changed: look at it."""
    assert line(name, dtype) == f"{name} {dtype}: {written_down(FROZEN)[f'{name} {dtype}']}"
