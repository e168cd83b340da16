"""The pages and the cases of the operators are what their one source gives: rules, samples, docstrings."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.thorough
def test_pages_and_cases_are_those_of_the_source() -> None:
    made = dict(runpy.run_path(str(ROOT / "tools" / "make_operator_pages.py"))["written"]())
    other = [place for place, text in made.items() if (ROOT / place).read_text(encoding="utf-8") != text]
    assert not other, "python tools/make_operator_pages.py writes these anew: its sources say otherwise"
