"""A page for every rule: what it says, its code, cases with their programs, and what TVM does otherwise."""

from __future__ import annotations

import html
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import markdown
from addresses import ROOT, chapter_page, leading, listing, rule_anchor, rule_page, try_it

from refrelax.conformance import spec_text, tie
from refrelax.conformance.cases import Case
from refrelax.conformance.data import of_value

MOST_CASES = 6
MOST_TEXT = 4000

UP = "../"
"""From a page of a rule to the root of the site."""


def write(out: Path) -> int:
    """Write all of them, and the listings of the files that they name; how many rules there are."""
    read = tie.read()
    code: dict[str, list[Any]] = defaultdict(list)
    for each in read.code:
        for rule in read.defined:
            if each.names(rule):
                code[rule].append(each)
    cases: dict[str, list[Case]] = defaultdict(list)
    for case in (*read.cases, *read.examples):
        cases[case.rule or case.expect.rule or ""].append(case)
    (out / "rules").mkdir(parents=True, exist_ok=True)
    for rule, paragraph in read.defined.items():
        body = "\n".join(_page(rule, paragraph, code[rule], cases[rule]))
        (out / rule_page(rule)).write_text(_framed(rule, body), encoding="utf-8")
    files = {each.file for found in (*code.values(), *cases.values()) for each in found}
    for file in files:
        _list(file, out)
    return len(read.defined)


def _page(rule: str, paragraph: Any, code: list[Any], cases: list[Case]) -> Iterator[str]:
    text = f"{paragraph.text}\n\n{spec_text.following(paragraph)}"
    yield markdown.markdown(leading(UP, paragraph.file, text), extensions=["tables", "fenced_code"])
    where = f"{UP}{chapter_page(paragraph.file)}#{rule_anchor(rule)}"
    yield f'<p>In the text: <a href="{where}">{html.escape(paragraph.place)}</a></p>'
    yield "<h2>Code</h2><ul>"
    for each in code:
        yield f"<li>{html.escape(each.kind)} at {_to(each.place, f'<code>{html.escape(each.place)}</code>')}</li>"
    yield "</ul>"
    otherwise = [line for line in _deviations() if f"`{rule}`" in line]
    if otherwise:
        known = f'<a href="{UP}spec/deviations/">{len(otherwise)} known deviations name it</a>'
        yield f"<h2>TVM does otherwise</h2><p>{known}</p>"
    yield f"<h2>Cases ({len(cases)})</h2>"
    for case in cases[:MOST_CASES]:
        yield from _case(case)
    if len(cases) > MOST_CASES:
        yield f"<p>and {len(cases) - MOST_CASES} more: <code>refrelax explain {rule}</code></p>"


def _to(place: str, markup: str) -> str:
    """A link to a line of a file."""
    file, _, line = place.rpartition(":")
    return f'<a href="{UP}{listing(file, int(line))}">{markup}</a>'


def _deviations() -> list[str]:
    return (ROOT / "spec" / "deviations.md").read_text(encoding="utf-8").splitlines()


def _case(case: Case) -> Iterator[str]:
    said = html.escape(f"{case.verdict}: {case.expect}")
    yield f'<h3>{_to(case.place, html.escape(case.name))} <span class="said">{said}</span></h3>'
    if case.question is not None:
        given = case.question.assume
        yield f"<pre>{html.escape(case.question.claim)}</pre>"
        yield "".join(f"<p>given <code>{html.escape(each)}</code></p>" for each in given)
        yield try_it(UP, "prove", case.question.claim, "\n".join(given))
        return
    yield f"<pre>{html.escape((case.module or case.json or '')[:MOST_TEXT])}</pre>"
    if case.second is not None:
        yield f"<p>and</p><pre>{html.escape(case.second[:MOST_TEXT])}</pre>"
    if case.module and len(case.module) < MOST_TEXT and case.repeated is None:
        yield _tried(case)


def _tried(case: Case) -> str:
    if case.second is not None:
        return try_it(UP, "validate", case.module, case.second)
    args = json.dumps([of_value(each) for each in case.args]) if case.args else ""
    more = {"args": args, "reading": case.manner.numerics if case.manner.numerics != "strict" else "enclosure"}
    if case.entry not in (None, "main"):
        more["entry"] = str(case.entry)
    return try_it(UP, "run" if case.runs else "check", case.module, **more)


def _framed(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{html.escape(title)} · refrelax</title><link rel="icon" href="data:,">'
        f'<link rel="stylesheet" href="{UP}site.css"></head><body class="alone">'
        f'<main><p><a href="{UP}index.html">refrelax</a> · <a href="{UP}spec/rules/">all rules</a></p>'
        f"<h1><code>{html.escape(title)}</code></h1>\n{body}\n</main></body></html>\n"
    )


def _list(file: str, out: Path) -> None:
    """A file with an anchor for each line."""
    path = ROOT / file
    if not path.is_file():
        return
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = "".join(f'<span id="L{k}">{html.escape(line)}\n</span>' for k, line in enumerate(lines, 1))
    target = out / listing(file)
    target.parent.mkdir(parents=True, exist_ok=True)
    up = "../" * (file.count("/") + 1)
    target.write_text(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(file)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><link rel="stylesheet" href="{up}site.css"></head>'
        f'<body class="listing"><main><h1>{html.escape(file)}</h1><pre>{rows}</pre></main></body></html>\n',
        encoding="utf-8",
    )
