"""No pair of programs is proved that differs in a run: random loop programs and mutations of them."""

from __future__ import annotations

from collections import Counter

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved, Refuted
from refrelax.judge.pairs import Pair
from refrelax.judge.pointwise import Options, attempt
from refrelax.testing.arguments import symbols_of
from tests.judge.pair_programs import pair

QUICK = Options(effort="quick")


def judged(seed: int, rounds: int) -> str:
    """``refused``, ``not proved``, ``proved``; a difference of a proved pair is shown."""
    texts = pair(seed)
    try:
        first, second = (rr.check(rr.parse(text)) for text in texts)
    except rr.Rejection:
        return "refused"
    if not isinstance(attempt(first, second, "main", QUICK), Proved):
        return "not proved"
    both = Pair(first, second, "main", {}, symbols_of(first.module, "main"))
    found = both.test(seed, rounds)
    for n in (9, 33):
        found = found or (both.at({"n": n}, seed) if both.symbols else None)
    assert not isinstance(found, Refuted), f"seed {seed}: proved, but {found}\n{texts[0]}\n{texts[1]}"
    return "proved"


@pytest.mark.thorough
def test_no_pair_that_differs_is_proved() -> None:
    counts = Counter(judged(seed, 3) for seed in range(60))
    assert counts["proved"] >= 8 and counts["not proved"] >= 20, counts


@pytest.mark.nightly
@pytest.mark.parametrize("block", range(20))
def test_no_pair_of_many_that_differs_is_proved(block: int) -> None:
    for seed in range(1000 + 500 * block, 1500 + 500 * block):
        judged(seed, 6)
