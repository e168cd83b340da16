"""A question in cases of a term: where a guard keeps the term from being evaluated, and it has no value, is a case."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import Proved, parse_claim, prove
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.digits import digits
from refrelax.shape_solver.pointwise.fits import Sizes
from refrelax.shape_solver.pointwise.logic import Logic

PRODUCT = 4294967291 * 4294967279
"""Of two primes: no stage finds them."""

ZERO = f"(a * b - {PRODUCT})"
GUARDED = {
    "counts": f"{ZERO} != 0 and (5 >> (x // {ZERO})) <= 5",
    "negative counts": f"{ZERO} != 0 and (-5 >> (x // {ZERO})) < 0",
    "divisors": f"{ZERO} != 0 and ((x // {ZERO}) * k == 6 or k * k >= 0)",
    "shifted": f"{ZERO} != 0 and ((x // {ZERO}) << k == 6 or k * k >= 0)",
}


@pytest.mark.thorough
@pytest.mark.parametrize("claim", GUARDED.values(), ids=GUARDED)
def test_a_term_without_a_value_is_a_case(claim: str) -> None:
    assert not isinstance(prove(claim, ["a > 1", "b > 1"]), Proved)  # a == 4294967291, b == 4294967279


@pytest.mark.thorough
@pytest.mark.parametrize("claim", [f"{ZERO} != 0 and k * k >= 0", f"{ZERO} == 0 or (5 >> (x // {ZERO})) <= 5"])
def test_what_the_guard_says_is_open_or_true(claim: str) -> None:
    wanted = "or" in claim
    assert isinstance(prove(claim, ["a > 1", "b > 1"]), Proved) is wanted


@pytest.mark.thorough
@pytest.mark.parametrize("divisor", ["a // b + 1", "a % b + 1", "max(1, a // b)", "truncdiv(a, b) + 1"])
def test_a_symbol_is_no_multiple_of_what_has_no_value(divisor: str) -> None:
    claim = f"select(b != 0, v // ({divisor}) * ({divisor}) <= v, v*v - 61*w*w != 1)"
    given = ["a >= 0", "b >= 0", "v >= 0", "w >= 1"]
    assert not isinstance(prove(claim, given), Proved)  # b == 0, v == 1766319049, w == 226153980


@pytest.mark.parametrize(
    ("divisor", "least", "split"),
    [("a // b + 1", 1, True), ("a // b + 1", 0, False), ("a % (b + 2) + 1", -1, True), ("a % (b + 2) + 1", -2, False)],
)
def test_what_a_symbol_is_split_by(divisor: str, least: int, split: bool) -> None:
    context = Context().assuming(parse_claim(f"b >= {least}"), parse_claim("a >= 0"))
    found = digits(parse_claim(f"v // ({divisor}) >= 0"), context)
    assert any(name == "v" for name, _ in found.images) is split


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("x // y != 5 or y != 0", False),
        ("x % y == 0 or x % y != 0", False),
        ("y == 0 or x // y * y <= x or y < 0", True),
        ("x // 2 != 5 or x > 0", True),
    ],
)
def test_a_part_without_a_value_is_not_known_to_fail(claim: str, right: bool) -> None:
    assert Logic(Sizes(lambda name: "int64")).holds(parse_claim(claim)) is right
