"""Logs of choices that are equal arm by arm, of facts that deny each other, and of quadratics without a root."""

from __future__ import annotations

from random import Random

import pytest

from refrelax.shape_solver import Proved, Prover, Refuted, prove
from refrelax.shape_solver.certify import confirm
from refrelax.shape_solver.checker.check import check
from refrelax.shape_solver.prooflog.carried import Rows
from refrelax.shape_solver.prooflog.elaborate import ATTEMPTS, MATCHED, ROOTS, prooflog
from refrelax.shape_solver.prooflog.translate import question

EQUAL_CHOICES: list[tuple[str, list[str]]] = [
    ("select(b != 0, c // b, 0) == select(b == 0, 0, c // b)", ["b % 2 == 0"]),
    ("~select(c != 0, c // c, 0) & -8 == ~select(c == 0, 0, c // c) & -8", []),
    ("int64(min(select(c != 0, a // c, 0) % -7, b)) == int64(min(select(c == 0, 0, a // c) % -7, b))", ["c >= 0"]),
    ("select(not (int32(b) < a), a ^ b, b | 4773) & (a + a) == select(int32(b) < a, b | 4773, a ^ b) & (a + a)", []),
    ("select(b == a, b % 2 % 12 % 4, 3275) // 32 == select(b == a, b % 2 % 4, 3275) // 32", []),
    ("(~select(a != 0, (a ^ b) // a, 0) & 1154) == (~select(a == 0, 0, (a ^ b) // a) & 1154)", ["1 <= b and b < 8"]),
    ("a == 0 or select(not (a >= c), b & a, 256) == select(a >= c, 256, b & a)", []),
    ("(min((b * 2 + (b - a)) % 2, b) & 1213) // a == (min((b - a) % 2, b) & 1213) // a", ["0 <= a and a <= 31"]),
    ("((p - (p & q)) // int16(p)) & (q >> 3) == ((p - (p & q)) * 2 // (int16(p) * 2)) & (q >> 3)", []),
    ("(~max(7, q) >> 1) * (q >> 2) == ~(max(7, q) >> 1) * (q >> 2)", []),
    ("int8((q >> uint8(q)) + p) * p == int8(int8(q >> uint8(q)) + p) * p", []),
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize(("claim", "assume"), EQUAL_CHOICES)
def test_choices_that_are_equal_have_a_short_log(claim: str, assume: list[str]) -> None:
    """This attempt alone is enough: no bits are searched, and no more is split than what is chosen."""
    answer = prove(claim, assume)
    assert isinstance(answer, Proved)
    alone = ATTEMPTS.index(MATCHED)
    log = prooflog(answer.certificate.query, "normal", slice(alone, alone + 1), "normal form")
    assert log is not None
    document = {**answer.certificate.document("quick"), "evidence": {"kind": "log", **log}}
    assert confirm(document, who="checker").by == "checker"


def test_choices_that_differ_in_one_arm_have_none() -> None:
    for claim in (
        "select(b != 0, c // b, 0) == select(b == 0, 1, c // b)",
        "select(a < b, a, c) == select(a <= b, a, c)",
    ):
        assert isinstance(prove(claim), Refuted)
        alone = ATTEMPTS.index(MATCHED)
        assert prooflog(Prover().posed(claim).query, "normal", slice(alone, alone + 1), "normal form") is None


def test_quadratics_without_an_integer_root() -> None:
    """Exactly those between whose roots, or beside which, no integer is one; written for all, and accepted."""
    random, alone, written = Random(5), ATTEMPTS.index(ROOTS), 0
    for _ in range(120):
        a, b, c = random.choice((1, 1, 2, 3, 5, -1, -2)), random.randint(-20, 20), random.randint(-60, 60)
        query = Prover().posed(f"{a}*x*x + {b}*x + {c} != 0").query
        log = prooflog(query, "normal", slice(alone, alone + 1), "")
        rootless = all(a * x * x + b * x + c for x in range(-100, 100))
        assert (log is not None) == (rootless and b * b >= 4 * a * c), (a, b, c)
        assert log is None or check(question(query), log).accepted
        written += log is not None
    assert written > 40
    answer = prove("implies(524287 == q * q, int64(int8(q)) <= q)")
    assert isinstance(answer, Proved) and confirm(answer.certificate.document(), who="checker").by == "checker"


def test_points_never_keep_what_no_bits_make_hold() -> None:
    """Where some numbers make facts hold, the automaton finds bits, too: a log that was found before is still."""
    for claim in ("(x & y) + (x | y) == x + y", "((x ^ y) & 7) <= 7", "(x | y) >= (x & y) - 8"):
        answer = prove(claim, ["x >= 0", "y >= 0"])
        assert isinstance(answer, Proved)
        kept, Rows.hold = Rows.hold, lambda self, facts: False  # type: ignore[method-assign]
        try:
            without = answer.certificate.document()["evidence"]
        finally:
            Rows.hold = kept  # type: ignore[method-assign]
        assert answer.certificate.document()["evidence"] == without and without["kind"] == "log"
