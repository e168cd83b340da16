"""Where a question lies that has no answer: the words are closed, and each is met."""

from __future__ import annotations

from random import Random
from typing import get_args

import pytest

import refrelax as rr
from refrelax.shape_solver import Unknown, prove
from refrelax.shape_solver.claim import LIMITS, Query, Scope
from refrelax.shape_solver.classes import BUDGETS, INSIDE, OUTSIDE, Inside, Outside, scope
from refrelax.shape_solver.prove import Prover
from tests.shape_solver.outside import question, text

WORDS = {"inside": INSIDE.keys(), "outside": OUTSIDE.keys(), "budget": BUDGETS.keys()}


def where(claim: str, assume: tuple[str, ...] = (), z3: bool = True) -> str:
    """Where ``claim`` would lie if it were not answered."""
    prover = Prover(assume)
    inside = prover.door.claim(rr.shape_solver.parse_claim(claim))
    query = Query(inside, prover._assumptions)
    bounds = {name: prover.context.facts.of(name) for name in query.symbols()}
    return str(scope(query, bounds, None, LIMITS["normal"], z3))


@pytest.mark.parametrize(
    ("claim", "assume", "expected"),
    [
        ("3*n // 7 % 2 == min(n, m)", (), "linear"),
        ("int8(n & 7) == uint64(m) >> 3", (), "powers"),
        ("a & b == 3", ("0 <= a < 1 << 60", "0 <= b < 1 << 60"), "words"),
        ("a * b // (c + 1) == 3", ("0 <= a < 100", "0 <= b < 300", "0 <= c < 30"), "words"),
        ("uint8(n) * int16(m) == 7", (), "words"),
        ("(n % 100) * (m & 255) > 3", (), "words"),
        ("x*x*y*y + z >= 0", ("x >= y",), "polynomial"),
        ("x*x*y*y*y >= 0", (), "product"),
        ("x*x != y", (), "product"),
        ("a & b == 3", (), "bits"),
        ("n // m == 2", (), "division"),
        ("n << k == 8", (), "exponent"),
        ("n << 5000 == 8", (), "exponent"),
        ("n + 3000000000 == m", (), "constant"),
        ("a+b+c+d+e+f+g+h+i > 0", (), "symbols"),
        ("n * m // k == n >> j", (), "product, division, exponent"),
    ],
)
def test_where(claim: str, assume: tuple[str, ...], expected: str) -> None:
    kind = "inside the class" if expected in get_args(Inside) else "outside the named classes:"
    assert where(claim, assume).startswith(f"{kind} {expected}")


def test_atoms() -> None:
    assert where(" or ".join(f"n == {k}" for k in range(25))).endswith("atoms")
    assert "linear" in where(" or ".join(f"n == {k}" for k in range(24)))


def test_budgets() -> None:
    assert "z3" in where("n == 1", z3=False) and "division" in where("n // m == 1", z3=False)
    quick = prove("x % 1000003 + y % 1000003 != 999999", ["x >= 5", "y >= x"], effort="quick")
    assert isinstance(quick, Unknown) and quick.scope == Scope("budget", ("effort",))
    late = prove("x*x*x + y*y*y != z*z*z", ["x >= 1", "y >= 1", "z >= 1"], timeout=0)
    assert isinstance(late, Unknown) and late.scope == Scope("budget", ("time",))
    few = prove("n << 5000 != 2**4999 * 3", ["0 < n < 9"], effort="quick")
    assert isinstance(few, Unknown) and few.scope.names == ("exponent",)


def test_words_are_closed() -> None:
    assert set(get_args(Inside)) == set(INSIDE) and set(get_args(Outside)) == set(OUTSIDE)
    seen = 0
    for number in range(1500):
        claim, assume = question(Random(f"classes/{number}"))
        answer = prove(text(claim), [text(each) for each in assume], effort="quick")
        if isinstance(answer, Unknown):
            seen += 1
            assert answer.scope.names and set(answer.scope.names) <= set(WORDS[answer.scope.kind])
            assert answer.scope.kind != "inside" and str(answer.scope) in str(answer)
    assert seen > 20
