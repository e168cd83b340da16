# ruff: noqa: E501
"""Random expressions whose truth is computed.

``periodic``: over one symbol, from ``+ - * // %`` by constants: less their slope they repeat, so that one period decides over
all integers. ``bounded``: claims of any structure over bounded symbols, decided by looking at every point.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import lcm
from random import Random

from refrelax.shape_solver.evaluate import Undefined, compiled
from refrelax.shape_solver.parse import parse_claim, parse_dim

Item = tuple[str, list[str], bool]


def periodic(random: Random, count: int) -> Iterator[Item]:
    """Exact bounds of ``e - slope * x`` with slope a fraction: ``p * e - q * x`` lies in a window, reached at both ends."""
    made = 0
    while made < count:
        text, period = _quasilinear(random, 3)
        run = compiled(parse_dim(text))
        rise = run({"x": period}) - run({"x": 0})
        if period > 360 or period == 1 or any(run({"x": x + period}) - run({"x": x}) != rise for x in range(period)):
            continue
        values = [period * run({"x": x}) - rise * x for x in range(period)]
        low, high = min(values), max(values)
        if high - low < period:
            continue
        line = f"{period} * {text} - {rise} * x" if rise else f"{period} * {text}"
        yield f"{low} <= {line} and {line} <= {high}", [], True
        yield (f"{line} <= {high - 1}" if made % 2 else f"{line} > {low}"), [], False
        remainder = random.randrange(period)
        least = min(v for x, v in enumerate(values) if x == remainder)
        yield f"{line} == {least}", [f"x % {period} == {remainder}"], True
        made += 1


def _quasilinear(random: Random, depth: int) -> tuple[str, int]:
    """An expression and a multiple of its period."""
    if depth == 0 or random.random() < 0.1:
        return "x", 1
    a, p = _quasilinear(random, depth - 1)
    k = random.choice((2, 3, 4, 5, 6))
    match random.randrange(6):
        case 0:
            return f"(({a}) // {k})", p * k
        case 1:
            return f"(({a}) % {k})", p * k
        case 2:
            b, q = _quasilinear(random, depth - 1)
            return f"(({a}) {random.choice('+-')} ({b}))", lcm(p, q)
        case 3:
            return f"(({a}) * {random.choice((-2, 2, 3))})", p
        case 4:
            return f"(({a}) + {random.randint(-7, 7)})", p
        case _:
            return f"(({a}) // -{k})", p * k


def bounded(random: Random, count: int) -> Iterator[Item]:
    """Claims with ``and``, ``or``, ``not``, ``==`` of comparisons; near-true ones made true or false by their rarest points."""
    made = 0
    while made < count:
        names = ("x", "y") if made % 2 else ("x", "y", "z")
        size = 20 if len(names) == 2 else 8
        low = random.choice((0, 0, -size // 2, 1))
        text = _claim(random, names, 2)
        if not all(name in text for name in names):
            continue
        run = compiled(parse_claim(text))
        try:
            answers = {
                point: bool(run(dict(zip(names, point))))
                for point in itertools.product(range(low, low + size + 1), repeat=len(names))
            }
        except Undefined:
            continue
        wrong = [point for point, holds in answers.items() if not holds]
        bounds = [f"{low} <= {name} <= {low + size}" for name in names]
        if not wrong:
            yield text, bounds, True
        elif len(wrong) <= 12 and made % 3:
            out = [" or ".join(f"{name} != {v}" for name, v in zip(names, point)) for point in wrong[:4]]
            yield text, bounds + out, len(wrong) <= 4
        elif len(wrong) < len(answers) // 4:
            yield text, bounds, False
        else:
            continue
        made += 1


def _claim(random: Random, names: tuple[str, ...], depth: int) -> str:
    if depth == 0 or random.random() < 0.3:
        a, b = _term(random, names, 2), _term(random, names, 2)
        return f"{a} {random.choice(('<', '<=', '==', '!=', '>='))} {b}"
    a, b = _claim(random, names, depth - 1), _claim(random, names, depth - 1)
    return random.choice(
        (f"({a}) and ({b})", f"({a}) or ({b})", f"implies({a}, {b})", f"not ({a}) or ({b})", f"({a}) == ({b})")
    )


def _term(random: Random, names: tuple[str, ...], depth: int) -> str:
    if depth == 0 or random.random() < 0.2:
        return random.choice((*names, *names, str(random.randint(-4, 12))))
    a, b = _term(random, names, depth - 1), _term(random, names, depth - 1)
    k = random.choice((-4, -3, 2, 3, 4, 5, 8))
    forms = (f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"min({a}, {b})", f"max({a}, {b})", f"({a}) // {k}", f"({a}) % {k}",
             f"truncdiv({a}, {k})", f"truncmod({a}, {k})", f"select({a} < {b}, {a}, {b} + 1)", f"({a} & 7)", f"abs({a})")  # fmt: skip
    return random.choice(forms)
