"""``spec/rules.md`` says where each rule stands. That it is as its tool writes it, ``refrelax rules check`` asks."""

from __future__ import annotations

import re
from pathlib import Path

from refrelax.conformance import tie

PAGE = Path(__file__).resolve().parents[2] / "spec" / "rules.md"


def test_the_page_is_what_the_tool_writes() -> None:
    made = tie.index(tie.read())
    assert PAGE.read_text("utf-8") == made, "run tools/make_rule_index.py"
    assert made.count("\n| `") == len(tie.read().defined)


def test_every_link_leads_somewhere() -> None:
    links = set(re.findall(r"\]\(([^)]+)\)", PAGE.read_text("utf-8")))
    assert len(links) > 100 and all((PAGE.parent / each).exists() for each in links)


def test_no_rule_is_without_a_case_or_a_reason() -> None:
    """77 rows of the index had an empty cell: cases went through these rules, and none was about them."""
    rows = [line.split("|") for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    cells = {row[1].strip(" `"): row[4].strip() for row in rows}
    assert len(cells) == len(tie.read().defined) and all(cells.values())
    assert {rule for rule, cell in cells.items() if cell.startswith("none: ")} == tie.WITHOUT_CASE.keys()
