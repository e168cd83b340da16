"""A reduction that starts in its first iteration, under a condition that leaves the first iteration out."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.outcomes import Difference, Reference
from refrelax.judge.pointwise import attempt
from refrelax.semantics.budget import Budget

TEXT = """
n = T.int64()

@I.ir_module
class Module:
    @T.prim_func
    def main(D: T.Buffer((n,), "int32"), A: T.Buffer((n + 1,), "int32"), C: T.Buffer((1,), "int32"), m: T.int64):
"""

BEHIND = """
        for k in range(n + 1):
            C[0] = T.{choice}({guard}, {item}, C[0])
"""

AHEAD = """
        C[0] = -5
        for k in range(n + 1):
            if {guard}:
                C[0] = {item}
"""


@pytest.mark.by_day(4)
@pytest.mark.parametrize("item", ["{C} + A[k]", "A[k] + {C}", "T.max({C}, A[k])", "T.min({C}, A[k])"])
@pytest.mark.parametrize("guard", ["k != m", "k > m", "k % 2 == m"])
@pytest.mark.parametrize("choice", ["if_then_else", "Select"])
def test_a_start_behind_a_guard_may_not_come(item: str, guard: str, choice: str) -> None:
    started = item.format(C="T.if_then_else(k == 0, -5, C[0])")
    behind = rr.check(rr.parse(TEXT + BEHIND.format(choice=choice, guard=guard, item=started)))
    ahead = rr.check(rr.parse(TEXT + AHEAD.format(guard=guard, item=item.format(C="C[0]"))))
    given = (np.zeros(1, "int32"), np.array([3, 4], "int32"), np.array([7], "int32"), 1 if "%" in guard else 0)
    for first, second in ((behind, ahead), (ahead, behind)):
        run = rr.run(second, "main", *(each.copy() if isinstance(each, np.ndarray) else each for each in given))
        assert isinstance(Reference(first, "main", given, {}, Budget()).judge(run), Difference)
        assert not isinstance(attempt(first, second, "main"), Proved)


@pytest.mark.parametrize("guard", ["k >= 0", "k < n + 1"])
def test_a_guard_that_leaves_the_first_in_is_seen_through(guard: str) -> None:
    item = "{C} + A[k]"
    started = item.format(C="T.if_then_else(k == 0, -5, C[0])")
    behind = rr.check(rr.parse(TEXT + BEHIND.format(choice="if_then_else", guard=guard, item=started)))
    ahead = rr.check(rr.parse(TEXT + AHEAD.format(guard=guard, item=item.format(C="C[0]"))))
    assert isinstance(attempt(behind, ahead, "main"), Proved)
