"""README, CONTRIBUTING and the guides say only what is so, as far as a machine can tell."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from refrelax.commands import COMMANDS
from refrelax.conformance import spec_text

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "refrelax"
LAYERS = runpy.run_path(str(Path(__file__).with_name("test_layers.py")))["LAYERS"]
DOCUMENTS = ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in sorted((ROOT / "docs").glob("*.md")))]
HOMES = (ROOT, PACKAGE, PACKAGE / "semantics", PACKAGE / "semantics/ops", PACKAGE / "shape_solver", ROOT / "spec")
"""What a path in a document may be counted from."""

PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w.-]+\.(?:py|md|toml|json|cuh|jsonl|v))?)`")
AREA = re.compile(r"[a-z]+/$")
"""``ev/`` begins the ids of an area; a folder is named from its parent on."""


def paths(document: str) -> Iterator[str]:
    for found in PATH.findall((ROOT / document).read_text(encoding="utf-8")):
        if not AREA.fullmatch(found):
            yield found


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_are_named_exist(document: str) -> None:
    folder = (ROOT / document).parent
    lost = [each for each in paths(document) if not any((home / each).exists() for home in (*HOMES, folder))]
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


def test_the_targets_that_are_shown_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        for target in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE):
            assert target in targets, f"{document}: make {target}"
