"""One missing check is one cause, whatever the operators; what TVM says of a program is no reason."""

from __future__ import annotations

import pytest

from refrelax.errors import Returned, Trapped
from refrelax.interop.tvm.implementation import last_line
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


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Check failed: (a) is false: wanted a bool, found x[0]\n# Metadata omitted. of type T.uint8", "found x[0]"),
        ("Check failed: (a) is false:\n  the axis is out of range\nR.take(x)", "is false: the axis is out of range"),
        ("VM cannot emit this.\nOffending call:\nR.ceil(x)", "VM cannot emit this. Offending call: R.ceil(x)"),
        ("--> 3:1\nerror: x is not defined", "error: x is not defined"),
        ("Traceback\nValueError: no", "ValueError: no"),
        (
            "/tmp/x.c:3:1: error: ‘half’ was not declared\n/tmp/x.c:4:1: error: b\nCommand line: g++ x.c",
            "‘half’ was not declared",
        ),
    ],
)
def test_a_refusal_is_said_by_the_line_that_says_why(message: str, said: str) -> None:
    """``refuses the program: # Metadata omitted. …``, and of another ``R.ceil(x)``."""
    assert last_line(message).endswith(said)
    assert "/tmp/x.c" not in last_line(message) and last_line("") == "" and len(last_line("x" * 999)) == 400
