# ruff: noqa: E501
"""What a claim chooses by, true and false, and claims whose own symbols have few values: held against brute force."""

from __future__ import annotations

from random import Random

import pytest

from refrelax.shape_solver import Proved, Prover, Refuted, prove, z3_
from refrelax.shape_solver.certify import confirm
from refrelax.shape_solver.choices import by_choices, by_own_points, by_seen_points
from refrelax.shape_solver.prooflog.elaborate import ATTEMPTS, VALUES, prooflog
from tests.shape_solver import native
from tests.shape_solver.test_counts import attempted

with_z3 = pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")

GIVEN = ["0 <= p", "p < 65536", "p + q < 100"]
TRUE: list[tuple[str, list[str]]] = [
    ("select(q >= (min(q, p) & 256), p | truncmod(7 - 256, p), p) >= -57", GIVEN),
    ("(p | truncmod(-249, p)) >= -57", [*GIVEN, "q >= (min(q, p) & 256)"]),
    ("(p | truncmod(-249, p)) >= -57", [*GIVEN, "q >= (min(q, p) & 256) - 29"]),
    ("implies(q >= 0, (p | truncmod(-249, p)) >= -57)", GIVEN),
    ("select(q >= 0, p | truncmod(-249, p), 3) >= -57", ["0 <= p", "p + q < 100"]),
    ("(truncdiv(r, 16) * (q - r)) <= (select(r >= 0, r // 16, 0 - r // 16) * (q - r))", ["p == q * 3 + 1", "p > 1"]),
]
FALSE: list[tuple[str, list[str]]] = [
    ("(p | truncmod(-249, p)) >= -57", [*GIVEN, "q >= (p & 64) - 29"]),
    ("select(q >= (min(q, p) & 256), p | truncmod(7 - 256, p), p) >= -56", GIVEN),
    ("select(q >= (min(q, p) & 256) - 1000, p | truncmod(7 - 256, p), p) >= -57", GIVEN),
    ("implies(q >= -29, (p | truncmod(-249, p)) >= -57)", GIVEN),
]


@pytest.mark.by_day(1)
@with_z3
@pytest.mark.parametrize(("claim", "assume"), TRUE)
def test_what_a_guard_leaves_few_values(claim: str, assume: list[str]) -> None:
    """All but the last were open inside a class: behind the guard ``p`` is below 100, in front of it it is not."""
    assert isinstance(prove(claim, assume), Proved)


@pytest.mark.thorough
@with_z3
@pytest.mark.parametrize(("claim", "assume"), TRUE)
def test_logs_by_values_of_a_symbol(claim: str, assume: list[str]) -> None:
    """This attempt alone: halves of what a guard, or the linear rows, leave of ``p``, down to single values."""
    answer = prove(claim, assume)
    assert isinstance(answer, Proved)
    alone = ATTEMPTS.index(VALUES)
    log = prooflog(answer.certificate.query, "normal", slice(alone, alone + 1), "all points")
    assert log is not None
    document = {**answer.certificate.document("quick"), "evidence": {"kind": "log", **log}}
    assert confirm(document, who="checker").by == "checker"


def test_a_log_by_values_is_of_what_holds_at_all_of_them() -> None:
    alone = ATTEMPTS.index(VALUES)
    for least, there in ((-57, True), (-56, False)):
        query = Prover(["1 <= p", "p <= 70", "q < 5"]).posed(f"(p | truncmod(-249, p)) >= {least}").query
        log = prooflog(query, "normal", slice(alone, alone + 1), "all points")
        assert (log is not None) == there


@pytest.mark.by_day(1)
@with_z3
@pytest.mark.parametrize(("claim", "assume"), FALSE)
def test_what_a_guard_leaves_a_few_values_more(claim: str, assume: list[str]) -> None:
    """One number further the same claims are false."""
    assert isinstance(prove(claim, assume), Refuted)


def test_symbols_that_a_claim_lacks_are_forgotten() -> None:
    """Not what bounds its own: ``p`` may be 128, where the claim is false, without the order."""
    given = ["1 <= p", "q >= 3", "p + q < 103", "r % 3 == 1"]
    answer = prove("(p | truncmod(-249, p)) >= -57", given)
    assert isinstance(answer, Proved) and answer.stages[-1].name == "all points"
    assert isinstance(prove("(p | truncmod(-249, p)) >= -57", ["1 <= p", "q >= -30", "p + q < 103"]), Refuted)


# --- brute force

PARTS = (
    "p | truncmod({k}, p)", "p ^ (p % {d})", "{k} // p", "p & ({k} - p)", "truncdiv({k}, p + 1)", "p * (p - {d})", "{k} % p",
    "min(p, {d}) << (p & 3)", "p % (p - {d})", "p // {d} * (p ^ {d})", "int8(p * {d})", "truncmod(p * p, {d} - p)", "~p | {k} // (p - 3)",
)  # fmt: skip
GUARDS = (
    "q >= (min(q, p) & {w})", "q >= {d}", "q > (p & {w})", "(q & {w}) < q", "p <= (q ^ q)", "q // (p - {d}) >= 0", "q % p < q", "p < (q & {w})",
    "(p | q) < {w}", "q == (q & {w})", "p - q <= (p & 7)", "p <= {w}", "q <= 0 or p < q", "not (p > {w})",
)  # fmt: skip
FACTS = (
    "0 <= p", "p >= -{s}", "p + q < {e}", "p <= {e}", "q >= 0", "q >= (p & {w})", "(q & {w}) <= q", "p % {d} == 1", "q // p >= 0", "p + (q & {w}) < {e}",
    "p != 0", "q <= p", "p <= (q & {w})", "p >= (q | 3) - q - {s}", "p < 0 - q",
)  # fmt: skip
CLAIMS = (
    "select({g}, {a}, {b}) {r} {m}", "implies({g}, ({a}) {r} {m})", "{g} and ({a}) {r} {m}", "{g} or ({a}) {r} {m}", "({a}) {r} {m}",
    "select({g}, ({a}) {r} {m}, {h})", "({a}) + select({g}, {b}, q) {r} {m}", "not ({g}) or {h} or ({a}) {r} {m}",
)  # fmt: skip
BOX = [{"p": p, "q": q} for p in (*range(-24, 130), 255, 256, 1000) for q in (*range(-34, 110, 2), -257, 256, 999)]


def drawn(random: Random) -> tuple[str, list[str]]:
    """A claim about two symbols, one of which has few values under a guard or an assumption; its number is such that
    the claim holds at all points of a box, or is one off."""

    def said(texts: tuple[str, ...]) -> str:
        r = random
        numbers = {"k": r.choice((-249, -7, 31, 100, 255)), "d": r.choice((2, 3, 5, 7, 12, -3)), "w": r.choice((3, 7, 15, 64, 256, 6)),
                   "e": r.choice((8, 20, 40, 100)), "s": r.choice((0, 3, 20))}  # fmt: skip
        return r.choice(texts).format(**{name: native.num(value) for name, value in numbers.items()})

    given = list(dict.fromkeys(said(FACTS) for _ in range(random.choice((1, 2, 3)))))
    shape, relation = random.choice(CLAIMS), random.choice((">=", "<=", "!=", "=="))
    parts = {"g": said(GUARDS), "h": said(GUARDS), "a": said(PARTS), "b": random.choice(("p", "0", said(PARTS)))}
    sums = [native.runs(f"({parts['a']}) + select({parts['g']}, {parts['b']}, q)"), native.runs(parts["a"])]
    holds = list(map(native.runs, given))
    points = [point for point in random.sample(BOX, 400) if all(each(point) for each in holds)]
    values = [value for point in points for run in sums if (value := run(point)) is not None] or [0]
    number = {">=": min(values), "<=": max(values)}.get(relation, random.choice(values)) + random.choice(
        (0, 0, 0, 1, -1)
    )
    return shape.format(**parts, r=relation, m=native.num(number)), given


def looked_at(random: Random) -> int:
    """How many of the ways prove one drawn claim; none of them where there is a counterexample."""
    claim, assume = drawn(random)
    attempt = attempted(claim, assume)
    ways = (
        by_own_points(attempt, attempt.bounds()),
        by_seen_points(attempted(claim, assume)),
        by_choices(attempted(claim, assume), 200_000),
    )
    proved = sum(isinstance(each, Proved) for each in ways)
    if proved:
        found = native.among(claim, assume, BOX) or native.counterexample(random, claim, assume, 300)
        assert found is None, (claim, assume, found, ways)
    return proved


@pytest.mark.thorough
@with_z3
def test_choices_prove_nothing_false() -> None:
    assert sum(looked_at(Random(f"choices/{number}")) for number in range(40)) > 5


@pytest.mark.nightly
@with_z3
def test_choices_prove_nothing_false_at_length() -> None:
    assert sum(looked_at(Random(f"choices at night/{number}")) for number in range(6_000)) > 500
