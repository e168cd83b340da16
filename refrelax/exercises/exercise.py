"""What an exercise is, and what checks share. A check says what is missing, or nothing when an answer is right."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

from refrelax import api
from refrelax.errors import Outcome, Rejection, UsageError
from refrelax.semantics.numbers.exact import Unsupported
from refrelax.semantics.types.checked import CheckedModule
from refrelax.views.words import ended

HOLE = "___"
"""What is to be filled in, where an exercise has holes."""

Check = Callable[[str], str]
"""What is missing from an answer; empty when it is right."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """``task``: what to do; ``start``: the file to begin with; ``hints``: from a nudge to nearly the answer."""

    title: str
    task: str
    start: str
    hints: tuple[str, ...]
    check: Check


class Wrong(Exception):
    """An answer is no answer; the message says why."""


def checked(text: str) -> CheckedModule:
    """An answer that is a program.

    Raises:
        Wrong: it is not accepted.
    """
    try:
        return api.check(api.parse(text, filename="answer"))
    except Rejection as rejection:
        raise Wrong("the program is not accepted:\n" + "\n".join(map(str, rejection.diagnostics))) from None


def filled(text: str, start: str) -> list[str]:
    """What stands in the holes of the start.

    Raises:
        Wrong: a hole is left, or something else was changed.
    """
    if HOLE in text:
        raise Wrong(f"there is still a hole ({HOLE})")
    plain, given = ("\n".join(map(str.rstrip, each.strip().splitlines())) for each in (start, text))
    found = re.fullmatch("(.+?)".join(map(re.escape, plain.split(HOLE))), given)
    if found is None:
        raise Wrong("something beside the holes was changed: begin again from the start")
    return list(found.groups())


def data(text: str) -> Any:
    """An answer that is JSON.

    Raises:
        Wrong: it is not.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Wrong("expected JSON: a list of numbers such as [1, 2.5]") from None


def numbers(text: str, count: int) -> list[float]:
    """An answer that is a list of so many finite numbers.

    Raises:
        Wrong: it is not.
    """
    found = data(text)
    plain = isinstance(found, list) and all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in found)
    if not plain or len(found) != count:
        raise Wrong(f"expected a list of {count} numbers")
    if not all(abs(x) < inf for x in found):
        raise Wrong("the numbers must be finite")
    return list(found)


def told(end: Outcome) -> str:
    """How a run ended, for a reader."""
    return "\n".join([type(end).__name__, *ended(end)])


def verdict(exercise: Exercise, text: str) -> str:
    """What is missing from an answer; empty when it is right."""
    try:
        return exercise.check(text)
    except (Wrong, UsageError, Unsupported) as wrong:
        return str(wrong)
