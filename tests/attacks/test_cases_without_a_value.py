"""A question in cases of a term: where a guard keeps the term from being evaluated, and it has no value, is a case."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import Proved, prove

PRODUCT = 4294967291 * 4294967279
"""Of two primes: no stage finds them."""

ZERO = f"(a * b - {PRODUCT})"
GUARDED = {
    "counts": f"{ZERO} != 0 and (5 >> (x // {ZERO})) <= 5",
    "negative counts": f"{ZERO} != 0 and (-5 >> (x // {ZERO})) < 0",
    "divisors": f"{ZERO} != 0 and ((x // {ZERO}) * k == 6 or k * k >= 0)",
    "shifted": f"{ZERO} != 0 and ((x // {ZERO}) << k == 6 or k * k >= 0)",
}


@pytest.mark.parametrize("claim", GUARDED.values(), ids=GUARDED)
def test_a_term_without_a_value_is_a_case(claim: str) -> None:
    assert not isinstance(prove(claim, ["a > 1", "b > 1"]), Proved)  # a == 4294967291, b == 4294967279


@pytest.mark.parametrize("claim", [f"{ZERO} != 0 and k * k >= 0", f"{ZERO} == 0 or (5 >> (x // {ZERO})) <= 5"])
def test_what_the_guard_says_is_open_or_true(claim: str) -> None:
    wanted = "or" in claim
    assert isinstance(prove(claim, ["a > 1", "b > 1"]), Proved) is wanted
