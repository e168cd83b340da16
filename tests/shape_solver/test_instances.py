"""Hard symbols are given values; parts that repeat are symbols of their own."""

from __future__ import annotations

from itertools import islice

import pytest

from refrelax.shape_solver import Proved, Refuted, parse_claim, prove, z3_
from refrelax.shape_solver.instances import hard, points, values


@pytest.mark.parametrize(
    ("claim", "names"),
    [
        ("x * y == 3", {"x", "y"}),
        ("x // y == 3", {"y"}),
        ("x << y >> z == 3", {"y", "z"}),
        ("x * x == y", {"x"}),
        ("x // 3 * 4 == y", set()),
        ("a * b == c * d or e // f == 1", set()),
    ],
)
def test_hard(claim: str, names: set[str]) -> None:
    found = set(hard([parse_claim(claim)]))
    assert found <= names and bool(found) == bool(names)


def test_of_two_that_stand_as_often_the_one_of_fewer_values_is_taken() -> None:
    claim = parse_claim("x * y >= 0")
    assert hard([claim]) == ("x",)
    assert hard([claim], {"y": (0, 9), "x": (0, None)}) == ("y",) == hard([claim], {"y": (0, 9), "x": (0, 99)})


def test_values_are_all_or_said_not_to_be() -> None:
    assert values(("x", "y"), {"x": (0, 3), "y": (-2, 1)}) == ([(x, y) for x in range(4) for y in range(-2, 2)], True)
    for bounds in ({}, {"x": (0, None)}, {"x": (None, 5)}, {"x": (0, 1000)}):
        found, complete = values(("x",), bounds)
        low, high = bounds.get("x", (None, None))
        assert not complete and 0 < len(found) <= 24
        assert all((low is None or low <= x) and (high is None or x <= high) for (x,) in found)
    assert values(("x",), {"x": (3, 2)}) == ([], True)


def test_points_are_distinct_and_near_numbers() -> None:
    claim = parse_claim("x + 1000 == y >> 40 and p")
    found = list(islice(points([claim], {"x": "int64", "y": "int64", "p": "bool"}, 500), 500))
    assert len({tuple(each.items()) for each in found}) == len(found) == 500
    assert any(each["x"] == 999 for each in found) and any(each["y"] == 1 << 40 for each in found)


QUESTIONS: list[tuple[str, list[str], type]] = [
    ("((128 // q) > ((p * p) | (-16)))", ["p != 0 and q % p == 0", "-128 <= p <= -97"], Proved),
    ("(x | (1023 * y)) // min(x, 0) > x", ["z == y", "x % 16 == 0"], Proved),
    ("n % (1 << a) % (1 << b) == n % (1 << min(a, b))", ["0 <= a < 4", "0 <= b < 5"], Proved),
    ("(y ^ z) * (z ^ x) % 2 == ((y ^ z) % 2) * ((z ^ x) % 2)", ["y >= -8"], Proved),
    ("((r ^ q) & 1024 | (r + q)) >= max((r ^ q) & 1024, r + q) or ((r ^ q) & 1024) < 0 or r + q < 0", [], Proved),
    ("(2147483647 - z) ^ x != truncdiv(x, 12)", [], Refuted),
    ("int8(uint32(n >> 1000)) <= n % 12", ["n % 16 == 0"], Refuted),
    ("(y * 1023) >> z != ~(z << 31)", ["z >= x", "x > 0"], Refuted),
    ("n % (1 << a) % (1 << b) == n % (1 << a)", ["0 <= a < 4", "0 <= b < 5"], Refuted),
]


@pytest.mark.thorough
@pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")
@pytest.mark.parametrize(("claim", "assume", "expected"), QUESTIONS)
def test_answered(claim: str, assume: list[str], expected: type) -> None:
    assert isinstance(prove(claim, assume), expected)
