"""Counts, divisors and factors that are no numbers: cases of what they may be, held against brute force."""

from __future__ import annotations

from random import Random

import pytest

from refrelax.shape_solver import Proved, Refuted, prove, z3_
from refrelax.shape_solver.bits import opened
from refrelax.shape_solver.claim import LIMITS, Query
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.counts import by_counts, by_few, by_lengths
from refrelax.shape_solver.door import Door
from refrelax.shape_solver.folded import folded
from refrelax.shape_solver.parse import parse_claim
from refrelax.shape_solver.prove import Attempt
from refrelax.shape_solver.vectors import Ranges
from tests.shape_solver import native

with_z3 = pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")

TRUE: list[tuple[str, list[str]]] = [
    ("int16(q & 8191) >= truncmod(q, truncmod(q, -3))", []),
    ("(uint32(~n) - (5 + n + (n << n))) != truncmod(16, n)", ["n >= 0"]),
    ("((4 // 2) ^ 240) != ((n % 5) << m)", ["0 <= n and n <= 1000"]),
    ("p >= (((p >> 7) << p) & (134217727 // 12))", []),
    ("63 != ((p << uint8(p)) >> (q & 7))", ["p <= r"]),
    ("(1274 ^ 128) != q * q", []),
    ("s < ((r << r) ^ 255)", ["r + s <= 39", "p < r"]),
    ("p != 0 or q // (p + 1) == q", []),
]
FALSE: list[tuple[str, list[str]]] = [
    ("~8 != ((-16 * s) >> uint8(s))", ["p == q or p == -5", "q % 3 == 0"]),
    ("(x << k) % 64 == 0", ["k >= 5"]),
    ("k < 0 or (x >> k) <= 0", []),
]


@pytest.mark.thorough
@with_z3
@pytest.mark.parametrize(("claim", "assume"), TRUE)
def test_claims_about_counts_and_divisors(claim: str, assume: list[str]) -> None:
    """Nearly all were open."""
    assert isinstance(prove(claim, assume), Proved)


@with_z3
@pytest.mark.parametrize(("claim", "assume"), FALSE)
def test_false_claims_about_counts(claim: str, assume: list[str]) -> None:
    assert isinstance(prove(claim, assume), Refuted)


TERMS = ("{a} << ({c})", "{a} >> ({c})", "{a} // ({c})", "{a} % ({c})", "truncdiv({a}, {c})", "{a} * ({c})")
LAWS = (
    "(({a} >> ({c})) << ({c})) <= {a}", "(({a} << ({c})) >> ({c})) == {a}",
    "truncmod({a}, {c}) == {a} - truncdiv({a}, {c}) * ({c})",
    "{a} % ({c}) < abs({c})", "({a} // ({c})) * ({c}) <= {a}", "({a} << ({c})) & 1 == 0", "({a} << ({c})) >= {a}",
)  # fmt: skip
GUARDS = ("", "", "({c}) <= 0 or ", "not (({c}) > 0) or ", "implies(p == 1, q > 0) and ", "p == 0 or ")


def drawn(random: Random) -> tuple[str, list[str]]:
    """A claim with shifts by terms and divisors that are terms, some under guards."""
    pen = native.Pen(random, ["p", "q"])
    part = random.choice(("p & 3", "q % 4", "truncmod(p, 3)", "p % (-2)", "uint8(q)", "p - q", "q // p", "p"))
    a = random.choice(("p", "q", "5", "(-7)", "(p >> 2)"))
    if random.random() < 0.7:
        claim = random.choice(LAWS).format(a=a, c=part)
    else:
        term = random.choice(TERMS).format(a=a, c=part)
        claim = f"({term}) {random.choice(native.RELATIONS)} {pen.integer(random.choice((0, 0, 1)))}"
    return random.choice(GUARDS).format(c=part) + claim, [pen.fact() for _ in range(random.randint(0, 2))]


def attempted(claim: str, assume: list[str]) -> Attempt:
    door = Door()
    asked, *given = (door.claim(parse_claim(each)) for each in (claim, *assume))
    context = Context().assuming(*map(opened, given))
    return Attempt.of(Query(asked, tuple(given), None, "assume"), context, LIMITS["normal"], 100)


def looked_at(random: Random) -> int:
    """How many of the ways prove one drawn claim; none of them where there is a counterexample."""
    claim, assume = drawn(random)
    proved = 0
    for way in (by_counts, by_few, by_lengths):
        answer = way(attempted(claim, assume), 500_000)
        if isinstance(answer, Proved):
            proved += 1
            found = native.counterexample(random, claim, assume, 300)
            assert found is None, (way.__name__, claim, assume, found)
    return proved


@pytest.mark.thorough
@with_z3
def test_cases_of_parts_prove_nothing_false() -> None:
    assert sum(looked_at(Random(f"counts/{number}")) for number in range(60)) > 5


@pytest.mark.nightly
@with_z3
def test_cases_of_parts_prove_nothing_false_at_length() -> None:
    assert sum(looked_at(Random(f"counts at night/{number}")) for number in range(6_000)) > 500


def test_numbers_are_folded_where_they_have_a_value() -> None:
    door = Door()
    given = door.claim(parse_claim("((4 // 2) ^ 240) + 1 // 0 + (1 << 5000) == x * (3 - 5)"))
    assert folded(given) == door.claim(parse_claim("242 + 1 // 0 + (1 << 5000) == x * -2"))


def test_ranges_of_remainders() -> None:
    door = Door()
    for text, span in (("x % -3 == 0", (-2, 0)), ("truncmod(x, -3) == 0", (-2, 2)), ("truncmod(x, 4) == 0", (-3, 3))):
        assert Ranges.within({}).of(door.claim(parse_claim(text)).a) == span
