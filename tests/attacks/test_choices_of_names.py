"""Names in the arms of a choice that is a claim are claims, as the text says."""

from __future__ import annotations

import pytest

from refrelax.errors import Malformed
from refrelax.shape_solver import Proved, Refuted, prove


@pytest.mark.parametrize(
    ("claim", "given", "right"),
    [
        ("select(n > 0, p, q) or not p or not q", (), Proved),
        ("p if n > 0 else p", ("p",), Proved),
        ("not T.Select(n > 0, p, q) or p or q", (), Proved),
        ("select(n > 0, p, q)", ("p",), Refuted),
        ("n > 0", ("select(n > 3, p, p)",), Refuted),
        ("(n > 3) == select(n > 3, p, select(k > 0, q, q))", ("p", "not q"), Proved),
        ("select(n > 0, n, m) == select(n <= 0, m, n)", (), Proved),
    ],
)
def test_arms_are_what_the_choice_has_to_be(claim: str, given: tuple[str, ...], right: type) -> None:
    assert isinstance(prove(claim, given), right)


def test_an_arm_that_is_no_claim_is_refused() -> None:
    with pytest.raises(Malformed, match=r"1:18: expected a claim, found '5' \[sh/claim-syntax\]"):
        prove("select(n > 0, p, 5)")
