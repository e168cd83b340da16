"""README, CONTRIBUTING and the guides say only what is so, as far as a machine can tell."""

from __future__ import annotations

import re
import runpy
import tomllib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

import refrelax
from refrelax.commands import COMMANDS
from refrelax.conformance import spec_text
from refrelax.exercises import EXERCISES

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "refrelax"
LAYERS = runpy.run_path(str(Path(__file__).with_name("test_layers.py")))["LAYERS"]
DOCUMENTS = ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in sorted((ROOT / "docs").glob("*.md")))]
CHAPTERS = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "spec").rglob("*.md"))
HOMES = (ROOT, PACKAGE, PACKAGE / "semantics", PACKAGE / "semantics/ops", PACKAGE / "shape_solver", ROOT / "spec")
"""What a path in a document may be counted from."""

PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w.-]+\.(?:py|md|toml|json|cuh|jsonl|v))?)`")
AREA = re.compile(r"([a-z]+|op\.[A-Z]+)/$|AREA/NAME.json")
"""``ev/`` begins the ids of an area; a folder is named from its parent on. Words in capitals stand for others."""
LINK = re.compile(r"\]\(((?!https?:)[^)#\s…]+)[^)\s]*\)")
BUILT = re.compile(r"(seen|notebooks|playground|reference)/[\w./-]+\.(html|ipynb)$")
"""Pages that ``make docs`` makes."""


def paths(document: str) -> Iterator[str]:
    for found in PATH.findall((ROOT / document).read_text(encoding="utf-8")):
        if not AREA.fullmatch(found):
            yield found


@pytest.mark.parametrize("document", [*DOCUMENTS, *CHAPTERS])
def test_files_that_are_named_exist(document: str) -> None:
    folder = (ROOT / document).parent
    lost = [each for each in paths(document) if not any((home / each).exists() for home in (*HOMES, folder))]
    assert not lost, lost


@pytest.mark.parametrize("document", [*DOCUMENTS, *CHAPTERS])
def test_links_lead_somewhere(document: str) -> None:
    """``make spec`` and ``make docs`` ask too, with packages that the tests do not need."""
    text = re.sub(r"```.*?```", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [each for each in LINK.findall(re.sub(r"`[^`\n]*`", "", text)) if not BUILT.match(each)]
    lost = [each for each in links if not ((ROOT / document).parent / each).exists()]
    assert not lost, lost


ANNOUNCED = {"docs/howto-pass.md": {"lo/shared-call"}}
"""Rules that a guide adds."""


def test_rules_that_documents_and_docstrings_name_are_defined() -> None:
    """What the chapters themselves name is asked by ``refrelax rules check``."""
    defined = {each.rule for each in spec_text.paragraphs()}
    areas = {rule.split("/")[0] for rule in defined}
    pattern = re.compile(rf"`({spec_text.ID})`")
    files = [*(ROOT / each for each in DOCUMENTS), *PACKAGE.rglob("*.py")]
    for path in files:
        place = path.relative_to(ROOT).as_posix()
        named = {each for each in pattern.findall(path.read_text(encoding="utf-8")) if each.split("/")[0] in areas}
        assert named - defined == ANNOUNCED.get(place, set()), place


def test_the_line_of_layers_is_the_drawing() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"- Layers: `([^`]+)`", text)
    said = [set(each.split()) for each in line.split("<")]
    drawn = [set(names) for _, names in groupby(sorted(LAYERS, key=LAYERS.__getitem__), LAYERS.__getitem__)]
    assert said == drawn


def test_the_map_has_every_room() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text[text.index("## Map of rooms") : text.index("## Install")]
    rooms = [p.name for p in PACKAGE.iterdir() if p.is_dir() and (p / "__init__.py").exists()]
    rooms += [p.name for p in PACKAGE.glob("*.py") if not p.name.startswith("__")]
    rooms += [f"… {p.name}" if p.name in ("dims", "types", "numbers", "graph", "ops") else p.name
              for p in (PACKAGE / "semantics").iterdir() if p.is_dir() and (p / "__init__.py").exists()]  # fmt: skip
    lost = [room for room in rooms if not re.search(rf"[`/ ]{re.escape(room)}[`/]", table)]
    assert not lost, lost


def test_tests_stand_in_the_rooms_of_what_they_test() -> None:
    own = {"attacks", "repo", "release"}
    folders = {p.name for p in (ROOT / "tests").iterdir() if p.is_dir() and any(p.rglob("test_*.py"))}
    rooms = {p.name for p in PACKAGE.iterdir() if p.is_dir()}
    assert folders - rooms == own


def test_the_commands_that_are_shown_exist() -> None:
    known = {"explain", *COMMANDS}
    for document in DOCUMENTS:
        text = (ROOT / document).read_text(encoding="utf-8")
        for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
            for command in re.findall(r"^(?:\$ )?refrelax ([a-z-]+)", block, re.MULTILINE):
                assert command in known, f"{document}: refrelax {command}"


CHOOSING = ("rules", "conformance")
"""Commands whose first word says what they do."""


def test_the_commands_that_are_named_exist_with_their_options() -> None:
    """In a line of a document or a chapter, ``refrelax WORD --option``."""
    known, defined = {"explain", *COMMANDS}, {each.rule for each in spec_text.paragraphs()}
    taken = {
        option
        for path in (PACKAGE / "commands").glob("*.py")
        for option in re.findall(r"\"(--[a-z-]+)\"", path.read_text(encoding="utf-8"))
    }
    for document in [*DOCUMENTS, *CHAPTERS]:
        text = (ROOT / document).read_text(encoding="utf-8")
        text = re.sub(r"\\\n", " ", text)
        shown = re.findall(r"^(?:\$ )?refrelax (.*)$|`refrelax ([^`\n]+)`", text, re.MULTILINE)
        for line in (one or other for one, other in shown):
            words = line.partition(" #")[0].split()
            assert words[0] in known or words[0].startswith("-"), f"{document}: refrelax {line}"
            source = (PACKAGE / "commands" / f"{words[0]}.py").read_text("utf-8") if words[0] in CHOOSING else ""
            assert not source or f'"{words[1]}"' in source, f"{document}: refrelax {line}"
            rules = {each for each in words[1:] if re.fullmatch(spec_text.ID, each) and words[0] == "explain"}
            assert rules <= defined, f"{document}: refrelax {line}"
            options = {each.partition("=")[0] for each in words if re.match(r"--[a-z]", each)}
            assert options <= taken | {"--version", "--help"}, f"{document}: refrelax {line}"


def test_the_tools_and_extras_that_are_named_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text[text.index("| after a change of | run |") :].partition("\n\n")[0]
    named = re.findall(r"`(make_\w+)`", table)
    assert len(named) > 4 and all((ROOT / "tools" / f"{each}.py").exists() for each in named), named
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = re.findall(r"^\| `(?:refrelax)?\[(\w+)\]`", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) > 4 and set(rows) <= project["optional-dependencies"].keys()


def test_the_functions_that_are_shown_exist() -> None:
    for document in DOCUMENTS:
        for block in re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.DOTALL):
            for name in re.findall(r"\brr\.(\w+)", block) if "import refrelax as rr" in block else ():
                assert hasattr(refrelax, name), f"{document}: rr.{name}"


def test_the_exercises_are_as_many_as_is_said() -> None:
    assert len(EXERCISES) == 12
    said = re.findall(r"(\w+) exercises", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert set(said) == {"twelve"}


def test_the_targets_that_are_shown_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        for target in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE):
            assert target in targets, f"{document}: make {target}"
