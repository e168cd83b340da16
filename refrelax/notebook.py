"""What a notebook shows of a value: a line that says what it is, and its text or a table; everything is escaped.

Classes name these in their ``_repr_html_``, which Jupyter asks for.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

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
