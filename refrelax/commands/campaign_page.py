"""A campaign as one page of HTML that needs nothing else: rates, causes over time, coverage, operators, findings."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from refrelax.commands.findings import blame_line
from refrelax.judge.campaign.sequences import Corpus

if TYPE_CHECKING:
    from refrelax.judge.campaign.memory import Memory
    from refrelax.judge.campaign.run import State

STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:72em;padding:0 1em;color:#1b1f24}
table{border-collapse:collapse}td,th{padding:.15em .5em;text-align:left;vertical-align:top}
.heat td{border:1px solid #e4e7eb;min-width:1.6em;text-align:center;font-size:12px}
.heat th{font-weight:400;font-size:12px}
pre{background:#f6f8fa;padding:.6em;overflow-x:auto;font-size:13px}summary{cursor:pointer}
.agree{background:#d7f0dd}.diverge{background:#f6c8c4}.open{background:#eef1f4}.note{color:#57606a}
"""


def page(memory: Memory, state: State, options: Mapping[str, Any]) -> str:
    """The page."""
    rows = memory.findings()
    title = f"Campaign on {options['impl']}, seed {options['seed']}"
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        _rates(memory, state, rows),
        "<h2>Causes over time</h2>",
        _curve(rows, max(memory.seconds, 1.0)),
        "<h2>What sequences of passes covered</h2>",
        _coverage(memory, "at random" if options.get("plain") else "led by what was new"),
        "<h2>Operators × dtypes</h2>",
        _heat(memory),
        "<h2>Rules of the operators that were judged</h2>",
        _rules(memory),
        "<h2>Findings</h2>",
        *map(_finding, rows),
    ]
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    return f"<!doctype html><html lang=en><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def _rates(memory: Memory, state: State, rows: list[dict[str, Any]]) -> str:
    versions = rows[0]["versions"] if rows else {}
    told = {
        "programs": state.programs,
        "inputs": state.inputs,
        "inputs with a verdict": state.judged,
        "elements compared": state.counts.compared,
        "causes": len(rows),
        "sightings of causes found before": state.again,
        "sightings of known causes": sum(state.known.values()),
        "did not show again": state.doubted,
        "seconds": f"{memory.seconds:.0f}",
        "inputs with a verdict, a second": f"{state.judged / max(memory.seconds, 1.0):.1f}",
        **{f"no verdict: {why}": times for why, times in sorted(state.open.items())},
        **{f"version of {name}": value for name, value in versions.items()},
    }
    lines = (f"<tr><th>{html.escape(k)}<td>{html.escape(str(v))}" for k, v in told.items())
    return f"<table>{''.join(lines)}</table>"


def _curve(rows: list[dict[str, Any]], seconds: float) -> str:
    """Causes by the inputs that were judged when they were found."""
    if not rows:
        return "<p>None.</p>"
    last = max(each["after"]["inputs"] for each in rows) or 1
    points = [(each["after"]["inputs"], k) for k, each in enumerate(rows, 1)]
    return _drawn(points, f"{len(rows)} causes, the last after {last} inputs; the campaign took {seconds:.0f} s")


def _coverage(memory: Memory, how: str) -> str:
    """Pairs of a step and what stood after it, by the programs that went through sequences until then."""
    corpus, programs = Corpus(), 0
    points = []
    for seen in memory.tasks("passes"):
        programs += seen["programs"]
        corpus.add(seen["kept"])
        points.append((programs, len(corpus.covered)))
    if not corpus.covered:
        return "<p>None.</p>"
    said = (
        f"{len(corpus.covered)} pairs of a step and what stood after it: a rule of typing, an operator, a node, an end"
    )
    return _drawn(points, f"{said}, of {programs} programs, {how}")


def _drawn(points: Sequence[tuple[int, int]], said: str) -> str:
    """A curve from nothing to its last point, and what it says."""
    last, most = points[-1][0] or 1, points[-1][1] or 1
    line = " ".join(f"{x / last * 600:.1f},{180 - y / most * 170:.1f}" for x, y in [(0, 0), *points])
    drawn = f'<polyline points="{line}" fill="none" stroke="#0a58ca" stroke-width="2"/>'
    return (
        f'<svg viewBox="0 0 610 190" width="610" role="img" aria-label="{said}">{drawn}</svg><p class=note>{said}.</p>'
    )


def _heat(memory: Memory) -> str:
    """Programs that diverged, of those that were judged."""
    found: dict[str, dict[str, list[int]]] = {}
    for operator, dtype, words in memory.heat():
        cell = found.setdefault(operator, {}).setdefault(dtype or "–", [0, 0, 0])
        cell[0] += 1
        cell[1] += "DIVERGE" in words
        cell[2] += "AGREE" in words or "DIVERGE" in words
    names = sorted({dtype for row in found.values() for dtype in row})
    head = "".join(f"<th>{html.escape(each)}" for each in names)
    body = "".join(f"<tr><th>{html.escape(op)}{_cells(row, names)}" for op, row in sorted(found.items()))
    said = "Programs that diverged, of those judged; red: some did, green: none did, grey: none had a verdict."
    return f"<p class=note>{said}</p><table class=heat><tr><th>{head}{body}</table>"


def _cells(row: Mapping[str, list[int]], names: Iterable[str]) -> str:
    cells = []
    for name in names:
        total, wrong, judged = row.get(name, [0, 0, 0])
        kind = "diverge" if wrong else "agree" if judged else "open" if total else ""
        cells.append(f'<td class="{kind}">{f"{wrong}/{total}" if total else ""}')
    return "".join(cells)


def _rules(memory: Memory) -> str:
    """How many of the operators' rules belong to operators that had a verdict."""
    from refrelax.conformance import tie

    judged = {op for op, _, words in memory.heat() if "AGREE" in words or "DIVERGE" in words}
    rules = sorted(each for each in tie.read().defined if each.startswith("op."))
    met = [each for each in rules if each.removeprefix("op.").partition("/")[0] in judged]
    return f"<p>{len(met)} of {len(rules)} rules of single operators; {len(judged)} operators had a verdict.</p>"


def _finding(row: dict[str, Any]) -> str:
    spec = "".join(
        f"<p>{html.escape(each['page'])}, <code>{html.escape(each['operator'])}</code>:</p>"
        f"<pre>{html.escape(each['says'])}</pre>"
        for each in row["spec"]
    )
    parts = [
        f"<p>{html.escape(row['message'])}</p><p>{html.escape(blame_line(row))}</p>",
        f"<pre>{html.escape(row['program'])}</pre>",
        f"<p>Expected:</p><pre>{html.escape(row['expected'])}</pre>" if row["expected"] else "",
        f"<details><summary>Script without refrelax</summary><pre>{html.escape(row['script'])}</pre></details>"
        if row["script"]
        else "",
        f"<details><summary>What the specification says</summary>{spec}</details>" if spec else "",
        f"<pre>{html.escape(row['command'])}</pre>",
    ]
    return f"<details><summary><code>{html.escape(row['cause'])}</code></summary>{''.join(parts)}</details>"
