"""The table of axioms in ``spec/06d-proof-logs.md``, from the checker's schemata, and the forms of steps.

``tools/make_certificate_rules.py`` writes the table, and ``refrelax rules check`` compares.

Spec: ``spec/06d-proof-logs.md``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from refrelax.conformance.chapters.held import between, chapter, fresh, held, same, says
from refrelax.shape_solver.checker import carries, schemas
from refrelax.shape_solver.checker.check import Checker
from refrelax.shape_solver.checker.schemas import AXIOMS, CHOICES, PAIRS, TRIPLES, Zero

PAGE = "06d-proof-logs.md"
MARKS = "<!-- axioms: made by tools/make_certificate_rules.py -->", "<!-- end of axioms -->"


@dataclass(frozen=True)
class Text:
    """A polynomial as it is written: a sum, if not ``single``."""

    text: str
    single: bool = True

    def __add__(self, other: Any) -> Text:
        return Text(f"{self.text} + {of(other).text}", single=False)

    def __radd__(self, other: int) -> Text:
        return of(other) + self

    def __sub__(self, other: Any) -> Text:
        return Text(f"{self.text} - {of(other).closed()}", single=False)

    def __rsub__(self, other: int) -> Text:
        return of(other) - self

    def __mul__(self, other: Any) -> Text:
        return Text(f"{self.closed()} * {of(other).closed()}")

    def __rmul__(self, other: int) -> Text:
        return of(other) * self

    def __neg__(self) -> Text:
        return Text(f"-{self.closed()}", single=False)

    def closed(self) -> str:
        return self.text if self.single else f"({self.text})"


def of(value: Any) -> Text:
    return value if isinstance(value, Text) else Text(str(value))


def fact(value: Any) -> str:
    """A fact in words."""
    return f"{of(value.p).text} == 0" if isinstance(value, Zero) else f"{of(value).text} >= 0"


def names(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


def rows() -> Iterator[str]:
    """The rows of the table."""
    yield from ("| rule | atoms | premises | gives |", "|---|---|---|---|")
    for count, group in enumerate((AXIOMS, PAIRS, TRIPLES), 1):
        for each in group:
            given = names(each.gives)
            values = list(map(Text, given))
            per = (len(given) - count) // count
            parts = [given[count + k * per : count + (k + 1) * per] for k in range(count)]
            atoms = ", ".join(f"{v} = {each.kind}({', '.join(own)})" for v, own in zip(given, parts, strict=False))
            needs = "; ".join(map(fact, each.needs(*values)))
            yield f"| `{each.id}` | `{atoms}` | {f'`{needs}`' if needs else ''} | `{fact(each.gives(*values))}` |"
    yield ""
    yield from ("| choice | of | branches |", "|---|---|---|")
    for choice in CHOICES:
        if choice.id != "min/member":
            given = names(choice.branches)
            shown = f"{given[0]} = {choice.kind}({', '.join(given[1:])})" if choice.kind else given[0]
            yield f"| `{choice.id}` | `{shown}` | {branches(choice.branches(*map(Text, given)))} |"


def branches(found: Sequence[Sequence[Any]]) -> str:
    return " or ".join(f"`{'; '.join(map(fact, each))}`" for each in found)


def page() -> str:
    """The page with its table made."""
    text = chapter(PAGE)
    before, rest = text.split(MARKS[0])
    return "\n".join([before + MARKS[0], "", *rows(), "", MARKS[1] + rest.split(MARKS[1])[1]])


@held(PAGE)
def the_table_is_made_of_the_axioms() -> None:
    text = chapter(PAGE)
    fresh(text, page())
    known = {*schemas.BY_ID, *schemas.NUMBERED, *schemas.CHOICE_BY_ID, schemas.MASK, schemas.POWER, schemas.BIT}
    same([name for name in sorted(known) if f"`{name}`" not in text], [])


@held(PAGE)
def every_form_of_a_step_has_a_row() -> None:
    """A log with a step that the page does not know is none for whoever checks by the page (``carries`` was)."""
    text = chapter(PAGE)
    rows = re.findall(r"^\| `([a-z]+)` \| `", between(text, "## Steps", "**`bits`**"), re.M)
    same(rows, re.findall(r'"rule": "([a-z]+)"', inspect.getsource(Checker.step)))
    for each in ("bits", "carries", "cases"):
        says(text, f"**`{each}`**: ")
    streams = re.findall(r'^\| `\["([a-z]+)"', between(text, "**`carries`**", "**`cases`**"), re.M)
    same(streams, re.findall(r'case \["([a-z]+)"', inspect.getsource(carries.Streams.take)))
    states = ", ".join(map(str, carries.MAX_STATES))
    says(text, f"At most {states} states, for 0 to {len(carries.MAX_STATES) - 1} leaves")
    says(text, f"at most {carries.MAX_STREAMS}, are")
    says(text, f"at most {carries.MAX_LENGTH} bits")
