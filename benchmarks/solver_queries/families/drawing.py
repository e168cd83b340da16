# ruff: noqa: E501
"""From the tables of a family to questions: constants drawn, truths checked, near misses made.

A true line has no counterexample in a large search and is refused otherwise. A near miss of it (one constant, operator or
assumption changed) is kept as false only with a counterexample at hand.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from refrelax.errors import Malformed
from refrelax.shape_solver.claim import Query
from refrelax.shape_solver.evaluate import OutOfRange, TooLarge, Undefined, compiled
from refrelax.shape_solver.parse import parse_claim
from refrelax.syntax.dtypes import integer_range

DRAWN = {
    "a": (2, 3, 4, 5, 6, 7, 8, 12, 16, 32), "b": (2, 3, 4, 5, 8, 10, 16), "c": (2, 3, 5, 6, 7, 9), "d": (1, 2, 3),
    "s": (1, 2, 3, 4), "k": (1, 2, 3, 5, 7), "p": (0, 1, 2, 3), "e": (1, 2, 3, 4, 5), "f": (1, 2, 3),
}  # fmt: skip
SWAPS = ((" < ", " <= "), (" <= ", " < "), (" + ", " - "), (" // ", " % "), ("min(", "max("), ("ceildiv(", "truncdiv("),
         (" and ", " or "), (" * ", " + "), ("truncdiv(", "floordiv("), (" % ", " // "), (" - ", " + "))  # fmt: skip


def questions(table: str, times: int, random: Random, family: str) -> Iterator[dict[str, Any]]:
    """Each line of ``table`` with up to ``times`` draws, each true one with a near miss if one is found."""
    seen: set[str] = set()
    for line in table.strip().splitlines():
        for _ in range(times if "{" in line else 1):
            text = _filled(line, random)
            if text in seen:
                continue
            seen.add(text)
            item = read(text, family)
            found = counterexample(item["claim"], item["assume"], item["fits"])
            if item["truth"] and found is not None:
                print(f"{family}: stated true, counterexample {found}: {text}")
                continue
            if not item["truth"] and found is None:
                continue
            yield item
            if item["truth"]:
                yield from _near_miss(item, random, seen)


def _filled(line: str, random: Random) -> str:
    drawn = {name: random.choice(values) for name, values in DRAWN.items()}
    return re.sub(r"\{([^}]*)\}", lambda m: str(eval(m[1], {"max": max, "min": min}, drawn)), line).replace("--", "- -")  # noqa: S307


def read(text: str, family: str) -> dict[str, Any]:
    """The question that a line of a table is."""
    parts = [part.strip() for part in text.removeprefix("! ").split(" | ")]
    fits = parts.pop() if parts[-1] in ("int8", "int16", "int32", "int64") else None
    assume = [each.strip() for each in parts.pop().strip("|").split(";") if each.strip()] if len(parts) > 1 else []
    return {"name": family, "claim": parts[0], "assume": assume, "fits": fits, "truth": not text.startswith("! ")}


def counterexample(claim: str, assume: list[str], fits: str | None) -> dict[str, int] | None:
    """A point where the assumptions hold and the claim does not: a grid, random small ones, random edges."""
    query = Query(parse_claim(claim), tuple(map(parse_claim, assume)), integer_range(fits) if fits else None)
    run, given, names = (
        compiled(query.claim, query.fits),
        [compiled(e) for e in query.assumptions],
        list(query.symbols()),
    )
    for point in _points(len(names), _edges(claim, assume, query.fits)):
        env = dict(zip(names, point))
        try:
            if query.fits and not all(query.fits[0] <= v <= query.fits[1] for v in point):
                continue
            if all(each(env) for each in given) and not run(env):
                return env
        except (TooLarge, Undefined):
            continue
        except OutOfRange:
            return env
    return None


SIDES = {1: (-300, 300), 2: (-20, 36), 3: (-6, 9), 4: (-2, 6), 5: (0, 4)}


def _points(count: int, edges: list[int]) -> Iterator[tuple[int, ...]]:
    random = Random(7)
    if count <= 5:
        yield from itertools.product(range(*SIDES[count]), repeat=count)
    for _ in range(6_000):
        top = random.choice((3, 5, 9, 40))
        yield tuple(random.randint(0, top) for _ in range(count))
        yield tuple(random.choice((random.choice(edges), random.randint(-9, 50))) for _ in range(count))


def _edges(claim: str, assume: list[str], fits: tuple[int, int] | None) -> list[int]:
    """Numbers of the question and what is beside them."""
    numbers = {int(each) for each in re.findall(r"\d+", " ".join([claim, *assume]))} | {
        0,
        100,
        256,
        65536,
        *(fits or ()),
    }
    near = {sign * n + step for n in numbers for sign in (1, -1) for step in (-1, 0, 1)}
    return sorted({n for n in near if not fits or fits[0] <= n <= fits[1]})


def _near_miss(item: dict[str, Any], random: Random, seen: set[str]) -> Iterator[dict[str, Any]]:
    for _ in range(4):
        claim, assume = _changed(item["claim"], item["assume"], random)
        if claim + str(assume) in seen:
            continue
        try:
            found = counterexample(claim, assume, item["fits"])
        except Malformed:
            continue
        if found is not None:
            seen.add(claim + str(assume))
            yield {**item, "claim": claim, "assume": assume, "truth": False}
            return


def _changed(claim: str, assume: list[str], random: Random) -> tuple[str, list[str]]:
    numbers = list(re.finditer(r"(?<![\w])\d+(?!\w)", claim))
    swaps = [(old, new) for old, new in SWAPS if old in claim]
    kind = random.randrange(4)
    if kind == 0 and assume:
        place = random.randrange(len(assume))
        return claim, assume[:place] + assume[place + 1 :]
    if kind <= 2 and numbers:
        chosen = random.choice(numbers)
        value = int(chosen[0]) + random.choice((-1, 1))
        return claim[: chosen.start()] + str(abs(value)) + claim[chosen.end() :], assume
    if swaps:
        old, new = random.choice(swaps)
        places = [m.start() for m in re.finditer(re.escape(old), claim)]
        at = random.choice(places)
        return claim[:at] + new + claim[at + len(old) :], assume
    return claim, assume
