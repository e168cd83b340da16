"""Certificates are confirmed by what had no part in the proof; simplified expressions are equal, shorter and
defined.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from refrelax.errors import Ended
from refrelax.semantics.dims import value
from refrelax.shape_solver import Proved, parse_claim, parse_dim, prove, replay, simplify, z3_
from refrelax.shape_solver.certificate import Certificate, NoCertificate, smt2
from refrelax.shape_solver.certify import certify, confirm
from refrelax.shape_solver.checker.points import few
from refrelax.shape_solver.checker.terms import Question
from refrelax.shape_solver.claim import Query, Stage
from refrelax.shape_solver.prooflog.translate import question
from refrelax.shape_solver.simplify import cost
from refrelax.syntax.scalars import free_symbols

BENCH = Path(__file__).parents[2] / "benchmarks" / "solver_queries"


@pytest.mark.parametrize(
    ("claim", "assume", "by"),
    [
        ("n*m + m == m*(n + 1)", [], {"checker"}),
        ("i*m + j < n*m", ["0 <= i < n", "0 <= j < m"], {"checker"}),
        ("select(n > 0, n, 0) == max(n, 0)", [], {"checker"}),
        ("x * y % 7 != 3 or x * y != 53", ["0 <= x <= 20", "0 <= y <= 20"], {"enumeration", "checker"}),
    ],
)
def test_somebody_else_confirms(claim: str, assume: list[str], by: set[str]) -> None:
    answer = prove(claim, assume)
    assert isinstance(answer, Proved)
    assert certify(answer.certificate) in by


def test_a_forged_certificate_is_not_confirmed() -> None:
    query = Query(parse_claim("n // 2 * 2 == n"), (parse_claim("0 <= n <= 9"),))
    with pytest.raises(AssertionError, match="refuted"):
        certify(Certificate(query, (Stage("all points", "said so"),)))
    assert certify(Certificate(Query(parse_claim("n // 2 * 2 == n")), (Stage("normal form", "said so"),))) is None


def asked(claim: str, *assume: str) -> Question:
    return Question.read(question(Query(parse_claim(claim), tuple(map(parse_claim, assume)))))


def test_enumeration_is_only_tried_where_it_ends() -> None:
    assert not few(asked("n >= 0", "n >= 0"))
    assert few(asked("n >= 0", "0 <= n and n < 5"))


@pytest.mark.thorough
def test_what_no_certificate_can_state_has_none() -> None:
    big = " * ".join(["(n + 1) ** 16"] * 12)
    claim = f"({big}) * ({big}) * ({big}) * m * (m + k) * (k + j) >= 0"
    certificate = Certificate(Query(parse_claim(claim)), (Stage("normal form", "said so"),))
    with pytest.raises(NoCertificate):
        certificate.document("quick")
    assert certify(certificate) is None


def test_large_constants_are_written() -> None:
    shifts = " * ".join(["(1 << 4000)"] * 4)
    answer = prove(f"n * {shifts} >= 0", ["n >= 0"])
    assert isinstance(answer, Proved)
    try:
        document = json.loads(json.dumps(answer.certificate.document()))
    except NoCertificate:
        return
    assert not confirm(document).rejected


@pytest.mark.thorough
def test_what_nobody_confirms_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Query(parse_claim("n*n*n + m*m*m != k*k*k or n == 0 or m == 0 or k == 0"))
    document = Certificate(claim, (Stage("z3 on the normal form", "said so"),)).document()
    assert document["evidence"]["kind"] == "smt2"
    assert "ms" in confirm(document, 100).missing
    monkeypatch.setattr(replay, "AVAILABLE", False)
    assert "refrelax[certify]" in confirm(document, 100).missing


def test_the_script_stands_alone() -> None:
    script = smt2(Query(parse_claim("n // m * m <= n"), (parse_claim("m >= 1"),)))
    assert script.startswith("(set-logic ALL)") and script.count("(check-sat)") == 1
    assert "|n|" in script and "|m|" in script


def test_the_script_states_the_obligation_of_fits() -> None:
    claim = parse_claim("n + 1 > n")
    assert z3_.replay(smt2(Query(claim)), 100_000) == "unsat"
    assert z3_.replay(smt2(Query(claim, (), (-128, 127))), 100_000) == "sat"
    assert z3_.replay(smt2(Query(parse_claim("n // m == n // m"), (), None, "require")), 100_000) == "sat"


@pytest.mark.thorough
def test_identities_are_proved_and_confirmed() -> None:
    questions = json.loads((BENCH / "identities.json").read_text(encoding="utf-8"))
    assert len(questions) >= 300
    for asked in questions[::9]:
        answer = prove(asked["claim"], asked["assume"])
        assert isinstance(answer, Proved), asked
        assert certify(answer.certificate) is not None, asked


@pytest.mark.parametrize(
    ("text", "assume", "expected"),
    [
        ("(i*m + j) // m", ["0 <= i", "0 <= j < m"], "i"),
        ("(i*m + j) % m", ["0 <= j < m"], "j"),
        ("max(n - 1, 0)", ["n >= 1"], "n - 1"),
        ("n // 4 * 4", ["n % 4 == 0"], "n"),
        ("(n + 3) // 4", ["n % 4 == 0"], "n // 4"),
        ("(n*4 + j) // 4 % 8", ["0 <= j < 4"], "n % 8"),
        ("min(i*16 + 16, n) - i*16", ["n % 16 == 0", "0 <= i", "i < n // 16"], "16"),
        ("n // m", [], "n // m"),
        ("min(n // 4, m // 4)", [], "min(n, m) // 4"),
        ("max(n // -4, m // -4)", [], "min(n, m) // -4"),
        ("ceildiv(n, 7) * 7 - n", [], "6 - (n + 6) % 7"),
        ("(n % 32) // 4 * 4 + n % 4", [], "n % 32"),
        ("n % 14 // 21 + n // 14", [], "n // 14"),
        ("n % 2 % 3 * 36", ["n % 36 == 13"], "36"),
        ("select(n > 0, select(n > 0, n, m), 0)", [], "max(n, 0)"),
    ],
)
def test_simplified_under_assumptions(text: str, assume: list[str], expected: str) -> None:
    short = simplify(text, assume)
    assert short == parse_dim(expected)
    original = parse_dim(text)
    assert cost(short) <= cost(original)
    names = sorted(free_symbols(original).union(*(free_symbols(parse_claim(each)) for each in assume)))
    for point in itertools.product(range(-2, 9), repeat=len(names)):
        env = dict(zip(names, point))
        try:
            held = all(value(parse_claim(each), env) for each in assume)
            wanted = value(original, env) if held else None
        except Ended:
            continue
        if wanted is not None:
            assert value(short, env) == wanted, env
