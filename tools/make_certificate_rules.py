"""Write the table of axioms in ``spec/06d-proof-logs.md`` from the checker's schemata.

Run it after a change of ``refrelax/shape_solver/checker/schemas.py``: ``python tools/make_certificate_rules.py``.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from refrelax.shape_solver.checker.schemas import AXIOMS, CHOICES, PAIRS, TRIPLES, Zero  # noqa: E402

PAGE = ROOT / "spec" / "06d-proof-logs.md"
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
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    return "\n".join([before + MARKS[0], "", *rows(), "", MARKS[1] + rest.split(MARKS[1])[1]])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
