"""Two programs side by side, function by function, with the claims that each change rests on.

``validated`` is the page of one answer of ``validate``; ``followed`` that of a pipeline, ``lowered`` that of a
lowering, a part for each pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from html import escape
from itertools import takewhile
from typing import Any

from refrelax.errors import Returned
from refrelax.judge.pipelines import UNCHANGED, PipelineVerdict, ValidatedPass
from refrelax.judge.report import EXIT
from refrelax.lower.claims import Claim
from refrelax.lower.pipeline import Lowered
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.module import Module
from refrelax.syntax.write.module import print_module
from refrelax.views import fusion
from refrelax.views.sheet import rows, sheet
from refrelax.views.words import brief, ended

AROUND = 3
"""Lines that are the same and are shown around what differs."""


def validated(verdict: Any, before: Module, after: Module) -> str:
    """The page of an answer of ``validate``: verdict, counterexample, claims, and the two programs."""
    good = verdict.word in ("PROVED", "PROVED-AT", "TESTED")
    parts = [f'<p class="word {"good" if good else "bad"}">{escape(str(verdict))}</p>']
    report = verdict.report
    rests = [(name, each) for name in ("trusts", "relaxations") for each in getattr(report, name)]
    rests += [("not proved", line) for line in getattr(verdict, "unproved", "").splitlines()]
    if rests:
        parts.append("<h2>What it rests on</h2>" + rows(("", ""), rests))
    found = getattr(verdict, "counterexample", None)
    if found is not None:
        parts.append("<h2>Where they differ</h2>" + rows(("", ""), _counterexample(found)))
    claims = tuple(getattr(getattr(verdict, "evidence", None), "claims", ()))
    parts += [f"<h2>Claims</h2>{_claims(claims)}"] if claims else []
    parts.append("<h2>The two programs</h2>" + difference(before, after))
    return sheet("validate: one program against another", "\n".join(parts))


def followed(found: PipelineVerdict) -> str:
    """The page of a pipeline: a table of passes and functions, then each pass that changed something, with its answers
    and what it changed."""
    good = EXIT[found.word] == 0
    parts = [f'<p class="word {"good" if good else "bad"}">{escape(str(found))}</p>']
    if found.trusts:
        parts.append("<h2>What it rests on</h2>" + rows(("",), [(each,) for each in found.trusts]))
    names = list(dict.fromkeys(f.name for each in found.passes for f in each.functions))
    table = []
    for each in found.passes:
        words = {f.name: f.word for f in each.functions}
        cells = tuple(words.get(name, each.word) for name in names)
        table.append((str(each.index), each.name, *cells, f"{each.seconds:.2f}"))
    parts.append("<h2>Passes</h2>" + rows(("", "pass", *names, "seconds"), table))
    parts += [part for each in found.passes if each.word != UNCHANGED for part in _one_pass(each)]
    return sheet(f"validate: the passes of {found.pipeline}", "\n".join(parts))


def _one_pass(each: ValidatedPass) -> Iterator[str]:
    held = "" if each.since.name == "given" else f", held against what stood after {each.since.name}"
    yield f"<h2>{each.index} {escape(each.name)}</h2><p>{escape(each.word)}{escape(held)}</p>"
    if each.unread:
        yield f"<p>{escape(each.unread)}</p><pre>{escape(each.stage.text)}</pre>"
        return
    for f in each.functions:
        if f.answer is None:
            continue
        lines = [("", str(f.answer)), *(("trusts", t) for t in f.answer.report.trusts)]
        lines += [("not proved", line) for line in getattr(f.answer, "unproved", "").splitlines()]
        example = getattr(f.answer, "counterexample", None)
        lines += [] if example is None else _counterexample(example)
        yield f"<h3>{escape(f.name)}</h3>" + rows(("", ""), lines)
        claims = tuple(getattr(getattr(f.answer, "evidence", None), "claims", ()))
        if claims:
            yield _claims(claims)
    yield difference(each.since.module(), each.stage.module())


def lowered(result: Lowered, checked: CheckedModule) -> str:
    """The page of a lowering: what each pass changed, function by function, the claims that license it, and fusion as a
    graph."""
    before = checked.module
    parts, module = [], before
    source = checked
    for step in result.steps:
        after = step.module.module
        parts.append(
            f"<h2>{escape(step.name)}</h2><p>{escape(step.evidence)}</p>{difference(module, after, step.claims)}"
        )
        if step.name == "fuse_ops":
            parts += _fusion(source, after)
        module, source = after, step.module
    return sheet("lower: pass by pass", "\n".join(parts))


def _fusion(before: CheckedModule, after: Module) -> Iterator[str]:
    for name in before.module.relax_functions():
        found = fusion.nodes(before, after, name)
        if any(each.kind is not None for each in found):
            kinds = ", ".join(dict.fromkeys(str(each.kind) for each in found if each.kind is not None))
            said = f"Kinds: {kinds}; a band is a group that became one call."
            yield f"<h3>{escape(name)} as a graph</h3><p>{escape(said)}</p>"
            yield fusion.picture(found, f"fusion of {name}")


def difference(before: Module, after: Module, claims: Sequence[Claim] = ()) -> str:
    """The functions of two modules side by side; those that are the same are only named."""
    parts, same = [], []
    for name in sorted({*before.functions, *after.functions}, key=lambda each: (each != "main", each)):
        left, right = _text(before, name), _text(after, name)
        about = tuple(each for each in claims if each.where.split("/")[0].split(" ")[0] == name)
        if left == right and not about:
            same.append(name)
            continue
        what = "new" if not left else "gone" if not right else ""
        title = f"<h3>{escape(name)} <span class=dim>{what}</span></h3>"
        parts.append(title + _claims(about) + _side_by_side(left, right))
    if same:
        parts.append(f'<p class="dim">Unchanged: {escape(", ".join(same))}</p>')
    return "\n".join(parts)


def _text(module: Module, name: str) -> list[str]:
    if name not in module.functions:
        return []
    lines = print_module(replace(module, functions={name: module.functions[name]})).splitlines()
    start = next((k for k, line in enumerate(lines) if line.startswith("    @")), 0)
    lines = list(takewhile(lambda line: not line or line.startswith(" "), lines[start:]))
    while lines and not lines[-1]:
        lines.pop()
    return [line.removeprefix("    ") for line in lines]


def _claims(claims: Sequence[Claim]) -> str:
    if not claims:
        return ""
    table = rows(("claims that it rests on",), [(str(each),) for each in claims])
    return table if len(claims) <= 6 else f"<details><summary>{len(claims)} claims</summary>{table}</details>"


def _side_by_side(left: list[str], right: list[str]) -> str:
    cells = "".join(_lines(left, right))
    columns = '<col style="width:3em"><col>' * 2
    return f'<table class="diff"><colgroup>{columns}</colgroup>{cells}</table>'


def _lines(left: list[str], right: list[str]) -> Iterator[str]:
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    for place, (kind, a, b, c, d) in enumerate(blocks):
        if kind == "equal":
            head, tail = (0 if place == 0 else AROUND), (0 if place == len(blocks) - 1 else AROUND)
            skipped = b - a - head - tail
            shown = range(b - a) if skipped < 2 else (*range(head), None, *range(b - a - tail, b - a))
            for k in shown:
                if k is None:
                    yield f'<tr><td class="n"></td><td class="skip" colspan="3">{skipped} lines are the same</td></tr>'
                else:
                    yield _row(a + k, left, c + k, right, "")
            continue
        for k in range(max(b - a, d - c)):
            yield _row(a + k if a + k < b else None, left, c + k if c + k < d else None, right, kind)


def _row(a: int | None, left: list[str], b: int | None, right: list[str], kind: str) -> str:
    def side(k: int | None, lines: list[str], colour: str) -> str:
        if k is None:
            return '<td class="n"></td><td></td>'
        return f'<td class="n">{k + 1}</td><td class="{colour if kind else ""}">{escape(lines[k])}</td>'

    return f"<tr>{side(a, left, 'gone')}{side(b, right, 'new')}</tr>"


def _way(end: Any) -> str:
    """How a run ended, in a word."""
    return "returned" if isinstance(end, Returned) else type(end).__name__


def _counterexample(found: Any) -> list[tuple[str, str]]:
    lines = [("at", ", ".join(f"{name}={value}" for name, value in found.dims.items()) or "its only shape")]
    lines += [(f"argument {k}", brief(each)) for k, each in enumerate(found.args)]
    lines.append(("what", found.message))
    if found.binding:
        lines.append(("first binding that differs", found.binding))
    for name in ("before", "after"):
        end = getattr(found, name, None)
        if end is not None:
            which = "first" if name == "before" else "second"
            lines += [
                (f"the {which} program" * (k == 0), line) for k, line in enumerate((_way(end), *ended(end, found.args)))
            ]
    return lines
