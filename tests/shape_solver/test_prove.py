"""Answers of the shape solver on claims with a known truth, with every switch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from refrelax.errors import Malformed
from refrelax.shape_solver import Proved, Prover, Refuted, Unknown, parse_claim, prove, z3_
from refrelax.syntax.scalars import Binary, SymVar, int_imm

TRUE = """
n*m + m == m*(n + 1)
n // 2 * 2 == n | n % 2 == 0
(i*m + j) // m == i | 0 <= j < m
(i*m + j) % m == j | 0 <= j < m
i*m + j < n*m | 0 <= i < n; 0 <= j < m
max(a, b) + min(a, b) == a + b
truncdiv(a, b) == a // b | a >= 0; b >= 1
truncdiv(a, b) * b + truncmod(a, b) == a
x <= x << n | x >= 0; n >= 0
(x >> 3) << 3 <= x
x & 7 == x % 8
(n + 3) // 4 * 4 >= n
T.max(n - 1, 0) >= T.min(n, 0)
T.truncmod(n, 4) == n - 4 * T.truncdiv(n, 4)
implies(a < b, a + 1 <= b)
(a < b) == (not b <= a)
m == 0 or n // m * m <= n | m >= 0
a * (a + 1) % 2 == 0
ceildiv(n, 16) * 16 - n < 16
(n if n > 0 else 0) == max(n, 0)
int8(x) <= 127
uint8(x) == x % 256
int8(x) == x | -128 <= x; x < 128
a + b == b + a and (a + b) * c == a*c + b*c
2 ** (n + 1) == 2 * 2 ** n | n >= 0
v // (b*c) == v // c // b | b >= 1; c >= 1
p and q == (q and p) or not p
n == 2*k | k == n // 2; n % 2 == 0
x == 3 | x >= 3; x < 4
x % 4 == 1 | x == 4*y + 1
100000000000000000000 > 99999999999999999999
"""

FALSE = """
n // 2 * 2 == n
x <= x << n | n >= 0
truncdiv(a, b) == a // b
(i*m + j) // m == i | 0 <= j <= m; m >= 1
n * n > n
ceildiv(n, 4) == n // 4 + 1
max(a, b) == a
(a - b) % 4 == a % 4 - b % 4
p or q == p
(x + y) >> 1 == (x >> 1) + (y >> 1)
int8(x) == x
n // m * m == n | n % 2 == 0; m % 2 == 0; m >= 2
x != 1000003 | x >= 0
"""


def cases(table: str) -> list[tuple[str, list[str]]]:
    pairs = [line.split(" | ", 1) if " | " in line else [line, ""] for line in table.strip().splitlines()]
    return [(claim, [each for each in given.split("; ") if each]) for claim, given in pairs]


@pytest.mark.parametrize(("claim", "assume"), cases(TRUE))
def test_proved(claim: str, assume: list[str]) -> None:
    answer = prove(claim, assume)
    assert isinstance(answer, Proved), answer
    assert not answer.vacuous
    assert answer.stages and "(check-sat)" in answer.certificate.smt2()


@pytest.mark.parametrize(("claim", "assume"), cases(FALSE))
def test_refuted(claim: str, assume: list[str]) -> None:
    answer = prove(claim, assume)
    assert isinstance(answer, Refuted), answer
    assert all(isinstance(value, int) for value in answer.model.values())


def test_models_are_small() -> None:
    assert prove("n // 2 * 2 == n", ["n >= 0"]) == Refuted({"n": 1})
    assert prove("n * m < 12", ["n >= 0", "m >= 0"]) in [Refuted({"n": a, "m": 12 // a}) for a in (1, 2, 3, 4, 6, 12)]
    answer = prove("i * m + j < n * m", ["0 <= i < n", "0 <= j"])
    assert isinstance(answer, Refuted) and max(answer.model.values()) <= 2


def test_contradictory_assumptions_prove_vacuously() -> None:
    for assume in (["a > b", "b > a"], ["n % 2 == 0", "n % 2 == 1"], ["n * n == 2"], ["n >= 1", "n <= 0"]):
        answer = prove("n == 99", assume)
        assert isinstance(answer, Proved) and answer.vacuous, assume
    satisfiable = prove("n >= 0", ["n >= 5"])
    assert isinstance(satisfiable, Proved) and not satisfiable.vacuous


def test_division_is_assumed_or_required() -> None:
    assert isinstance(prove("n // m * m + n % m == n"), Proved)
    refuted = prove("n // m * m + n % m == n", division="require")
    assert isinstance(refuted, Refuted) and refuted.model["m"] == 0
    assert isinstance(prove("n // m * m + n % m == n", ["m >= 1"], division="require"), Proved)
    assert isinstance(prove("m == 0 or n // m * m + n % m == n", division="require"), Proved)
    assert isinstance(prove("select(m == 0, 0, n // m) == 0", ["m == 0"], division="require"), Proved)
    assert isinstance(prove("T.Select(m == 0, 0, n // m) == 0", ["m == 0"], division="require"), Refuted)


def test_fits_adds_the_obligation() -> None:
    assert isinstance(prove("n + 1 > n", fits="int32"), Refuted)
    assert prove("n + 1 > n", fits="int32") == Refuted({"n": 2**31 - 1})
    assert isinstance(prove("n + 1 > n", ["n < 1000"], fits="int32"), Proved)
    dims = ["0 <= n <= 1024", "0 <= m <= 1024", "0 <= i < n", "0 <= j < m"]
    assert isinstance(prove("i * m + j < n * m", dims, fits="int32"), Proved)
    assert isinstance(prove("i * m + j < n * m", dims, fits="int16"), Refuted)
    assert isinstance(prove("n // 1000 >= -1000", ["n >= 0"], fits="int8"), Refuted)  # 1000 is no int8


def test_an_ast_is_a_claim_too() -> None:
    n = SymVar("n")
    claim = Binary("EQ", Binary("Mul", n, int_imm(2)), Binary("Add", n, n))
    assert isinstance(prove(claim), Proved)
    assert parse_claim("n * 2 == n + n") == claim
    with pytest.raises(ValueError, match="dtype bool"):
        prove(n)


@pytest.mark.parametrize(
    "text",
    ["", "n +", "n + 1", "f(n) == 1", "n.x == 1", "n == 'a'", "n @ m == 1", "n / 2 == 1", "n ** m == 1", "lambda: 1",
     "[n] == 1", "n == 1.5", "(n == 1) + 1 == 2", "min(n) == 1", "__import__('os') == 1", "not " * 400 + "True"],
)  # fmt: skip
def test_what_is_no_claim_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(Malformed) as caught:
        prove(text)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.rule == "sh/claim-syntax" and diagnostic.span is not None


def test_without_z3_the_answer_is_honest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(z3_, "AVAILABLE", False)
    assert isinstance(prove("n*m + m == m*(n + 1)"), Proved)
    assert isinstance(prove("n // 2 * 2 == n"), Refuted)
    assert isinstance(prove("a*a + b*b + c*c >= a*b + b*c + a*c"), Proved)  # by a log
    assert isinstance(prove("x*x*x*x + y*y*y*y >= 2*x*x*y*y"), Proved)  # so too
    answer = prove("x*x*y*y*(x*x + y*y) + 1 >= 3*x*x*y*y")  # no sum of squares
    assert isinstance(answer, Unknown) and answer.reason == "needs z3"


def test_a_prover_keeps_answers_up_to_names() -> None:
    prover = Prover(["n >= 0", "m >= 0"])
    assert isinstance(prover.prove("(n + 3) // 4 * 4 >= n"), Proved)
    assert isinstance(prover.prove("(n + 3) // 4 * 4 >= n"), Proved)
    assert prover.prove("a == b") == Refuted({"a": 0, "b": 1}) or isinstance(prover.prove("a == b"), Refuted)
    first, second = prover.prove("a == b"), prover.prove("x == y")
    assert isinstance(first, Refuted) and isinstance(second, Refuted)
    assert set(second.model) == {"x", "y", "n", "m"} and list(first.model.values()) == list(second.model.values())
    assert prover.hits >= 3 and prover.asked >= prover.hits


def test_answers_are_reproducible() -> None:
    claim, assume = "v // (b * c) < a", ["0 <= v < a * b * c", "b >= 1", "c >= 1"]
    assert prove(claim, assume).stages == prove(claim, assume).stages


@pytest.mark.thorough
def test_the_hard_questions() -> None:
    """Every sixth of the bench's questions: none wrong, and none open."""
    path = Path(__file__).parents[2] / "benchmarks" / "solver_queries" / "hard.json"
    questions = json.loads(path.read_text(encoding="utf-8"))
    assert len(questions) >= 300
    for question in questions[::6]:
        answer = prove(question["claim"], question["assume"], fits=question["fits"])
        assert isinstance(answer, Proved if question["truth"] else Refuted), question
