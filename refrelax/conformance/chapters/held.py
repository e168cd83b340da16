"""How a chapter is held to the definition: a *check* reads a table, an enumeration, a number or an example of the text
and compares it with what the code has. Nothing here knows the text by heart: the definition is asked what it may say.

A check is a function that ``held`` registers under the chapter it reads. It ends by ``Otherwise`` where the two differ.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

from refrelax.conformance import spec_text


class Otherwise(Exception):
    """The text says otherwise than the definition."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check: the chapter that it reads, its name in words, and what runs it."""

    file: str
    name: str
    run: Callable[[], None]


CHECKS: list[Check] = []
"""Every check of the modules that are imported, in their order."""

F = TypeVar("F", bound=Callable[..., None])


def held(file: str) -> Callable[[F], F]:
    """Register a check of a chapter."""

    def register(function: F) -> F:
        CHECKS.append(Check(file, function.__name__.replace("_", " "), function))
        return function

    return register


def over(rows: Callable[[], Iterable[Any]]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Run a check on every row, of which there is one at least; a row that is a tuple gives several arguments."""

    def of(function: Callable[..., None]) -> Callable[[], None]:
        def every() -> None:
            found = list(rows())
            holds(found, "a table with rows")
            for row in found:
                function(*row) if isinstance(row, tuple) else function(row)

        every.__name__ = function.__name__
        return every

    return of


def holds(truth: object, of: object = "") -> None:
    """End unless it holds."""
    if not truth:
        raise Otherwise(f"does not hold of {of}" if of != "" else "does not hold")


def same(found: object, wanted: object, of: object = "") -> None:
    """End unless the two are equal."""
    if found != wanted:
        where = f"{of}: " if of != "" else ""
        raise Otherwise(f"{where}{_differ(found, wanted)}")


def _differ(found: Any, wanted: Any) -> str:
    """What is different, of two sets or tables only that."""
    if isinstance(found, str) or isinstance(wanted, str):
        return f"expected {_short(wanted)}, found {_short(found)}"
    try:
        if isinstance(found, dict) and isinstance(wanted, dict):
            items = {k for k in found.keys() | wanted.keys() if found.get(k) != wanted.get(k)}
            found, wanted = ({k: v for k, v in each.items() if k in items} for each in (found, wanted))
        else:
            found, wanted = {*found} - {*wanted} or found, {*wanted} - {*found} or wanted
    except TypeError:
        pass
    return f"expected {_short(wanted)}, found {_short(found)}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 200 else f"{text[:200]}…"


def says(text: str, words: str) -> None:
    """End unless these words stand in the text."""
    if words not in text:
        raise Otherwise(f"expected the words {words!r}")


def fresh(found: str, made: str) -> None:
    """End with the first line that is not as it is made."""
    have, want = found.splitlines(), made.splitlines()
    for number, (one, other) in enumerate(zip_longest(have, want, fillvalue="nothing"), 1):
        if one != other:
            raise Otherwise(f"line {number}: expected {_short(other)}, found {_short(one)}")


@contextmanager
def refused(*by: type[Exception]) -> Iterator[None]:
    """End unless what is inside is refused."""
    try:
        yield
    except by:
        return
    raise Otherwise(f"expected to be refused by {', '.join(each.__name__ for each in by)}")


# --- reading


def spec() -> Path:
    """The folder of the text."""
    return spec_text.spec_directory()


def chapter(name: str) -> str:
    """The text of a chapter."""
    return (spec() / name).read_text("utf-8")


def numbered() -> list[Path]:
    """The chapters with a number, in order."""
    return sorted(spec().glob("[0-9]*.md"))


def between(text: str, first: str, last: str) -> str:
    """What stands between two words of a text, which are there."""
    _, found, rest = text.partition(first)
    holds(found, f"a chapter with {first!r}")
    part, found, _ = rest.partition(last)
    holds(found, f"a chapter with {last!r}")
    return part


def table(name: str, heading: str) -> list[list[str]]:
    """The cells of the first table of a chapter behind these words; those of its own head may be the words."""
    _, found, rest = chapter(name).partition(heading)
    holds(found, f"a chapter with the words {heading!r}")
    rows = re.search(r"^\|.*?(?=^[^|]|\Z)", rest, re.MULTILINE | re.DOTALL)
    holds(rows, f"a chapter with a table behind {heading!r}")
    assert rows is not None
    lines = [line for line in rows[0].splitlines() if line.startswith("|")]
    start = next(k for k, line in enumerate(lines) if set(line) <= set("|-: "))
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in lines[start + 1 :]]


def code(cell: str) -> list[str]:
    """What stands in code in a cell, each."""
    return re.findall(r"`([^`]+)`", cell)


def words(cell: str) -> list[str]:
    """What stands in code in a cell, word by word."""
    return " ".join(code(cell)).split()
