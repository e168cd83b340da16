"""Where the paper's Algorithm 3, as printed, goes wrong, and ``plan_memory`` does not: aliases and branches.

The definition finds each: a value whose memory was given away is poison (``st/reused``). TVM's planner had the same
three gaps as issues: reshape (apache/tvm#20134), ``match_cast`` (#20190, #20207), ``if`` (#20191).
"""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.pointwise import attempt
from refrelax.lower.pipeline import lower
from refrelax.lower.plan_memory import planned_bytes
from refrelax.semantics.dims import value

from .memory_faults import V, call, program
from .paper_planning import planned_as_printed

STRAIGHT = program(
    f"a = {call('bump', 'x')}", f"b = {call('bump', 'a')}", f"d = {call('add', 'b', 'y')}", f"r = {call('bump', 'd')}",
    "return r", bound=None,
)  # fmt: skip
SEPARATES: dict[str, str] = {
    "a reshape": program(
        f"a = {call('bump', 'x')}", "v = R.reshape(a, R.shape([n]))", f"b = {call('bump', 'y')}",
        f"d = {call('bump', 'b')}", f"r = {call('add', 'v', 'd')}", "return r", bound=None,
    ),
    "a match_cast": program(
        f"a = {call('bump', 'x')}", f"v = R.match_cast(a, {V})", f"b = {call('bump', 'y')}",
        f"d = {call('bump', 'b')}", f"r = {call('add', 'v', 'd')}", "return r", bound=None,
    ),
    "a name": program(
        f"a = {call('bump', 'x')}", "v = a", f"b = {call('bump', 'y')}",
        f"d = {call('bump', 'b')}", f"r = {call('add', 'v', 'd')}", "return r", bound=None,
    ),
    "a branch": program(
        f"a = {call('bump', 'x')}", f"e = {call('add', 'a', 'y')}", f"b = {call('bump', 'e')}",
        "if c:", f"    v = {call('bump', 'a')}", "else:", f"    v = {call('bump', 'b')}", "return v",
        params=f'c: R.Tensor((), "bool"), x: {V}, y: {V}', bound=None,
    ),
}  # fmt: skip


def destinations(text: str) -> tuple[rr.CheckedModule, rr.CheckedModule]:
    checked = rr.check(rr.parse(text))
    return checked, lower(checked, passes=("to_destinations",)).module


@pytest.mark.by_day(3)
@pytest.mark.parametrize("what", SEPARATES)
def test_the_printed_algorithm_is_refuted_and_ours_is_proved(what: str) -> None:
    checked, spelled_out = destinations(SEPARATES[what])
    printed = rr.check(planned_as_printed(spelled_out.module))
    assert isinstance(attempt(checked, printed, "main"), str)
    found = rr.validate(checked, printed)
    assert isinstance(found, rr.Refuted), found
    assert found.counterexample is not None
    assert "st/reused" in str(found.counterexample.after)
    ours = lower(spelled_out, passes=("plan_memory",)).module
    assert isinstance(rr.validate(checked, ours), rr.Equivalent)


def test_on_straight_code_without_aliases_both_are_proved_and_take_the_same() -> None:
    checked, spelled_out = destinations(STRAIGHT)
    printed = rr.check(planned_as_printed(spelled_out.module))
    ours = lower(spelled_out, passes=("plan_memory",)).module
    for plan in (printed, ours):
        assert isinstance(rr.validate(checked, plan), rr.Equivalent)
    sizes = [value(planned_bytes(each.module)[1], {"n": 7}) for each in (printed, ours)]
    assert sizes == [3 * 28, 3 * 28]
