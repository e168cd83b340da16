"""``docs/scores.md`` is what ``docs/scores.json`` says, and the counts add up."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.skipif(not (ROOT / "docs" / "scores.json").is_file(), reason="needs the checkout")


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    yield importlib.import_module("make_scores")


def test_the_page_is_the_data(tool: Any) -> None:
    data = json.loads(tool.DATA.read_text("utf-8"))
    assert tool.PAGE.read_text("utf-8") == tool.page(data)
    for each in data.values():
        whole = tool.total(each)
        faults = whole["failed"] + whole["refused"]
        assert set(whole) <= set(tool.WORDS) and whole["passed"] > 0
        assert sum(each["kinds"].values()) == faults == sum(each["known"].values()) + each["unlisted"]


def test_rows_are_summed(tool: Any) -> None:
    rows = [
        {"chapter": "07-evaluation", "verdict": "passed", "why": "", "known": None},
        {"chapter": "07-evaluation", "verdict": "failed", "why": "it accepts the module", "known": None},
        {"chapter": "", "verdict": "refused", "why": "read: DiagnosticError: …", "known": "no-such-text"},
        {"chapter": "05-types", "verdict": "unsupported", "why": "", "known": None},
    ]
    found = tool.summed(rows)
    assert found["chapters"]["07-evaluation"] == {"failed": 1, "passed": 1} and found["chapters"]["other"]
    assert found["kinds"] == {"takes a module that the text refuses": 1, "does not read the text": 1}
    assert found["known"] == {"no-such-text": 1} and found["unlisted"] == 1
    about = {"title": "A b", "command": "c", "version": "1", "date": "today", "suite": "0" * 64}
    page = tool.page({"a": {**about, **found}})
    assert "| all | 4 | 3 | 1 | 1 | 1 | 1 | 33.3 % |" in page and "(#a-b)" in page
