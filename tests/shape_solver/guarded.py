# ruff: noqa: E501
"""Questions about where there is a value: divisors and counts that are symbols, under guards that may keep them away.

Terms and their values are those of ``grown.py``. Nearly every term divides by, or shifts by, what may be 0 or negative;
``and or implies select`` stand around it, in claims and in assumptions; a question may require that there is a value.
All points of a box are looked at. ``python -m tests.shape_solver.guarded 2500 --seed L2`` prints a table.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from refrelax.shape_solver import Proved, Refuted, prove
from tests.shape_solver.grown import (
    CASTS,
    NAMES,
    ORDER,
    Part,
    Point,
    chosen,
    converted,
    denied,
    joined,
    lazy,
    number,
    symbol,
)

ZERO, ONE = number(0), number(1)


class Draw:
    def __init__(self, random: Random, count: int) -> None:
        self.random, self.symbols = random, [symbol(place) for place in range(count)]

    def leaf(self) -> Part:
        r = self.random
        return (
            r.choice(self.symbols) if r.random() < 0.75 else number(r.choice((0, 1, 2, 3, 4, 7, 8, -1, -2, 5, 12, 16)))
        )

    def doubtful(self) -> Part:
        """A divisor or a count."""
        r = self.random
        a, b, roll = r.choice(self.symbols), r.choice(self.symbols), r.random()
        if roll < 0.45:
            return a
        if roll < 0.6:
            return joined(r.choice("+-"), a, number(r.choice((1, 2, -1, 3))))
        if roll < 0.7:
            return joined("-", a, b)
        if roll < 0.8:
            return joined("//", a, number(r.choice((2, 3))))
        return (
            joined(r.choice(("%", "min", "max", "&")), a, number(r.choice((2, 3, 1))))
            if roll < 0.9
            else joined("*", a, b)
        )

    def term(self, depth: int) -> Part:
        r = self.random
        if depth <= 0:
            return self.leaf()
        roll = r.random()
        if roll < 0.34:
            return joined(r.choice(("//", "%", "truncdiv", "truncmod")), self.term(depth - 1), self.doubtful())
        if roll < 0.5:
            moved = self.term(depth - 1) if r.random() < 0.6 else number(r.choice((1, 1, 3, 16)))
            return joined(r.choice(("<<", ">>")), moved, self.doubtful())
        if roll < 0.68:
            return joined(r.choice(("+", "-", "*", "min", "max")), self.term(depth - 1), self.term(depth - 1))
        if roll < 0.78:
            return joined(
                r.choice("&|^"),
                self.term(depth - 1),
                self.term(depth - 1) if r.random() < 0.5 else number(r.choice((1, 3, 7, -8))),
            )
        if roll < 0.84:
            return converted(r.choice(CASTS), self.term(depth - 1))
        return chosen(self.truth(1), self.term(depth - 1), self.term(depth - 1))

    def guard(self) -> Part:
        r = self.random
        x = r.choice(self.symbols)
        match r.randrange(7):
            case 0:
                return joined("!=", x, ZERO)
            case 1 | 2 | 3 as which:
                return joined((">", ">=", "<")[which - 1], x, ZERO)
            case 4:
                return joined("==", x, number(r.choice((0, 1, 2))))
            case 5:
                return joined(r.choice(tuple(ORDER)), self.doubtful(), ZERO)
            case _:
                return joined(r.choice(tuple(ORDER)), self.doubtful(), self.leaf())

    def truth(self, depth: int) -> Part:
        r = self.random
        if depth <= 0 or r.random() < 0.25:
            return (
                self.guard()
                if r.random() < 0.5
                else joined(r.choice(tuple(ORDER)), self.term(1), self.term(r.choice((0, 1))))
            )
        roll = r.random()
        if roll < 0.15:
            return denied(self.truth(depth - 1))
        if roll < 0.2:
            return chosen(self.guard(), self.truth(depth - 1), self.truth(depth - 1))
        return lazy(
            r.choice(("and", "or", "implies")),
            self.guard() if r.random() < 0.5 else self.truth(depth - 1),
            self.truth(depth - 1),
        )

    def law(self) -> Part:
        """What holds where there is a value, or for some signs."""
        r = self.random
        x, y, z, n, j = self.term(1), self.doubtful(), self.term(1), self.doubtful(), joined
        k, power = number(r.choice((2, 3, 4, 8))), j("<<", ONE, n)
        laws: list[Callable[[], tuple[Part, Part]]] = [
            lambda: (j("+", j("*", j("//", x, y), y), j("%", x, y)), x), lambda: (j(">>", j("<<", x, n), n), x),
            lambda: (chosen(j("!=", y, ZERO), j("//", x, y), z), chosen(j("==", y, ZERO), z, j("//", x, y))),
            lambda: (j("//", j("*", x, y), y), x), lambda: (j("<<", x, n), j("*", x, power)), lambda: (j("-", j("//", x, y), j("//", x, y)), ZERO),
            lambda: (j("*", ZERO, j("%", x, y)), ZERO), lambda: (j("^", j("//", x, y), j("//", x, y)), ZERO),
            lambda: (j("&", x, j("-", power, ONE)), j("%", x, power)), lambda: (j("min", j("//", x, y), z), j("min", z, j("//", x, y))),
            lambda: (j("//", j("//", x, y), k), j("//", x, j("*", y, k))), lambda: (j("//", j("//", x, k), y), j("//", x, j("*", k, y))),
            lambda: (j("%", j("*", y, z), y), ZERO), lambda: (j(">>", j(">>", x, n), y), j(">>", x, j("+", n, y))),
            lambda: (j("<<", j("<<", x, n), y), j("<<", x, j("+", n, y))), lambda: (j("<<", j(">>", x, n), n), j("-", x, j("%", x, power))),
            lambda: (j("//", j("<<", x, n), j("<<", ONE, y)), j("<<", x, j("-", n, y))),
            lambda: (j("&", power, j("<<", ONE, y)), chosen(j("==", n, y), power, ZERO)),
            lambda: (j("//", x, y), chosen(j(">", y, ZERO), j("//", x, y), j("//", j("-", ZERO, x), j("-", ZERO, y)))),
        ]  # fmt: skip
        return joined("==", *r.choice(laws)())

    def claim(self) -> Part:
        r = self.random
        made = self.law() if r.random() < 0.45 else self.truth(2)
        if r.random() < 0.5:
            made = lazy(r.choice(("and", "or", "implies", "implies", "or")), self.guard(), made)
        return lazy(r.choice(("and", "or", "implies")), made, self.guard()) if r.random() < 0.15 else made

    def fact(self) -> Part:
        roll = self.random.random()
        return self.guard() if roll < 0.4 else self.truth(1 if roll < 0.76 else 2)


def asked(key: str) -> dict[str, Any]:
    """What the solver says of one question, and a point of a box, or a model, at which that is not so."""
    random = Random(key)
    count = random.choice((2, 2, 3))
    draw = Draw(random, count)
    claim, given = draw.claim(), [draw.fact() for _ in range(random.choice((0, 0, 1, 1, 2)))]
    division = random.choice(("assume", "assume", "require"))
    answer = prove(claim.text, [each.text for each in given], division=division)

    def fails(point: Point) -> bool:
        if not all(each.at(point) for each in given):
            return False
        value = claim.at(point)
        return division == "require" if value is None else not value

    wrong: Point | None = None
    if isinstance(answer, Proved):
        box = range(-7, 10) if count == 2 else range(-3, 6)
        points = (point + (0,) * (len(NAMES) - count) for point in itertools.product(box, repeat=count))
        wrong = next((point for point in points if fails(point)), None)
    elif isinstance(answer, Refuted):
        model = tuple(answer.model.get(name, 0) for name in NAMES)
        wrong = None if fails(model) else model
    return {"said": type(answer).__name__.lower(), "wrong": wrong, "division": division, "claim": claim.text,
            "assume": [each.text for each in given]}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for place in range(options.count):
        row = asked(f"{options.seed}/{place}")
        counts[row["said"]] += 1
        counts["wrong"] += row["wrong"] is not None
        if row["wrong"] is not None or row["said"] == "unknown":
            print(json.dumps(row), flush=True)
    print(f"{options.count} questions, {dict(counts)}")


if __name__ == "__main__":
    main()
