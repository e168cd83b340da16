# ruff: noqa: E501
"""Regions, index maps, bounds: questions of their own, against brute force."""

from __future__ import annotations

import itertools
from contextlib import suppress
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.shape_solver import parse_dim
from refrelax.shape_solver.evaluate import compiled
from tests.draws import draws
from tests.shape_solver import outside
from tests.shape_solver.outside import Draw, NoValue, TooBig, evaluate, text


def test_regions() -> None:
    assert isinstance(rr.disjoint(("0", "n"), ("n", "m"), ["n >= 0", "m >= 0"]), rr.Proved)
    refuted = rr.disjoint(("0", "n + 1"), ("n", "m"), ["n >= 0", "m >= 0"])
    assert isinstance(refuted, rr.Refuted) and refuted.model["m"] >= 1
    assert isinstance(rr.disjoint("4*i", "4*j + 1"), rr.Proved)
    assert isinstance(rr.disjoint("4*i", "2*j"), rr.Refuted)
    assert isinstance(rr.disjoint((0, 16), (16, 4)), rr.Proved) and isinstance(
        rr.disjoint((0, 17), (16, 4)), rr.Refuted
    )
    assert isinstance(rr.disjoint(("p", "n"), ("p", "m"), ["n <= 0"]), rr.Proved)
    with pytest.raises(ValueError, match="expected"):
        rr.disjoint(True, 3)


def test_index_maps() -> None:
    assert isinstance(rr.injective("i*m + j", ["i", "j"], ["0 <= j < m"]), rr.Proved)
    refuted = rr.injective("i*m + j", ["i", "j"], ["0 <= j <= m", "m >= 1"])
    assert isinstance(refuted, rr.Refuted)
    a, b = ({name: refuted.model[name + end] for name in ("i", "j")} for end in ("", "_2"))
    assert a != b and a["i"] * refuted.model["m"] + a["j"] == b["i"] * refuted.model["m"] + b["j"]
    assert isinstance(rr.injective(["v // h", "v % h"], ["v"], ["h >= 1"]), rr.Proved)
    assert isinstance(rr.injective("(i % 8) * 8 + i // 8", ["i"], ["0 <= i < 64"]), rr.Proved)
    assert isinstance(rr.injective("i + i_2", ["i"]), rr.Proved)
    with pytest.raises(ValueError, match="variables"):
        rr.injective("i", [])


@pytest.mark.parametrize(
    ("e", "assume", "found"),
    [
        ("i*4 + j", ["0 <= i < 8", "0 <= j < 4"], (0, 31)), ("n % 7", [], (0, 6)), ("n // 4", ["n >= 9"], (2, None)),
        ("x*x", [], (0, None)), ("x", [], (None, None)), ("int8(x)", [], (-128, 127)), ("n", ["n >= 5", "n <= 4"], (1, 0)),
        ("min(x, 5) + max(y, 3)", ["y <= 9"], (None, 14)), ("a - b", ["a > b", "a <= b + 3"], (1, 3)), ("7", [], (7, 7)),
    ],
)  # fmt: skip
def test_bounds(e: str, assume: list[str], found: tuple[int | None, int | None]) -> None:
    assert rr.bounds(e, assume) == found


@pytest.mark.parametrize("seed", range(12))
def test_bounds_hold(seed: int) -> None:
    draw = outside.Draw(Random(seed), ("n", "m"))
    text = outside.text(draw.integer(2))
    low, high = rr.bounds(text, ["0 <= n <= 9", "-3 <= m <= 6"], "quick")
    run = compiled(parse_dim(text))
    for n, m in itertools.product(range(10), range(-3, 7)):
        try:
            value = run({"n": n, "m": m})
        except Exception:  # no value here
            continue
        assert (low is None or low <= value) and (high is None or value <= high)


def test_simplify_is_public() -> None:
    assert rr.simplify("(i*16 + j) // 16", ["0 <= j < 16"]) == parse_dim("i")


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [11, 12])
def test_questions_from_outside(seed: int) -> None:
    tally = outside.campaign(seed, 150, tries=60)
    assert not tally.wrong and not tally.slow, (tally.wrong, tally.slow)
    assert tally.counts["unknown"] <= 2, tally.unknown


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10))
def test_many_questions_from_outside(seed: int) -> None:
    tally = outside.campaign(1001 + seed, 20_000)
    assert not tally.wrong and not tally.slow, (tally.wrong, tally.slow)
    assert tally.counts["unknown"] <= 10, tally.unknown


@given(st.integers(0, 2**32))
@settings(max_examples=draws(60), deadline=None)
def test_bounds_of_few_points_are_attained(seed: int) -> None:
    random = Random(seed)
    e = Draw(random, ("n", "m"), 0.2).integer(3)
    values = []
    for n, m in product(range(-3, 5), range(6)):
        with suppress(NoValue, TooBig):
            if (n + m) % 2 == 0:
                values.append(evaluate(e, {"n": n, "m": m}))
    found = rr.bounds(text(e), ["-3 <= n < 5", "0 <= m < 6", "(n + m) % 2 == 0"])
    assert found == ((min(values), max(values)) if values else (1, 0)) or None in found, text(e)
