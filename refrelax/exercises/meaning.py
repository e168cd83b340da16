"""Exercises on what a program means."""

from __future__ import annotations

from typing import Any

from refrelax import api
from refrelax.errors import Outcome, Returned, Trapped
from refrelax.exercises import starts
from refrelax.exercises.exercise import Exercise, Wrong, checked, filled, numbers, told
from refrelax.views.words import brief


def _run(text: str, *args: Any, **options: Any) -> Outcome:
    return api.run(checked(text), "main", args=list(args), **options)


def _types(text: str) -> str:
    (shape,) = filled(text, starts.TYPES)
    found = checked(text)
    promised, deduced = getattr(found.module["main"], "ret", None), found.types["main"]["turned"]
    return "" if promised == deduced else f"{shape} is accepted, and says less than is known: deduced is {deduced}"


def _square(text: str) -> str:
    filled(text, starts.SQUARE)
    for rows, columns in ((2, 2), (3, 3), (2, 3), (3, 2)):
        end, at = _run(text, [[1.0] * columns] * rows), f"{rows} x {columns}"
        if rows == columns and not isinstance(end, Returned):
            return f"{at} should return, and did not: {told(end)}"
        if rows != columns and not (isinstance(end, Trapped) and end.rule == "ev/match-cast-mismatch"):
            return f"{at} should trap at the match_cast, and did not: {told(end)}"
    return ""


UNWRITTEN = 1000
"""What stands in a buffer before it is written: whoever reads it is seen by it."""


def _prefix(text: str) -> str:
    filled(text, starts.PREFIX)
    found = checked(text)
    for given in ([3], [1, 2, 4, 8], [], [5, 0, -7, 5, 11]):
        end = api.run(found, "main", args=[given, [UNWRITTEN] * len(given)])
        wanted = [sum(given[: k + 1]) for k in range(len(given))]
        if not isinstance(end, Returned):
            return f"for A = {given} the run ends: {told(end)}"
        if end.arguments[1].tolist() != wanted or end.poison:
            return f"for A = {given} B should become {wanted}, and becomes {brief(end.arguments[1])}"
    return ""


def _poison(text: str) -> str:
    given = numbers(text, 3)
    if any(isinstance(each, float) for each in given):
        raise Wrong("an index is an integer")
    end = _run(starts.POISON, given)
    if not isinstance(end, Returned):
        return f"the run ends: {told(end)}"
    lost = sorted(place for place, _ in end.poison)
    return "" if lost == ["value[1]"] else f"without meaning are: {', '.join(lost) or 'none'}"


def _lost(text: str) -> str:
    given = numbers(text, 4)
    end, exact = (_run(starts.SUM, given, numerics=reading) for reading in ("ieee", "exact"))
    if not isinstance(end, Returned) or not isinstance(exact, Returned):
        raise Wrong("the numbers must be finite")
    found, truth = end.value.tolist(), float(exact.value.core.payloads()[0])
    return "" if (found, truth) == (0.0, 1.0) else f"in the defined order the sum is {found}, exactly it is {truth}"


def _plan(text: str) -> str:
    offsets = filled(text, starts.PLAN)
    end = _run(text, [1.0, 10.0])
    if not isinstance(end, Returned):
        return f"at {', '.join(offsets)} the run ends: {told(end)}"
    right = end.value.tolist() == [16.0, 160.0] and not end.poison
    return "" if right else f"expected [16.0, 160.0]: {told(end)}"


MEANING: tuple[Exercise, ...] = (
    Exercise(
        "A type",
        "Fill in the shape of the result, so that the annotation says all that is known of it.",
        starts.TYPES,
        ("What does concat along axis 1 do to the extents?", "permute_dims without axes turns all of them around."),
        _types,
    ),
    Exercise(
        "A square",
        "Fill in the shape, so that every square matrix is returned, and every other traps at the match_cast.",
        starts.SQUARE,
        ("A symbol that stands twice must have one value.", "Say that both extents are n."),
        _square,
    ),
    Exercise(
        "A running sum",
        "Fill in the expression, so that B[i] is the sum of A[0] to A[i]. Nothing may be read that was not written.",
        starts.PREFIX,
        (
            "B[i - 1] is there already, except for i = 0.",
            "T.if_then_else(condition, this, that) evaluates one of the two only.",
        ),
        _prefix,
    ),
    Exercise(
        "Poison, where it is wanted",
        "The start is a program. Write its argument as JSON, three indices, so that element 1 of the result has no "
        "meaning, and the other two have one.",
        starts.POISON,
        ("The table has four elements.", "R.take does not check by default: an index out of range is poison."),
        _poison,
    ),
    Exercise(
        "A sum that loses one",
        "The start is a program. Write four float32 numbers as JSON, so that their sum is 0.0 in the defined order, "
        "and 1 exactly.",
        starts.SUM,
        ("Near 1e8 the next float32 is 8 away.", "Add something small to something large, then take the large away."),
        _lost,
    ),
    Exercise(
        "A plan of sixteen bytes",
        "Fill in three offsets, so that a, b and c (eight bytes each) fit into the storage of 16 bytes, and the result "
        "is right.",
        starts.PLAN,
        ("a is dead when c is born.", "A call may not be given two tensors that share bytes."),
        _plan,
    ),
)
"""Exercises 1 to 6."""
