"""``spec/rules.md`` says where each rule stands."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from refrelax.conformance import tie

TOOL = runpy.run_path(str(Path(__file__).resolve().parents[2] / "tools" / "make_rule_index.py"))


def test_the_page_is_what_the_tool_writes() -> None:
    made = TOOL["page"]()
    assert TOOL["PAGE"].read_text("utf-8") == made, "run tools/make_rule_index.py"
    assert made.count("\n| `") == len(tie.read().defined)


def test_every_link_leads_somewhere() -> None:
    page = TOOL["PAGE"]
    links = set(re.findall(r"\]\(([^)]+)\)", page.read_text("utf-8")))
    assert len(links) > 100 and all((page.parent / each).exists() for each in links)
