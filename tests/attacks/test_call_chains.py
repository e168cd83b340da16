"""Random pairs of chains of calls: what is proved, no run refutes."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

import refrelax as rr
from refrelax.errors import Rejection, UsageError
from refrelax.judge.evidence import Proved
from refrelax.judge.outcomes import Difference, Reference
from refrelax.judge.pointwise import attempt
from refrelax.semantics.budget import Budget
from tests.attacks.call_chains import pair


def checked(text: str) -> rr.CheckedModule | None:
    try:
        return rr.check(rr.parse(text))
    except (Rejection, UsageError):
        return None


def difference(first: rr.CheckedModule, second: rr.CheckedModule, seed: int) -> str | None:
    """What a run of the second program does that the first one's does not permit."""
    rng = np.random.default_rng(seed)
    for n, (c, d) in zip((3, 2, 3, 2, 0, 1), itertools.cycle(itertools.product((True, False), repeat=2)), strict=False):
        x, y = rng.integers(-2, 4, (2, n)).astype("int32")
        given = (x, y, np.array(c), np.array(d), (int(rng.integers(0, 4)),))
        try:
            reference = Reference(first, "main", given, {}, Budget())
            found = reference.judge(rr.run(second, "main", *(g.copy() if hasattr(g, "copy") else g for g in given)))
        except (Rejection, UsageError):
            continue
        if isinstance(found, Difference):
            return f"{found.message} at {given}"
    return None


def word(seed: int) -> str:
    first, second = pair(seed)
    a, b = checked(first), checked(second)
    if a is None or b is None:
        return "refused"
    found = attempt(a, b, "main")
    if not isinstance(found, Proved):
        return "not proved"
    wrong = difference(a, b, seed)
    return "proved" if wrong is None else f"WRONG: {wrong}\n{first}\n{second}"


@pytest.mark.thorough
@pytest.mark.parametrize("start", [0, 15])
def test_no_run_refutes_what_is_proved(start: int) -> None:
    found = Counter(map(word, range(start, start + 15)))
    assert not [each for each in found if each.startswith("WRONG")], found
