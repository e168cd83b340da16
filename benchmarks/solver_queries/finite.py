# ruff: noqa: E501
"""Random expressions over bounded symbols and their exact extremes, for ``generate.py``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

from refrelax.shape_solver.evaluate import Undefined, compiled
from refrelax.shape_solver.parse import parse_dim

Item = tuple[str, list[str], bool]
"""Claim, assumptions, truth."""


def finite(random: Random, count: int) -> Iterator[Item]:
    """Random expressions over bounded symbols and their exact extremes: nothing but arithmetic will do."""
    made = 0
    while made < count:
        names = ["x", "y"] if made % 3 else ["x", "y", "z"]
        top = 24 if len(names) == 2 else 9
        low = random.choice((0, 0, -top // 2))
        text = _expression(random, names, 3)
        values = list(_values(text, names, low, top))
        if len(set(values)) < 4 or not all(name in text for name in names):
            continue
        bounds = [f"{low} <= {name} <= {low + top}" for name in names]
        least, greatest = min(values), max(values)
        yield f"{least} <= {text} and {text} <= {greatest}", bounds, True
        yield f"{text} < {greatest}", bounds, False
        missing = [v for v in range(least, greatest) if v not in set(values)]
        if missing:
            yield f"{text} != {random.choice(missing)}", bounds, True
        made += 1


def _expression(random: Random, names: list[str], depth: int) -> str:
    if depth == 0 or random.random() < 0.15:
        return random.choice([*names, *names, str(random.choice((1, 2, 3, 5, 7, 8)))])
    a, b = _expression(random, names, depth - 1), _expression(random, names, depth - 1)
    k = random.choice((2, 3, 4, 5, 6))
    forms = [
        f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"min({a}, {b})", f"max({a}, {b})", f"({a} // {k})", f"({a} % {k})",
        f"truncdiv({a}, {k})", f"truncmod({a}, {k})", f"select({a} < {b}, {a}, {k})", f"({a} >> 1)", f"truncdiv({a}, {b})",
    ]  # fmt: skip
    return random.choice(forms)


def _values(text: str, names: list[str], low: int, top: int) -> Iterator[int]:
    run = compiled(parse_dim(text))
    for point in itertools.product(range(low, low + top + 1), repeat=len(names)):
        try:
            yield run(dict(zip(names, point)))
        except Undefined:
            continue
