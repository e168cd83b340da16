"""``spec/rules.md`` says where each rule stands."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_what_the_tool_writes() -> None:
    spec = importlib.util.spec_from_file_location("make_rule_index", ROOT / "tools" / "make_rule_index.py")
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.PAGE.read_text("utf-8") == tool.page(), "run tools/make_rule_index.py"
    assert tool.page().count("\n| `") == len(tool.tie.read().defined)
