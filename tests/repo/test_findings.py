"""``docs/findings/`` is what the tool makes, and the list of known causes knows every one of them."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.judge.campaign.known import known_as, load

TOOL = runpy.run_path(str(Path(__file__).resolve().parents[2] / "tools" / "make_findings.py"))


@pytest.mark.thorough
def test_the_pages_are_what_the_tool_writes() -> None:
    made = TOOL["pages"]()
    for path, text in made.items():
        assert path.read_text("utf-8") == text, "run tools/make_findings.py"
    assert set(TOOL["FOLDER"].glob("[0-9]*.md")) <= set(made)


def test_every_finding_is_known_and_reads() -> None:
    known = load(TOOL["KNOWN"])
    rows = TOOL["read"]()
    assert len({row["cause"] for row in rows}) == len(rows) > 0
    for row in rows:
        assert known_as(row["cause"], known) is not None
        if row["cause"].startswith("import: "):  # a program of a front end
            compile(row["program"], "program.py", "exec")
        else:
            rr.check(rr.parse(row["program"]))
        assert "refrelax" not in row["script"]


def test_every_verdict_is_about_a_finding() -> None:
    said = TOOL["verdicts"]()
    used = [TOOL["judged"](row, said) for row in TOOL["read"]()]
    assert all(each in used for each in said)
    assert {each["fault"] for each in said} <= {"TVM", "disputed"}
