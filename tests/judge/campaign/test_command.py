"""``fuzz`` from the command line: state, known causes, the page."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from refrelax import cli

LINE = "fuzz --impl strange:find --out found --json"


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)

    def go(line: str) -> tuple[int, list[dict[str, Any]], str]:
        try:
            code = cli.main(shlex.split(line))
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return code, [json.loads(each) for each in out.splitlines()], err

    return go


@pytest.mark.thorough
def test_a_campaign_goes_on_and_makes_a_page(command: Any, tmp_path: Path) -> None:
    code, first, err = command(f"{LINE} --count 16 --state s --html page.html --dtypes bfloat16,float32")
    *findings, last = first
    assert code == 1 and err == "" and last["found"] == len(findings) > 0 and last["inputs"] > last["programs"]
    for each in findings:
        assert {"cause", "kind", "blame", "program", "versions", "expected", "spec", "command"} <= each.keys()
        assert (tmp_path / "found" / each["finding"] / "report.json").exists()
    page = (tmp_path / "page.html").read_text("utf-8")
    assert all(f"<code>{each['cause']}" in page for each in findings) and "<svg" in page and "class=heat" in page
    assert "What sequences of passes covered" in page

    code, again, _ = command(f"{LINE} --count 24 --state s --dtypes bfloat16,float32")
    *new, last = again
    assert code == 1 and last["resumed"] == 2 and last["found"] == len(findings) + len(new)
    assert not {each["cause"] for each in new} & {each["cause"] for each in findings}

    (tmp_path / "earlier.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in first), "utf-8")
    code, none, _ = command(f"{LINE} --count 16 --known earlier.jsonl --dtypes bfloat16,float32")
    assert code == 0 and len(none) == 1 and none[0]["known"]


def test_what_it_cost_is_told_where_all_of_it_was_spent_here(command: Any) -> None:
    _, (*_, alone), _ = command(f"{LINE} --count 8 --state s --dtypes float32")
    assert alone["cpu_s"] > 0 and alone["programs"] <= alone["inputs"] and alone["judged"] <= alone["inputs"]
    _, (*_, resumed), _ = command(f"{LINE} --count 8 --state s --dtypes float32")
    assert resumed["resumed"] and "cpu_s" not in resumed


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--count 8 --known missing", "no list of known causes"),
        ("--count 8 --state .", "no state of a campaign"),
        ("--count 8 --state s --seed 1", "the state of another campaign: its seed is 0, not 1"),
    ],
)
def test_usage(command: Any, line: str, says: str) -> None:
    if "--seed" in line:
        command(f"{LINE} --count 1 --state s --features elementwise")
        line += " --features elementwise"
    code, _, err = command(f"fuzz --impl strange:find {line}")
    assert code == 2 and says in err


@pytest.mark.thorough
def test_a_finding_is_asked_of_other_versions_too(command: Any) -> None:
    code, said, _ = command(f"{LINE} --impl numpy --count 8 --dtypes bfloat16,float32")
    *findings, _ = said
    assert code == 1 and findings
    for each in findings:
        words = {version: row["verdict"] for version, row in each["elsewhere"].items()}
        assert words == {"strange:find": "DIVERGE", "numpy": "AGREE"} and each["history"] == "not in numpy"
        assert "--impl strange:find --impl numpy" in each["command"]
    code, _, err = command("fuzz --impl numpy --impl no-such --count 1")
    assert code == 2 and "no-such" in err
