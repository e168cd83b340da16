"""Certificates with a few changes, and whether what one states is still true where it can be tried out."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

from refrelax.shape_solver.checker.points import bounds, refutes
from refrelax.shape_solver.checker.terms import BINARY, COMPARISONS, CONNECTIVES, Question, Rejected

GROUPS = (
    BINARY, COMPARISONS, CONNECTIVES, ("abs", "not"), ("true", "false"), ("ge", "eq"), ("fd", "td", "min", "and"),
    ("int8", "uint8", "int16", "int32", "int64", "int1"), ("assume", "require"), ("int", "bool"),
    ("fd/low", "fd/high", "td/low-pp"),
    ("fd/low-negative", "fd/high-negative", "td/high-pp"), ("truth/low-ge", "truth/high-ge"), ("log", "points"),
    ("and/split", "and/apart", "and/below", "p2/below", "p2/above", "p2/shift"), ("and/power", "and/bit", "and/mask"),
    ("and/signs", "and/commute", "and/and", "and/or", "and/xor", "and/not"),
    ("and/least-left", "and/least-right", "and/low-left", "and/low-right", "and/high-left", "and/high-right"),
)  # fmt: skip


def places(part: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [here, *(place for key, each in inner for place in places(each, (*here, key)))]


def at(document: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        document = document[key]
    return document


def mutated(document: Any, random: Random) -> Any:
    """``document`` with one to three changes, half of them in its question."""
    document = copy.deepcopy(document)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        top = "question" if random.random() < 0.5 else "evidence"
        place = (top, *random.choice(places(document[top])[1:]))
        parent, last = at(document, place[:-1]), place[-1]
        parent[last] = changed(parent[last], document[top], random)
    return document


def changed(part: Any, whole: Any, random: Random) -> Any:
    """Something else in place of ``part``."""
    if random.random() < 0.1:
        return copy.deepcopy(at(whole, random.choice(places(whole))))
    match part:
        case bool() | None:
            return random.choice((0, 1, [], None))
        case int():
            return random.choice((part + 1, part - 1, -part, 2 * part, 0, 1, True, float(part), random.randint(-9, 9)))
        case str():
            return random.choice([each for group in GROUPS if part in group for each in group] or ["x"])
        case list() if part:
            return rearranged(list(part), random)
        case dict() if part:
            return {key: value for key, value in part.items() if key != random.choice(list(part))}
        case _:
            return random.choice(([], {}, 0, [0]))


def rearranged(part: list[Any], random: Random) -> list[Any]:
    i, j = random.randrange(len(part)), random.randrange(len(part))
    how = random.randrange(4)
    if how == 0:
        del part[i]
    elif how == 1:
        part.insert(j, copy.deepcopy(part[i]))
    elif how == 2:
        part[i], part[j] = part[j], part[i]
    elif isinstance(part[i], list) and part[i]:
        return list(part[i])  # a part in place of the whole
    return part


def still_true(document: Any, random: Random) -> bool:
    """Whether no point among some hundred refutes what ``document`` states."""
    asked = Question.read(document["question"])
    spans = bounds(asked)
    for _ in range(150):
        point = [value(asked.symbols[number], spans[number], random) for number in range(len(asked.symbols))]
        if asked.fits is not None and not all(asked.fits[0] <= each <= asked.fits[1] for each in point):
            continue
        try:
            if refutes(asked, point):
                return False
        except Rejected:  # too large to be worked out
            continue
    return True


def value(sort: str, span: tuple[int | None, int | None], random: Random) -> int:
    """A value near the bounds that the assumptions give, if any."""
    if sort == "bool":
        return random.randint(0, 1)
    low, high = span
    wide = random.choice((3, 12, 200, 1 << 33))
    if low is not None and high is not None and low <= high:
        return random.randint(low, high) if random.random() < 0.5 else random.choice((low, high, min(high, low + 1)))
    if low is not None:
        return low + random.randint(0, wide)
    return high - random.randint(0, wide) if high is not None else random.randint(-wide, wide)
