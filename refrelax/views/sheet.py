"""The frame of a page without scripts: a title, a style for light and dark, and what is put in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #f3f4f6; --line: #d5d9de; --dim: #5b6572;
  --rule: #0e7490; --gone: #fde8e6; --new: #e2f4e8; --bad: #b42318; --good: #146c43;
  --mono: ui-monospace, Menlo, Consolas, monospace }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --paper: #15181c; --soft: #1e2227; --line: #343a42;
  --dim: #98a2b3; --rule: #67d3ea; --gone: #45201d; --new: #173826; --bad: #ff8a80; --good: #6fdc9f } }
body { margin: 1.2rem auto; padding: 0 1rem; max-width: 1240px; font: 15px/1.5 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); overflow-wrap: break-word }
h1 { font-size: 1.3rem } h2 { font-size: 1.05rem; margin-top: 1.6rem } h3 { font: 600 14px var(--mono) }
pre, code, td.code { font: 12.5px/1.45 var(--mono) } pre { white-space: pre-wrap }
table { border-collapse: collapse } th { text-align: left; font-weight: 600 }
td, th { padding: .15rem .6rem; vertical-align: top; border-bottom: 1px solid var(--line) }
table.diff { width: 100%; table-layout: fixed } table.diff td { border: 0; padding: 0 .4rem; white-space: pre-wrap;
  overflow-wrap: anywhere; font: 12px/1.45 var(--mono) }
td.n { width: 3.2em; color: var(--dim); text-align: right; user-select: none }
td.gone { background: var(--gone) } td.new { background: var(--new) }
td.skip { color: var(--dim); background: var(--soft) }
.good { color: var(--good) } .bad { color: var(--bad) } .dim { color: var(--dim) }
.word { font: 600 1.1rem var(--mono) }
.wide { overflow-x: auto } .wide > svg { min-width: 46rem }
svg { display: block; max-width: 100%; background: var(--soft); border-radius: 6px }
.drawn > svg { max-width: none }
svg text { fill: var(--ink); font: 11px var(--mono) } svg .dim { fill: var(--dim) } svg .rule { fill: var(--rule) }
summary { cursor: pointer }
"""


def sheet(title: str, body: str) -> str:
    """A whole page; ``body`` is markup."""
    return encodable(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main><h1>{escape(title)}</h1>\n{body}\n</main></body></html>\n"
    )


def encodable(text: str) -> str:
    """A text that UTF-8 has: half of a pair of surrogates, which a string of a program may hold, is spelled out (as
    JSON spells it, too)."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def svg(label: str, wide: float, high: float, marks: Iterable[str]) -> str:
    """A picture of ``marks``, with a label for those who do not see it; where it does not fit it can be moved, since
    its letters would be too small."""
    return (
        '<div class="wide">'
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" viewBox="0 0 {wide} {high}" '
        f'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="11">{"".join(marks)}</svg></div>'
    )


def rows(head: tuple[str, ...], lines: Sequence[tuple[str, ...]]) -> str:
    """A table of texts."""
    top = "".join(f"<th>{escape(each)}</th>" for each in head)
    body = "".join(
        "<tr>" + "".join(f'<td class="code">{escape(each)}</td>' for each in line) + "</tr>" for line in lines
    )
    return f'<div class="wide"><table><tr>{top}</tr>{body}</table></div>'
