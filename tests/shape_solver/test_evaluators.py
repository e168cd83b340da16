"""An evaluator of typed terms that shares nothing with ours (``outside.py``, from the words of chapter 06) agrees with
it, on the value and on where there is none."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from refrelax.shape_solver import parse_claim, parse_dim
from refrelax.shape_solver.door import Door
from refrelax.shape_solver.evaluate import TooLarge, Undefined, compiled
from tests.shape_solver import outside

POINTS = 3
LARGE = "large"
EDGES = (0, 1, -1, 2, 3, 7, 127, 128, -128, -129, 255, 256, 2**15, -(2**31), 2**31, 2**32 - 1, 2**63, -(2**63) - 1)


def drawn(random: Random) -> tuple[outside.Term, bool]:
    """A term, and whether it is a truth."""
    draw = outside.Draw(random, ("n", "m", "k", "j")[: random.choice((1, 2, 3, 4))], random.choice((0.05, 0.2, 0.5)))
    truth = random.random() < 0.4
    depth = random.choice((1, 2, 3, 4))
    return (draw.truth(depth) if truth else draw.integer(depth)), truth


def agree(term: outside.Term, truth: bool, random: Random) -> int:
    """At how many points both give a value, which is the same; where one has none, so has the other."""
    said = outside.text(term)
    door = Door()
    e = door.claim(parse_claim(said)) if truth else door.dim(parse_dim(said))
    inner, run, values = {name: number for number, name in door.names().items()}, compiled(e), 0
    for _ in range(POINTS):
        env = {
            name: random.choice(EDGES) + random.randint(-1, 1) if random.random() < 0.4 else random.randint(-9, 40)
            for name in outside.symbols(term)
        }
        expected = valued(lambda: outside.evaluate(term, env))
        found = valued(lambda: run({inner[name]: value for name, value in env.items() if name in inner}))
        if LARGE not in (found, expected):
            assert found == expected, (said, env, found, expected)
            values += isinstance(found, int)
    return values


def valued(run: Callable[[], int]) -> int | str:
    """The value, or why there is none."""
    try:
        return run()
    except (Undefined, outside.NoValue):
        return "undefined"
    except (TooLarge, outside.TooBig):
        return LARGE


def campaign(seed: int, count: int) -> int:
    values = 0
    for number in range(count):
        random = Random(f"{seed}/{number}")
        values += agree(*drawn(random), random)
    return values


@pytest.mark.thorough
def test_both_evaluators_agree() -> None:
    assert campaign(1, 1_500) > 2_500


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10))
def test_both_evaluators_agree_on_a_million_terms(seed: int) -> None:
    assert campaign(100 + seed, 100_000) > 150_000
