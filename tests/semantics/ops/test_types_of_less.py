"""Types of calls where less is known of an argument: what was written down, and no more than where all is known."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.types.lattice import is_base_of
from tests.digests import written_down

from .types_of_less import FROZEN, LESS, by_operator, calls, line

OPERATORS = by_operator()


@pytest.mark.by_day(6)
@pytest.mark.parametrize("op", OPERATORS)
def test_what_is_deduced(op: str) -> None:
    """``tools/make_decisions.py`` writes it down; a line that changes is a type that changed: look at it."""
    assert line(op, OPERATORS[op]) == f"{op}: {written_down(FROZEN)[op]}"


@pytest.mark.by_day(6)
@pytest.mark.parametrize("op", OPERATORS)
def test_who_knows_less_is_told_no_more(op: str) -> None:
    """A call that is accepted is accepted of a tensor of which less is known, but for what that leaves out."""
    for sample in OPERATORS[op]:
        whole = rr.check(rr.parse(sample.text)).types["main"]["gv"]
        for k, text in calls(sample):
            if k < LESS:
                try:
                    found = rr.check(rr.parse(text)).types["main"]["gv"]
                except rr.Rejection:
                    continue
                assert is_base_of(found, whole, NO_FACTS), (text, whole, found)
