"""What a notebook shows of a value: a line that says what it is, and its text or a table; everything is escaped.

Classes name these in their ``_repr_html_``, which Jupyter asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from refrelax.spelled import spelled_values

LINES = 40
"""Lines of a text that stand open; the whole of a longer one is folded."""

TEXT = 100_000
"""Characters of a text that are shown at all."""


def listing(title: str, text: str) -> str:
    """A title over a text in fixed width."""
    shown = escape(text[:TEXT]) + ("\n…" if len(text) > TEXT else "")
    body = f'<pre style="line-height:1.35">{shown}</pre>'
    if text.count("\n") <= LINES:
        return f"<div><b>{escape(title)}</b>{body}</div>"
    return f"<details><summary><b>{escape(title)}</b></summary>{body}</details>"


def table(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """A title over a table of what is known; rows without a value are left out."""
    cells = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(str(said))}</td></tr>'
        for name, said in rows
        if said not in ("", None, (), [])
    )
    return f"<div><b>{escape(title)}</b><table>{cells}</table></div>"


FACTS = ("model", "vacuous", "reason", "stage", "scope", "unproved", "trusts", "relaxations")
"""What an answer may say beside its words, by the names of its fields."""


class Told:
    """What a notebook shows of an answer: its words, and what it rests on."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return table(getattr(self, "word", type(self).__name__), answered(self))


def answered(answer: object) -> Iterator[tuple[str, object]]:
    """An answer as rows of a table."""
    if type(answer).__str__ is not object.__str__:
        yield "says", str(answer)
    for name in FACTS:
        found = getattr(answer, name, None)
        if found:
            said = spelled_values(found) if name == "model" else found
            yield name, "; ".join(map(str, found)) if isinstance(found, tuple) else said
    for stage in getattr(answer, "stages", ()):
        yield f"stage {stage.name}", stage.outcome
    example = getattr(answer, "counterexample", None)
    for k, each in enumerate(getattr(example, "args", ())):
        yield f"argument {k}", str(each)[:400]
    for each in getattr(answer, "bindings", ())[:LINES]:
        yield f"{each.path}/{each.place}", f"{each.what}: {each.word}"
    report = getattr(answer, "report", None)
    if report is not None:
        counts = ("compared", "inside", "outside", "undecided", "excluded")
        yield "elements", ", ".join(f"{n} {name}" for name in counts if (n := getattr(report, name)))
