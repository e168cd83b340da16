"""The specification as one document: every rule once, every link inside of it leads somewhere."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from refrelax.conformance import spec_text
from refrelax.syntax.editions import CURRENT, EDITIONS, Edition
from refrelax.version import SPEC_EDITION
from tests.scripts import script

pytest.importorskip("markdown")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return script("make_spec")


@pytest.fixture(scope="module")
def document(tool: ModuleType) -> Any:
    return tool.Document()


def test_every_rule_has_its_anchor_and_no_link_is_broken(tool: ModuleType, document: Any) -> None:
    text = document.html()
    assert set(document.rules) == {each.rule for each in spec_text.paragraphs()}
    assert sorted(document.rules.values()) == list(range(1, len(document.rules) + 1))
    assert all(f'id="{tool.rule_anchor(rule)}"' in text for rule in document.rules)
    assert tool.broken(text) == []
    assert SPEC_EDITION in text and "Apache-2.0" in text
    assert len(document.operators) > 200


def test_it_needs_no_other_file(document: Any) -> None:
    text = document.html()
    assert not re.findall(r'<(?:img|script|link)\b|src="', text)
    assert {found for found in re.findall(r'href="([^"]*)"', text) if not found.startswith(("#", "https://"))} == set()


def test_broken_links_are_found(tool: ModuleType) -> None:
    page = '<a href="#there">x</a> <a href="#gone">y</a> <p id="there"></p><p id="two"></p><p id="two"></p>'
    assert tool.broken(page) == ["#gone", "two stands twice"]


def test_each_thing_that_an_edition_gave_up_has_a_bar(tool: ModuleType, document: Any) -> None:
    changes = tool.changes()
    assert {each.flag for each in changes} == {each.name for each in fields(Edition)} - {"last"}
    assert [each.edition for each in changes] == sorted((each.edition for each in changes), key=lambda e: e.last)[::-1]
    assert all(each.edition != CURRENT and each.says.endswith(".") for each in changes)
    assert {change for change, _ in document.bars.marked} == set(changes)
    text = document.html()
    last = re.findall(r'<\w+ class="changed" title="([^"]*)"', text)
    assert last and set(last) == {f"otherwise up to edition {EDITIONS[-2]}"}
    assert all(f"up to edition {EDITIONS[-2]}" not in each for each in re.findall(r'class="changed before"[^>]*', text))


@pytest.mark.parametrize(
    ("rule", "edition"), [("syn/symbol-declaration", "0.26"), ("syn/tir-vars", "0.25"), ("syn/with-form", "0.22")]
)
def test_a_rule_that_was_otherwise_has_a_bar(tool: ModuleType, document: Any, rule: str, edition: str) -> None:
    anchor = tool.rule_anchor(rule)
    (found,) = re.findall(
        rf'<p class="changed[^"]*" title="([^"]*)"><a id="[^"]*"></a>[^\n]*id="{anchor}"', document.html()
    )
    assert found == f"otherwise up to edition {edition}"


def test_a_rule_that_no_edition_changed_has_none(tool: ModuleType, document: Any) -> None:
    bare = re.findall(r'<p><span class="number">\d+</span> <strong id="([^"]*)"', document.html())
    assert {tool.rule_anchor("ev/if"), tool.rule_anchor("sh/equal"), tool.rule_anchor("syn/text-too-large")} <= set(
        bare
    )


def test_bars_against_an_earlier_text(tool: ModuleType, tmp_path: Path) -> None:
    earlier = tmp_path / "spec"
    earlier.mkdir()
    (earlier / "a.md").write_text("# One\n\nThe same\nhere.\n\nGone.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n* x\n")
    now = tmp_path / "now.md"
    now.write_text(
        "# One\n\nThe *same* here.\n\nAdded.\n\n| a | b |\n|---|---|\n| 1 | 3 |\n\n* x\n* y\n\n```\n<p>no</p>\n```\n"
    )
    bars = tool.bars_against(str(earlier))
    page = bars.mark(tool.page_of(now))
    marked = re.findall(r'class="changed" title="not in the earlier text">(.*?)</(?:p|tr|li)>', page, re.DOTALL)
    assert [" ".join(re.sub("<[^>]*>", " ", each).split()) for each in marked] == ["Added.", "1 3", "y"]
    assert len(bars.marked) == 3


@pytest.mark.thorough
def test_a_document_that_is_new_throughout_has_no_broken_link(tool: ModuleType, tmp_path: Path) -> None:
    document = tool.Document(str(tmp_path))
    text = document.html()
    assert tool.broken(text) == []
    assert len(document.bars.marked) > 4000
    assert "relax.add" in document.operators


def test_an_earlier_text_that_is_not_there_is_named(tool: ModuleType) -> None:
    with pytest.raises(SystemExit, match="expected a folder or a commit that has spec/, found 'nowhere-at-all'"):
        tool.bars_against("nowhere-at-all")
