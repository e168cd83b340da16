"""``cases/elements.toml`` is what its tool makes: each operation alone, on the ends of its dtypes."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from refrelax.conformance import load

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not (ROOT / "tools").is_dir(), reason="needs the checkout")


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    yield importlib.import_module("make_element_cases")


def test_every_operation_has_a_case(tool: Any) -> None:
    there = {case.name for case in load()}
    for names, before in (((*tool.UNARY, *tool.BINARY), ""), ((*tool.SCALAR_UNARY, *tool.SCALAR_BINARY), "loop-")):
        for name in names:
            begin = f"elements/{before}{name.replace('_', '-')}-of-"
            assert any(each.startswith(begin) for each in there), name


@pytest.mark.thorough
def test_the_file_is_what_the_tool_makes(tool: Any) -> None:
    assert tool.PAGE.read_text("utf-8") == tool.page()
