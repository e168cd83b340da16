"""What is asked of an implementation, and what it answers: one JSON object a line, on its standard input and output.

The first request is ``{"id": 0, "ask": "hello", "protocol": 1}``; the answer names the implementation, the profiles
that it has and the form in which it takes modules (``"tree"``, ``"text"`` or ``"both"``). Every other request is a case
without what is expected of it.

Spec: ``spec/01-conformance.md``, *The protocol*.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from typing import Any

from refrelax.conformance.suite.records import PROFILES, Record, text_of
from refrelax.errors import UsageError
from refrelax.running.run import make_headroom

PROTOCOL = 1

ASKED = ("constants", "entry", "args", "claim", "assume", "fits", "division")
"""The fields of a record that an implementation sees, beside the module."""

FORMS = ("tree", "text", "both")
"""The forms in which an implementation takes modules. A tree that is a string is the text of the JSON itself."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What an implementation says of itself."""

    name: str = ""
    profiles: tuple[str, ...] = tuple(PROFILES)
    takes: str = "tree"

    @staticmethod
    def of(answer: Any) -> Hello:
        """The answer to ``hello``.

        Raises:
            UsageError: it is none.
        """
        if not isinstance(answer, dict) or answer.get("protocol") != PROTOCOL:
            raise UsageError(f'expected an answer to hello with "protocol": {PROTOCOL}, found {answer!r}')
        profiles = answer.get("profiles", [*PROFILES])
        takes = answer.get("takes", "tree")
        if not isinstance(profiles, list) or any(each not in PROFILES for each in profiles):
            raise UsageError(f"hello: expected profiles among {', '.join(PROFILES)}, found {profiles!r}")
        if takes not in FORMS:
            raise UsageError(f'hello: "takes" is one of {", ".join(FORMS)}, found {takes!r}')
        return Hello(str(answer.get("name", "")), tuple(profiles), takes)


def hello() -> dict[str, Any]:
    """The first request."""
    return {"id": 0, "ask": "hello", "protocol": PROTOCOL}


def request(number: int, record: Record, takes: str) -> dict[str, Any] | None:
    """The request for a case; ``None`` if the case has no module in the form that is taken."""
    asked = {"id": number, "ask": record["ask"], "case": record["name"]}
    asked |= {key: record[key] for key in ASKED if key in record}
    if record["ask"] == "prove":
        return asked
    forms = {"tree": record["tree"], "text": text_of(record)}
    given = {form: module for form, module in forms.items() if takes in (form, "both") and module is not None}
    return {**asked, **given} if given else None


# --- lines of others ------------------------------------------------------------------------------------------------

DEEPEST = 1_000
"""How deep an answer may be nested: what reads it calls itself."""


def answer_of(line: str | bytes) -> dict[str, Any]:
    """The answer on one line.

    Raises:
        UsageError: what was expected of it, and what stands there.
    """
    shown = f"{line[:60]!r}".removeprefix("b")
    if _is_deep(text := line if isinstance(line, str) else line.decode(errors="replace")):
        raise UsageError(f"expected an answer nested at most {DEEPEST} deep")
    make_headroom()  # (which one that is not needs to be read)
    try:
        text = line if isinstance(line, str) else line.decode()
        answer = json.loads(text, parse_constant=_no_json, parse_float=_number, parse_int=_integer)
        json.dumps(answer, ensure_ascii=False).encode()
    except ValueError:  # no JSON, no UTF-8, half of a surrogate pair
        raise UsageError(f"expected a JSON object on one line, found {shown}") from None
    if not isinstance(answer, dict):
        raise UsageError(f"expected a JSON object on one line, found {shown}")
    return answer


def _no_json(word: str) -> None:
    """``NaN`` and the like, which Python would read."""
    raise ValueError(f"{word} is no JSON")


def _number(text: str) -> int | float:
    """A number with a point or an exponent; a whole one is one however it is written, and keeps all its digits."""
    number = float(text)
    if not number.is_integer():
        return number
    if abs(number) < 1 << 53:
        return int(number)
    exact = Decimal(text)
    return int(exact) if exact == exact.to_integral_value() else number


LONGEST = 4_000
"""Digits of an integer that Python reads; one of more is beyond every dtype."""


def _integer(text: str) -> int | float:
    return int(text) if len(text) <= LONGEST else float(text)


def _is_deep(text: str) -> bool:
    """Whether a line is nested more than ``DEEPEST`` deep; whoever reads it calls itself."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    brackets = re.findall(r"[\[\]{}]", re.sub(r'"(?:\\.|[^"\\])*"', "", text))
    return max(accumulate(1 if each in "[{" else -1 for each in brackets), default=0) > DEEPEST
