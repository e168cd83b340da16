"""``docs/howto-dtype.md`` and ``docs/howto-edition.md``: the rows of the first are put into a copy of the tree."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.syntax import dtypes
from refrelax.syntax.editions import CURRENT, EDITIONS, Edition
from refrelax.version import SPEC_EDITION

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "howto-dtype.md").read_text("utf-8")
EDITION = (ROOT / "docs" / "howto-edition.md").read_text("utf-8")
ROWS = re.findall(r"^\| `([\w/.-]+)` \| (.*?) \| (.*?) ?\|$", GUIDE, re.MULTILINE)
LINE = re.compile(r"`(\"\w+\": .*?,)` in `(\w+)`")

PROGRAM = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float8_e2m5")):
        y = R.add(x, R.multiply(x, x))
        z = R.exp(R.sum(y, keepdims=True))
        return z
"""

CHECK = f"""
import refrelax as rr
from refrelax.semantics.intrinsics.records import CODES
from refrelax.testing.corners import ELEMENT_DTYPES
c = rr.check(rr.parse({PROGRAM!r}))
assert rr.check(rr.parse(rr.print_module(c.module))).module == c.module
given = rr.Tensor.of([0.5, 0.25, 1.0], "float8_e2m5")
wide = rr.run(c, "main", given, numerics="enclosure").value
strict = rr.run(c, "main", given, numerics="strict").value
low = rr.lower(c, "default").module
for each in (c, low):
    found = rr.run(each, "main", given).value
    assert wide.contains(found) and strict.contains(found)
print(rr.Tensor.of([float("inf"), 3.03, 1e9], "float8_e2m5").tolist())
"""


def edited(path: str, line: str, table: str) -> str:
    """A file with a line put at the beginning of one of its tables."""
    text = (ROOT / path).read_text("utf-8")
    head = re.search(rf"^{table}(?:: [^=\n]*)? = {{\n", text, re.MULTILINE)
    assert head is not None, table
    return f"{text[: head.end()]}    {line}\n{text[head.end() :]}"


def test_the_rows_name_files_and_tables() -> None:
    assert [path for path, _, _ in ROWS][:2] == ["refrelax/syntax/dtypes.py", "refrelax/syntax/bits.py"]
    for path, what, _ in ROWS:
        text = (ROOT / path).read_text("utf-8")
        for name in re.findall(r"in `([A-Z_]+)`", what):
            assert re.search(rf"^{name}\b", text, re.MULTILINE), name
    assert all(dtypes.is_dtype(f"{kind}{n}") for kind in ("int", "uint") for n in range(1, 65))


def test_until_then_the_text_is_malformed() -> None:
    with pytest.raises(rr.Malformed):
        rr.parse(PROGRAM)


@pytest.mark.thorough
def test_a_format_is_two_lines(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "refrelax", tmp_path / "refrelax", ignore=shutil.ignore_patterns("__pycache__"))
    changed = [(path, *found.groups()) for path, what, _ in ROWS if (found := LINE.search(what)) is not None]
    assert len(changed) == 2
    for path, line, table in changed:
        (tmp_path / path).write_text(edited(path, line, table), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", CHECK], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[inf, 3.0, inf]", done.stdout + done.stderr


# --- editions


def test_flags_are_about_the_former_way() -> None:
    """False in the current row, and never true again once a row has given it up."""
    flags = [each.name for each in dataclasses.fields(Edition) if each.name != "last"]
    rows = [[getattr(each, name) for name in flags] for each in EDITIONS]
    assert all(each.default is False for each in dataclasses.fields(Edition) if each.name != "last")
    assert not any(rows[-1]) and rows == sorted(rows, reverse=True)
    for column in zip(*rows, strict=True):
        assert column[0] and list(column) == sorted(column, reverse=True)
    assert CURRENT is EDITIONS[-1] and SPEC_EDITION.endswith(str(CURRENT))


def test_the_files_of_the_guide_exist() -> None:
    """A row each; a folder where the places are as many as the spelling has."""
    named = re.findall(r"^\| `([\w/.…-]+)` \|", EDITION, re.MULTILINE)
    assert len(named) == 7 and f"Edition(({CURRENT.last[0]}, {CURRENT.last[1] + 1}))" in EDITION
    assert all((ROOT / path.removesuffix("…")).exists() for path in named), named
