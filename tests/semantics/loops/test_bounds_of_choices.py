"""What is known of an index that is chosen: the hull of both arms, where both are known."""

from __future__ import annotations

from itertools import product

from refrelax.semantics.loops.frame import Index, fixed
from refrelax.semantics.loops.indices import _join

ENDS = [(None, None), (1, None), (None, 9), (1, 9), (3, 4), (-2, 20)]


def test_the_hull_of_both_arms() -> None:
    condition = Index(lambda frame: frame)  # type: ignore[arg-type, return-value]
    for (a, b), (c, d) in product(ENDS, repeat=2):
        found = _join(condition, Index(lambda _: 5, a, b), Index(lambda _: 6, c, d))
        assert found.lo == (None if a is None or c is None else min(a, c))
        assert found.hi == (None if b is None or d is None else max(b, d))
        assert (found.run(True), found.run(False)) == (5, 6)  # type: ignore[arg-type]


def test_a_condition_that_is_known_chooses() -> None:
    one, other = Index(lambda _: 5, 1, 9), Index(lambda _: 6, 2, 3)
    assert _join(fixed(1), one, other) is one and _join(fixed(0), one, other) is other
