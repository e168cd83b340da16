"""One missing check is one cause, whatever the operators."""

from __future__ import annotations

from refrelax.errors import Returned, Trapped
from refrelax.judge.campaign.causes import cause_of
from refrelax.judge.diff import ends_differ
from refrelax.judge.verdicts import Divergence


def _no_trap(rule: str, message: str) -> Divergence:
    found = ends_differ(Trapped(rule, message), Returned(1.0))
    assert isinstance(found, Divergence) and f"({message} [{rule}])" in found.message
    return found


def test_a_check_that_is_missing_is_one_cause() -> None:
    """Each set of operators before a result of another shape was a new cause."""
    one = cause_of(_no_trap("ev/return-mismatch", "the result of main: expected 2, found 6"), ("R.one_hot",), "int64")
    two = cause_of(_no_trap("ev/return-mismatch", "the result of f (g): expected 1"), ("R.cosh", "R.exp"), "float32")
    cast = cause_of(_no_trap("ev/match-cast-mismatch", "match_cast to y: expected 2, found 6"), ("R.exp",), "float32")
    assert one.id == two.id == "end: no trap: ev/return-mismatch" and one.covers(two)
    assert not one.covers(cast) and not cast.covers(one)
