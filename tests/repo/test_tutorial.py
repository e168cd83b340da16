"""The tutorial's pages show what its programs print."""

from __future__ import annotations

import difflib
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "tutorial").glob("*.md"))
TOOL = runpy.run_path(str(ROOT / "tools" / "make_tutorial.py"))


@pytest.mark.by_day(5)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_its_programs_print(page: Path) -> None:
    old = page.read_text(encoding="utf-8")
    new = TOOL["page_run"](old)
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "shown", "printed", lineterm="")
    assert old == new, "\n".join(lines) + "\nrun: python tools/make_tutorial.py"


def test_the_pages_follow_each_other_and_are_in_the_site() -> None:
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert len(PAGES) >= 11
    for page, after in zip(PAGES, [*PAGES[1:], None]):
        assert f"tutorial/{page.name}" in site
        text = page.read_text(encoding="utf-8")
        assert after is None or f"]({after.name})" in text
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (page.parent / link).exists(), (page.name, link)


def test_a_stale_output_is_seen() -> None:
    text = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    assert TOOL["page_run"](text) == text.replace("3", "2")
