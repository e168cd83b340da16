"""Where a question lies that has no answer: the words are closed, and each is met."""

from __future__ import annotations

import re
from random import Random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers

import refrelax as rr
from refrelax.shape_solver import Unknown, parse_dim, prove
from refrelax.shape_solver.claim import LIMITS, Query, Scope
from refrelax.shape_solver.classes import BUDGETS, INSIDE, OUTSIDE, Inside, Outside, scope
from refrelax.shape_solver.door import Door
from refrelax.shape_solver.prover import Prover
from refrelax.shape_solver.vectors import Ranges
from tests.draws import draws
from tests.shape_solver.outside import Draw, NoValue, TooBig, evaluate, question, text

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


@pytest.mark.thorough
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
    assert seen > 8


@given(integers(0, 2**32))
@settings(max_examples=draws(150), deadline=None)
def test_ranges_hold_every_value(seed: int) -> None:
    """What is said of a part of a question (``sh/vectors``) holds at every point, symbols without bounds or with."""
    random = Random(seed)
    e = Draw(random, ("n", "m", "k"), 0.2).integer(4)
    term = Door().dim(parse_dim(text(e)))
    names = {each: f"s{place:03d}" for place, each in enumerate(dict.fromkeys(_order(text(e))))}
    bounds = {names[each]: (-9, 40) for each in ("n", "m") if each in names}
    found = Ranges.within(bounds).of(term)
    for _ in range(30 if found else 0):
        env = {"n": random.randint(-9, 40), "m": random.randint(-9, 40), "k": random.randint(-(2**40), 2**40)}
        try:
            number = evaluate(e, env)
        except (NoValue, TooBig):
            continue
        assert found is not None and found[0] <= number <= found[1], (text(e), env)


def _order(said: str) -> list[str]:
    return re.findall(r"\b[nmk]\b", said)
