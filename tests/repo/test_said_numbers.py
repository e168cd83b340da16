"""Numbers of lines, files, circles and cases that documents say are counted, or are not said."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


def document(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def lines(*patterns: str) -> int:
    paths = [path for pattern in patterns for path in ROOT.glob(pattern)]
    assert paths, patterns
    return sum(path.read_text("utf-8").count("\n") for path in paths)


def test_lines_of_what_is_trusted() -> None:
    trust = document("docs/trust.md")
    said = re.search(r"`refrelax/shape_solver/checker/`: (\d) (\d{3}) lines", trust)
    assert said is not None and int(said[1] + said[2]) == round(lines("refrelax/shape_solver/checker/*.py"), -2)
    said = re.search(r"`verified/Meaning.v` \((\d+) lines\)", trust)
    assert said is not None and int(said[1]) == round(lines("verified/Meaning.v"), -1)


def test_the_circles_are_as_many_as_is_said() -> None:
    natural = runpy.run_path(str(Path(__file__).with_name("test_layers.py")))["NATURAL"]
    others = [why for why in natural.values() if not why.startswith("recursive descent")]
    said = re.search(r"the reader's recursive descent and (\w+) more", document("CONTRIBUTING.md"))
    assert said is not None and NUMBERS.index(said[1]) == len(others)


def test_other_implementations() -> None:
    guide = document("docs/howto-conformance.md")
    said = re.search(
        r"`conformance/second` is a second implementation in JavaScript, written from the text: (\d+) small", guide
    )
    assert said is not None and int(said[1]) == len(
        [each for each in (ROOT / "conformance/second").rglob("*.js") if each.parent.name != "runner"]
    )
    said = re.search(r"`conformance/first-hour/impl.pl`, (\d+) lines", guide)
    assert said is not None and int(said[1]) == round(lines("conformance/first-hour/impl.pl"), -1)


def test_no_guide_counts_the_cases_of_the_suite() -> None:
    """They grow; a run prints them. A row of a guide says ``…``."""
    for path in (ROOT / "docs").glob("howto-*.md"):
        for block in re.findall(r"```console\n(.*?)```", path.read_text("utf-8"), re.DOTALL):
            found = re.findall(r"\b\d{2,} +(?:cases|passed|failed|excluded|unsupported|not judged)", block)
            assert not found, (path.name, found)


def test_no_document_counts_lines_that_nobody_asks() -> None:
    asked = {"docs/trust.md", "docs/howto-conformance.md"}
    for path in (
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("howto-*.md"),
        ROOT / "docs/trust.md",
        ROOT / "docs/index.md",
    ):
        name = path.relative_to(ROOT).as_posix()
        found = re.findall(r"\b(?:\d{1,3} )?\d{2,3} (?:lines|files)\b", path.read_text("utf-8"))
        assert not found or name in asked or name == "CHANGELOG.md", (name, found)
