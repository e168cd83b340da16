"""Shorter spellings, each proved equal before it is used."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers

from refrelax.shape_solver import parse_dim, simplify
from refrelax.shape_solver.evaluate import Run, compiled
from tests.draws import draws
from tests.shape_solver.outside import Draw, NoValue, Term, TooBig, evaluate, text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("k % 16 % 2", "k % 2"),
        ("k % 2 % 16", "k % 2"),
        ("ceildiv(ceildiv(n, 16), 3)", "(n + 47) // 48"),
        ("x // 8 % 10 * 8 + x % 8", "x % 80"),
        ("x % 8 + x // 8 % 10 * 8", "x % 80"),
        ("x // 8 % 10 * 8 + y % 8", "x // 8 % 10 * 8 + y % 8"),
    ],
)
def test_simplify(before: str, after: str) -> None:
    assert simplify(before) == parse_dim(after)


@pytest.mark.parametrize(
    ("before", "assume", "after"),
    [
        ("x % m % k", ["m % k == 0", "k >= 1", "m >= 1"], "x % k"),
        ("x % m % k", ["1 <= m", "m <= k"], "x % m"),
        ("x % m % k", ["1 <= m", "1 <= k"], "x % m % k"),
        ("(x//c + k)//d", ["c >= 1", "d >= 1"], "(x + k*c)//(c*d)"),
        ("x//c % d * c + x % c", ["c >= 1", "d >= 1"], "x % (c*d)"),
        ("(x//c % d * c + x % c) * y", ["c >= 1", "d >= 1"], "x % (c*d) * y"),
        ("(x//4 % 3 * 4 + x % 4) * 5", [], "x % 12 * 5"),
        ("min(x//c, y//c)", ["c >= 1"], "min(x, y)//c"),
        ("max(x//c, y//c)", ["c <= -1"], "min(x, y)//c"),
        ("x // a // b + 1", ["a >= 1", "b >= 1"], "x // (a*b) + 1"),
        ("n // m * m", ["m >= 1", "n % m == 0"], "n"),
        ("min(n, 16) % 32", ["n >= 0"], "min(n, 16)"),
        ("abs(n) + m", ["n <= 0"], "0 - n + m"),
        ("select(n < m, n, m)", [], "min(n, m)"),
        ("(x ^ y) ^ y", [], "x"),
        ("~(~n) | 0", [], "n"),
        ("x // y // y", [], "x // y // y"),
    ],
)
def test_parts_are_simplified(before: str, assume: list[str], after: str) -> None:
    assert simplify(before, assume) == parse_dim(after)


@pytest.mark.thorough
def test_no_step_is_made_in_a_program() -> None:
    """``x + k*c`` may overflow where ``x // c + k`` does not."""
    e = parse_dim("(x//c + k)//d")
    assert simplify(e, ["c >= 1", "d >= 1"], arithmetic="no-overflow") == e


@pytest.mark.thorough
@given(integers(0, 2**32))
@settings(max_examples=draws(60), deadline=None)
def test_simplified_is_equal_and_defined(seed: int) -> None:
    """Wherever an expression has a value and the assumptions hold, what it is simplified to has the same."""
    random = Random(seed)
    draw = Draw(random, ("x", "y", "z"), 0.15)
    e, facts = draw.integer(3), [draw.fact() for _ in range(random.choice((0, 1, 2)))]
    short = compiled(simplify(text(e), [text(each) for each in facts]))
    for _ in range(60):
        _same(e, facts, short, {name: random.choice((-9, -2, -1, 0, 1, 2, 3, 8, 40, 255)) for name in "xyz"})


def _same(e: Term, facts: list[Term], short: Run, env: dict[str, int]) -> None:
    try:
        if not all(evaluate(each, env) for each in facts):
            return
        expected = evaluate(e, env)
    except (NoValue, TooBig):
        return
    assert short(env) == expected, (text(e), env)
