"""Broken texts of operators are seen: by NumPy, by a case."""

from __future__ import annotations

import pytest

from refrelax.conformance import mutate
from refrelax.conformance.equivalent import EQUIVALENT, line_of, listed, why_equivalent

from .text_mutants import judged, killer

WANTED = 0.95
"""Of all edits that are not listed as the same function (``conformance/equivalent.py``)."""


@pytest.mark.thorough
def test_a_broken_text_is_seen() -> None:
    chosen = [m for m in mutate.choose(None, only="text/ternary") if "swapped" in m.what or "becomes" in m.what][:3]
    assert len(chosen) == 3 and all(killer(each) for each in chosen if why_equivalent(each) is None)


@pytest.mark.nightly
def test_most_broken_texts_are_seen() -> None:
    found = list(judged())
    missed = [f"{m.place}: {m.what}: {line_of(m)}" for m, by in found if by is None]
    assert len(found) > 1000 and len(missed) <= (1 - WANTED) * len(found), missed


@pytest.mark.thorough
def test_equivalents_are_there() -> None:
    """A reason about a line that is gone is none."""
    there = set(map(listed, mutate.choose(None, only="text/")))
    assert there >= EQUIVALENT.keys(), EQUIVALENT.keys() - there


@pytest.mark.thorough
def test_what_no_run_reads_is_not_broken() -> None:
    """Neither an annotation nor the guess of a symbolic extent."""
    words = {(line_of(m), m.what) for m in mutate.choose(None, only="text/")}
    assert not [(line, what) for line, what in words if line.startswith("def ") and "Literal[" in line]
    assert not [line for line, what in words if "guess=axes is not None" in line and what == "is not becomes is"]
