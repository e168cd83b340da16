"""Random claims against exhaustive evaluation on a small domain: ``Proved`` is never wrong, a model always refutes."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from refrelax.shape_solver import Proved, Refuted, prove
from refrelax.shape_solver.evaluate import OutOfRange, Undefined, compiled
from refrelax.shape_solver.parse import parse_claim

NAMES = ("n", "m", "k")
ASSUMPTIONS = (
    "n >= 0", "n > 0", "n < m", "n == 2*m", "n % 2 == 0", "m >= 1", "k == n//2", "n <= 4", "n != m", "m % 3 == 1",
    "n*m >= 2", "k < n*m", "n == m or k > 0", "not n == k", "(n+1)%4 == 0", "k == n+m", "min(n, m) > 0", "n//m == k",
    "n % m == 0",
)  # fmt: skip


def integer(random: Random, depth: int) -> str:
    if depth == 0 or random.random() < 0.15:
        number = str(random.choice((-3, -2, -1, 0, 1, 2, 3, 4, 6, 8)))
        return random.choice(NAMES) if random.random() < 0.65 else number
    a, b = integer(random, depth - 1), integer(random, depth - 1)
    forms = [f"({a} {op} {b})" for op in ("+", "-", "*", "//", "%")] * 3
    forms += [f"{f}({a}, {b})" for f in ("min", "max", "truncdiv", "truncmod", "ceildiv")]
    forms += [f"select({claim(random, depth - 1)}, {a}, {b})", f"(({a}) & {random.choice((1, 2, 3, 7))})"]
    forms += [
        f"(({a}) {random.choice(('<<', '>>'))} ({integer(random, min(depth - 1, 1))}))",
        f"int8({a})",
        f"abs({a})",
    ]
    return random.choice(forms)


def claim(random: Random, depth: int) -> str:
    compared = f"({integer(random, max(depth - 1, 0))} {random.choice(('<', '<=', '==', '!='))} {integer(random, 1)})"
    if depth == 0 or random.random() < 0.7:
        return compared
    other = claim(random, depth - 1)
    return random.choice((f"({compared} and {other})", f"({compared} or {other})", f"implies({other}, {compared})",
                          f"(({compared}) == ({other}))", f"not ({other})"))  # fmt: skip


def check(seed: int, count: int, effort: str, size: int) -> None:
    random = Random(seed)
    for _ in range(count):
        text = claim(random, random.randint(1, 4))
        assume = random.sample(ASSUMPTIONS, random.randint(0, 3))
        division, fits = random.choice(("assume", "assume", "require")), random.choice((None, None, "int8"))
        answer = prove(text, assume, effort, fits, division)  # type: ignore[arg-type]
        run = compiled(parse_claim(text), (-128, 127) if fits else None)
        given = [compiled(parse_claim(each)) for each in assume]

        def holds(env: dict[str, int]) -> bool | None:
            try:
                if not all(each(env) for each in given):
                    return None
            except Undefined:
                return None
            try:
                return bool(run(env))
            except OutOfRange:
                return False
            except Undefined:
                return None if division == "assume" else False

        if isinstance(answer, Refuted):
            assert holds({"n": 0, "m": 0, "k": 0, **answer.model}) is False, (text, assume, answer)
        if isinstance(answer, Proved):
            for point in itertools.product(range(-size, size + 2), repeat=3):
                value = holds(dict(zip(NAMES, point)))
                assert value is not False, (text, assume, division, fits, point, answer.stages)
                assert value is None or not answer.vacuous, (text, assume, point)


@pytest.mark.thorough
def test_random_claims_quick() -> None:
    check(1, 250, "quick", 3)


def test_random_claims_with_z3() -> None:
    check(2, 60, "normal", 3)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 120))
def test_random_claims_at_length(seed: int) -> None:
    check(seed, 5_000, "quick", 4)
    check(seed + 1000, 1_000, "normal", 4)
