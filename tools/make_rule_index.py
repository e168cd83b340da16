"""Write ``spec/rules.md``: every rule with its chapter, the files that implement it, its cases and TVM's deviations.

Run it after a rule came, went or moved: ``python tools/make_rule_index.py``; a test holds the page to it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from refrelax.conformance import tie  # noqa: E402

PAGE = ROOT / "spec" / "rules.md"

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


def page() -> str:
    """The whole page."""
    read = tie.read()
    code: dict[str, dict[str, None]] = defaultdict(dict)
    for each in read.code:
        for rule in read.defined:
            if each.names(rule):
                code[rule].setdefault(each.file)
    cases = {rule: Counter(case.file for case in found) for rule, found in tie.about(read).items()}
    deviations = set(re.findall(r"`([a-z]+[./][^`\s]*)`", (ROOT / "spec" / "deviations.md").read_text("utf-8")))
    areas: dict[str, list[str]] = defaultdict(list)
    for rule, paragraph in sorted(read.defined.items()):
        files = ", ".join(f"[{file.removeprefix('refrelax/')}](../{file})" for file in sorted(code[rule]))
        counted = sorted(cases.get(rule, Counter()).items())
        about = ", ".join(f"[{n} in {Path(file).stem}]({linked(file)})" for file, n in counted)
        about = about or f"none: {tie.WITHOUT_CASE[rule]}"
        otherwise = "[yes](deviations.md)" if rule in deviations else ""
        chapter = paragraph.file.removeprefix("spec/")
        shown = f"[{chapter.removesuffix('.md').removeprefix('ops/')}]({chapter})"
        row = f"| `{rule}` | {shown} | {files} | {about} | {otherwise} |"
        areas[re.split("[./]", rule)[0]].append(row)
    lines = [HEAD]
    for area in [*(a for a in AREAS if a in areas), *sorted(areas.keys() - AREAS.keys())]:
        lines += [f"## {AREAS.get(area, area)}: `{area}`", "", "| rule | chapter | code | cases | deviation |"]
        lines += ["|---|---|---|---|---|", *areas[area], ""]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    print(f"{len(tie.read().defined)} rules")
