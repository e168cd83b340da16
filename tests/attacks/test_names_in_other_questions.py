"""A name is one thing in one question; what it was in another claim of the same prover is of no concern."""

from __future__ import annotations

import pytest

from refrelax.errors import Malformed
from refrelax.shape_solver import Proved, Prover, Refuted


def test_a_name_may_be_of_another_sort_in_the_next_claim() -> None:
    prover = Prover(["n >= 0"])
    assert isinstance(prover.prove("x + n >= x"), Proved)
    assert isinstance(prover.prove("x or not x"), Proved)
    first, second = prover.prove("x >= 3"), prover.prove("x or n < 0")
    assert isinstance(first, Refuted) and isinstance(second, Refuted)
    assert second.model == {"x": 0, "n": 0}


def test_a_claim_that_was_refused_leaves_nothing() -> None:
    prover = Prover(["n >= 0"])
    with pytest.raises(Malformed, match="'y' to be one thing"):
        prover.prove("(y and n >= 0) == (y + 1 > 0)")
    assert isinstance(prover.prove("y + n >= y"), Proved)


def test_assumptions_say_what_a_name_is() -> None:
    prover = Prover(["n >= 0", "p"])
    for claim in ("p + 1 > n", "n or n >= 0"):
        with pytest.raises(Malformed, match="to be one thing"):
            prover.prove(claim)
