"""The page ``rules.md``: every rule with its chapter, the files that implement it, its cases and TVM's deviations.

``tools/make_rule_index.py`` writes it, and ``refrelax rules check`` compares.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from refrelax.conformance.cases import Case
from refrelax.conformance.chapters.held import chapter
from refrelax.conformance.citations import Citation
from refrelax.conformance.spec_text import Paragraph

HEAD = """# Index of rules

Every rule by its id: the chapter that says it, the files that implement it or end a run by it, the conformance
cases and examples about it, and whether [deviations](deviations.md) of TVM name it; each is a link.
`refrelax explain RULE` shows the paragraph, the lines and the cases; `refrelax explain "some words"` finds a rule.
Other cases go through a rule on the way to another one: `refrelax rules coverage` says how many.
"""

AREAS = {
    "syn": "The text",
    "wf": "Well-formedness",
    "ty": "Types",
    "sh": "Shapes",
    "ev": "Evaluation",
    "vm": "The virtual machine",
    "ld": "Loops",
    "st": "Storage",
    "num": "Numbers",
    "lo": "Lowering",
    "va": "Validation",
    "link": "Linking",
    "op": "Operators",
}
"""The parts of an id before the stroke, in the order of the page; others come last."""


def linked(file: str) -> str:
    """Where a file of the repository lies, seen from the page."""
    return file.removeprefix("spec/") if file.startswith("spec/") else f"../{file}"


def page(
    defined: Mapping[str, Paragraph],
    cited: Iterable[Citation],
    about: Mapping[str, Iterable[Case]],
    without: Mapping[str, str],
) -> str:
    """The whole page. ``about``: the cases about each rule; ``without``: the rules that have none, and why."""
    code: dict[str, dict[str, None]] = defaultdict(dict)
    for each in cited:
        for rule in defined:
            if each.names(rule):
                code[rule].setdefault(each.file)
    cases = {rule: Counter(case.file for case in found) for rule, found in about.items()}
    deviations = set(re.findall(r"`([a-z]+[./][^`\s]*)`", chapter("deviations.md")))
    areas: dict[str, list[str]] = defaultdict(list)
    for rule, paragraph in sorted(defined.items()):
        files = ", ".join(f"[{file.removeprefix('refrelax/')}](../{file})" for file in sorted(code[rule]))
        counted = sorted(cases.get(rule, Counter()).items())
        cells = ", ".join(f"[{n} in {Path(file).stem}]({linked(file)})" for file, n in counted)
        cells = cells or f"none: {without.get(rule, '')}"
        otherwise = "[yes](deviations.md)" if rule in deviations else ""
        home = paragraph.file.removeprefix("spec/")
        shown = f"[{home.removesuffix('.md').removeprefix('ops/')}]({home})"
        row = f"| `{rule}` | {shown} | {files} | {cells} | {otherwise} |"
        areas[re.split("[./]", rule)[0]].append(row)
    lines = [HEAD]
    for area in [*(a for a in AREAS if a in areas), *sorted(areas.keys() - AREAS.keys())]:
        lines += [f"## {AREAS.get(area, area)}: `{area}`", "", "| rule | chapter | code | cases | deviation |"]
        lines += ["|---|---|---|---|---|", *areas[area], ""]
    return "\n".join(lines)
