"""What the chapters say that a machine can ask is so, and an edit that makes it wrong is found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from refrelax.conformance import spec_text, tie
from refrelax.conformance.chapters.held import CHECKS, Check, Otherwise, fresh, holds, over, same

SPEC = Path(__file__).resolve().parents[2] / "spec"


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.file}: {check.name}")
def test_a_chapter_is_held(check: Check) -> None:
    check.run()


def test_a_check_says_what_it_expected() -> None:
    with pytest.raises(Otherwise, match=r"^a: expected \{3\}, found \{2\}$"):
        same({1, 2}, {1, 3}, "a")
    with pytest.raises(Otherwise, match=r"^expected \{'a': 2\}, found \{'a': 1\}$"):
        same({"a": 1, "b": 0}, {"a": 2, "b": 0})
    with pytest.raises(Otherwise, match=r"^line 2: expected 'c', found 'b'$"):
        fresh("a\nb", "a\nc")
    with pytest.raises(Otherwise, match="a table with rows"):
        over(list)(lambda row: holds(row))()


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the text, which everything reads in place of the text."""
    copy = tmp_path / "spec"
    shutil.copytree(SPEC, copy)
    monkeypatch.setattr(spec_text, "spec_directory", lambda: copy)
    return copy


EDITS: list[tuple[str, str, str]] = [
    ("02-values.md", "| `sigmoid` | 6,", "| `sigmoid` | 5,"),
    ("03b-loops-syntax.md", "a text makes at most 10 000 macro", "a text makes at most 1 000 macro"),
    ("03c-printing-and-json.md", "| 4 of int32 | `T.int32(4)` |", "| 4 of int32 | `4` |"),
    ("03d-abstract-syntax.md", "| `AttrStmt` |", "| `AttrStatement` |"),
    ("05-types.md", "| `L2` | only", "| `L3` | only"),
    ("05b-judgements.md", "gives a value | 07, `ev/` |", "gives a value | 06, `sh/value` |"),
    ("00-reading-guide.md", "soundness | `semantics/types/` |", "soundness | `semantics/dims/` |"),
    ("01-conformance.md", "| `OpenElement` |", "| `Proved` |"),
    ("03b-loops-syntax.md", "`e.equal(f)` is `e == f`", "`e.equal(f)` is `e != f`"),
    ("04-well-formedness.md", "is\n`IllFormed`, and", "is\n`Trapped`, and"),
    ("05-types.md", "A contradiction is `IllTyped`", "A contradiction is `IllFormed`"),
    ("05b-judgements.md", "to the grade *g*: `PASS`", "to the grade *g*: `NONE`"),
    ("05b-judgements.md", "or `D[0] + i`, which", "or `D[1] + i`, which"),
    ("06-shapes.md", "`a % b` is `a - b * (a // b)`", "`a % b` is `a + b * (a // b)`"),
    (
        "06c-pointwise.md",
        "`bfloat16`, `float32` and `float64`: `one-mul`",
        "`bfloat16`, `float16` and `float64`: `one-mul`",
    ),
    ("08-effects-and-storage.md", "| `vm.builtin.make_shape` |", "| `vm.builtin.make_prim_value` |"),
    ("05b-judgements.md", "| store | value | element: ", "| store | value | index: "),
    ("07b-intrinsics.md", "`popcount(6)` = `2`", "`popcount(6)` = `3`"),
    ("09-outcomes.md", "| `Unlinkable` |", "| `Unlinked` |"),
    ("ops/common.md", "`int32(2.7)` = `2`", "`int32(2.7)` = `3`"),
    ("rules.md", "| `ev/if` | [07", "| `ev/if` | [08"),
]
"""A chapter, words of it, and others that make it wrong."""


@pytest.mark.parametrize(("name", "words", "others"), EDITS, ids=lambda each: each[:40])
def test_an_edit_is_found(text: Path, name: str, words: str, others: str) -> None:
    page = text / name
    said = page.read_text("utf-8")
    assert said.count(words) == 1
    page.write_text(said.replace(words, others), "utf-8")
    assert [each for each in tie.of_text(tie.read()) if each.place.partition(":")[0] == f"spec/{name}"]
