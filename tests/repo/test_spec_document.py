"""The specification as one document: every rule once, every link inside of it leads somewhere."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from refrelax.conformance import spec_text
from refrelax.version import SPEC_EDITION

pytest.importorskip("markdown")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_spec", ROOT / "tools" / "make_spec.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_rule_has_its_anchor_and_no_link_is_broken(tool: ModuleType) -> None:
    document = tool.Document()
    text = document.html()
    assert set(document.rules) == {each.rule for each in spec_text.paragraphs()}
    assert sorted(document.rules.values()) == list(range(1, len(document.rules) + 1))
    assert all(f'id="{tool.rule_anchor(rule)}"' in text for rule in document.rules)
    assert tool.broken(text) == []
    assert SPEC_EDITION in text and "Apache-2.0" in text
    assert len(document.operators) > 200


def test_it_needs_no_other_file(tool: ModuleType) -> None:
    text = tool.Document().html()
    assert not re.findall(r'<(?:img|script|link)\b|src="', text)
    assert {found for found in re.findall(r'href="([^"]*)"', text) if not found.startswith(("#", "https://"))} == set()


def test_broken_links_are_found(tool: ModuleType) -> None:
    page = '<a href="#there">x</a> <a href="#gone">y</a> <p id="there"></p><p id="two"></p><p id="two"></p>'
    assert tool.broken(page) == ["#gone", "two stands twice"]
