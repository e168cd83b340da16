"""Bit operators as symbols of a range: signs, highest bits, and nothing said of what has no value."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers

from refrelax.shape_solver import Proved, Refuted, normal, parse_claim, prove
from refrelax.shape_solver.bits import opened
from refrelax.shape_solver.certify import confirm
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.evaluate import Undefined, compiled
from refrelax.shape_solver.signs import by_range
from tests.shape_solver.campaign import points
from tests.shape_solver.outside import Draw, Term, text

TRUE: list[tuple[str, list[str]]] = [
    ("(x ^ y ^ z) >= 0", ["x >= 0", "y >= 0", "z >= 0"]),
    ("(x | y | z) >= x", ["x >= 0", "y >= 0", "z >= 0"]),
    ("(x & y & z) <= min(x, min(y, z))", ["x >= 0", "y >= 0", "z >= 0"]),
    ("(x ^ y ^ z) <= x + y + z", ["x >= 0", "y >= 0", "z >= 0"]),
    ("((r*64 + c) ^ (((r*64 + c) >> 3) & 56)) < n*64", ["0 <= r", "r < n", "0 <= c < 64"]),
    ("(r*8 + (c ^ (r % 8))) // 8 == r", ["0 <= c < 8"]),
    ("(r*8 + (c ^ (r % 8))) < n*8", ["0 <= c < 8", "0 <= r", "r < n"]),
    ("(x ^ y ^ z ^ w) < 1 << 70", [f"0 <= {name} < 1 << 70" for name in "xyzw"]),
    ("(x & y) + (x & z) <= 2*x", ["x >= 0"]),
    ("y == 0 or ((x // y) & z) <= z", ["z >= 0"]),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "assume"), TRUE)
def test_ranges_decide(claim: str, assume: list[str]) -> None:
    answer = prove(claim, assume, effort="quick")
    assert isinstance(answer, Proved) and answer.stages[-1].name in ("ranges", "normal form")


@pytest.mark.parametrize(("claim", "assume"), [row for row in TRUE if "56" not in row[0] and "70" not in row[0]])
def test_logs_of_ranges(claim: str, assume: list[str]) -> None:
    answer = prove(claim, assume)
    assert isinstance(answer, Proved) and confirm(answer.certificate.document(), who="checker").by == "checker"


@pytest.mark.parametrize(
    ("claim", "assume"),
    [
        ("y != 0 and ((x // y) & z) <= z", ["z >= 0"]),
        ("(x ^ y) <= x", ["x >= 0", "y >= 0"]),
        ("(x & y) <= x", ["y >= 0"]),
        ("(x | y) >= x + y", ["x >= 0", "y >= 0"]),
        ("(x ^ (y & 8)) // 8 == x // 8", []),
        ("(x ^ (y & 7)) < n", ["x >= 0", "x < n"]),
    ],
)
def test_ranges_decide_no_more(claim: str, assume: list[str]) -> None:
    assert isinstance(prove(claim, assume), Refuted)


def test_nothing_is_said_of_what_has_no_value() -> None:
    """At ``y == 0`` the claim has a value: its guard is false there."""
    claim = parse_claim("y != 0 and ((x // y) & z) <= z")
    found = by_range(claim, Context().assuming(parse_claim("z >= 0")))
    assert found is not None and not normal.proves(*found)


def bits(draw: Draw, depth: int) -> Term:
    """An integer term in which bit operators stand often."""
    r = draw.random
    if depth == 0:
        return draw.integer(r.choice((0, 0, 1)))
    op = r.choice(("&", "|", "^", "&", "|", "^", "~", "+", "%", "//"))
    if op == "~":
        return (op, bits(draw, depth - 1))
    return (op, bits(draw, depth - 1), bits(draw, depth - 1) if op not in ("%", "//") else draw.integer(0))


def shown(random: Random) -> bool:
    """Whether one drawn claim is shown by ranges; then it holds at all points nearby."""
    draw = Draw(random, ("x", "y", "z"), 0.02)
    left, right = bits(draw, random.choice((1, 2, 2))), random.choice((("int", 0), ("sym", "x"), draw.integer(1)))
    claim: Term = (random.choice(("<=", "<", ">=", "!=", "==")), left, right)
    if random.random() < 0.3:
        claim = (random.choice(("and", "or")), draw.truth(0), claim)
    given = [text(each) for each in (draw.fact() for _ in range(random.choice((0, 1))))]
    given += [f"{name} >= 0" for name in "xyz" if random.random() < 0.8]
    e, assumed = parse_claim(text(claim)), [parse_claim(each) for each in given]
    context = Context().assuming(*map(opened, assumed))
    found = by_range(e, context)
    if found is None or not normal.proves(opened(*found), found[1]):
        return False
    run, checks = compiled(e), [compiled(each) for each in assumed]
    for env in points([range(-5, 11)] * 3):
        try:
            if all(check(env) for check in checks):
                assert run(env), (text(claim), given, env)
        except Undefined:
            continue
    return True


@pytest.mark.thorough
@given(integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_what_ranges_show_holds(seed: int) -> None:
    shown(Random(seed))


@pytest.mark.thorough
def test_ranges_show_something() -> None:
    assert sum(shown(Random(f"ranges/{number}")) for number in range(200)) > 8


@pytest.mark.nightly
def test_what_ranges_show_holds_at_length() -> None:
    assert sum(shown(Random(f"nightly/{number}")) for number in range(40_000)) > 3_000
