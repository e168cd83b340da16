"""Where an implementation parts from the definition: every binding that was judged, in order, and the first that is not
permitted beside its place in the source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from refrelax.judge.verdicts import Agreement, BindingVerdict, Divergence, NoVerdict
from refrelax.semantics.numbers.verdicts import Inside, Outside, Undecided
from refrelax.syntax.module import Module
from refrelax.views.sheet import sheet, svg

COLOURS = {
    "inside": "#16a34a",
    "outside": "#dc2626",
    "undecided": "#d97706",
    "open": "#7c3aed",
    "not judged": "#98a2b3",
}
"""The word of a binding to its colour."""

WORDS = {"inside": "good", "outside": "bad"}
"""The same as letters, for which the colours of the squares are too pale: a class of the page."""

AROUND = 4
"""Lines shown before and after the place where they part."""


def page(verdict: Agreement | Divergence | NoVerdict, module: Module, implementation: str) -> str:
    """The page of an answer of ``diff``."""
    good = isinstance(verdict, Agreement)
    parts = [f'<p class="word {"good" if good else "bad"}">{escape(str(verdict))}</p>']
    judged = verdict.bindings or getattr(verdict, "results", ())
    if judged:
        how = "Binding by binding, each on the inputs that it really had" if verdict.bindings else "The results"
        parts += [f"<h2>{how}</h2>", strip(judged), _table(judged)]
    first = next((each for each in judged if each.word == "outside"), None)
    if first is not None and first.span is not None and module.source:
        parts += [f"<h2>Where they part: {escape(first.place)}</h2>", _source(module.source, first.span.line)]
    return sheet(f"diff: {implementation} against the definition", "\n".join(parts))


def strip(judged: Sequence[BindingVerdict]) -> str:
    """A square for each binding, in order, in the colour of its verdict."""
    squares = []
    for k, each in enumerate(judged):
        x, y = 4 + k % 40 * 21, 4 + k // 40 * 21
        told = f"{each.path}/{each.place} = {each.what}: {each.word}"
        place = f'<rect x="{x}" y="{y}" width="18" height="18" rx="3" fill="{COLOURS[each.word]}">'
        squares.append(f"{place}<title>{escape(told)}</title></rect>")
    words = [each.word for each in judged]
    label = ", ".join(f"{words.count(word)} {word}" for word in COLOURS if word in words)
    return svg(label, 848, 8 + (len(judged) + 39) // 40 * 21, squares) + f"<p>{escape(label)}</p>"


def _table(judged: Sequence[BindingVerdict]) -> str:
    lines = ["<tr><th>binding</th><th>is</th><th>verdict</th><th>how far</th><th>elements</th></tr>"]
    for each in judged:
        counts = each.counts
        elements = ", ".join(
            f"{n} {word}" for word in ("inside", "outside", "undecided", "excluded") if (n := getattr(counts, word))
        )
        cells = (f"{each.path}/{each.place}", each.what, each.word, _far(each.verdict), elements)
        kinds = ("code", "code", f"code {WORDS.get(each.word, '')}".strip(), "code", "code")
        row = "".join(f'<td class="{kind}">{escape(cell)}</td>' for kind, cell in zip(kinds, cells))
        lines.append(f"<tr>{row}</tr>")
    return f'<div class="wide"><table>{"".join(lines)}</table></div>'


def _far(verdict: Inside | Outside | Undecided) -> str:
    match verdict:
        case Inside(margin=margin):
            return f"margin {margin:.2f}"
        case Outside(index=index, by=by, found=found, permitted=permitted):
            where = f"[{', '.join(map(str, index))}]: " if index else ""
            return f"{where}{found}, permitted {permitted}" if found else f"{where}by {by:.3g}"
        case Undecided(width=width):
            return f"{width:.3g} units wide"


def _source(text: str, line: int) -> str:
    lines = re.split(r"\r\n?|\n", text)  # those that spans count: a form feed ends none
    shown = range(max(1, line - AROUND), min(len(lines), line + AROUND) + 1)
    rows = (
        f'<tr><td class="n">{k}</td><td class="{"gone" if k == line else ""}">{escape(lines[k - 1])}</td></tr>'
        for k in shown
    )
    return f'<table class="diff"><colgroup><col style="width:3em"><col></colgroup>{"".join(rows)}</table>'
