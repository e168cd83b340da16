"""What the chapters say that a machine can ask is so, and an edit that makes it wrong is found."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from refrelax.conformance import chapters, spec_text, tie
from refrelax.conformance.chapters.held import CHECKS, Check, Otherwise, fresh, holds, over, same

SPEC = Path(__file__).resolve().parents[2] / "spec"


@pytest.mark.by_day(1)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.file}: {check.name}")
def test_a_chapter_is_held(check: Check) -> None:
    check.run()


def test_a_check_says_what_it_expected() -> None:
    with pytest.raises(Otherwise, match=r"^a: expected \{3\}, found \{2\}$"):
        same({1, 2}, {1, 3}, "a")
    with pytest.raises(Otherwise, match=r"^expected \{'a': 2\}, found \{'a': 1\}$"):
        same({"a": 1, "b": 0}, {"a": 2, "b": 0})
    with pytest.raises(Otherwise, match=r"^expected 'ab', found 'ac'$"):
        same("ac", "ab")
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


EDITS: list[tuple[str, str, str, str]] = [
    (
        "00-reading-guide.md",
        "the code of a chapter says that it is",
        "soundness | `semantics/types/` |",
        "soundness | `semantics/dims/` |",
    ),
    ("01-conformance.md", "the nodes of definitions", "| `OpenElement` |", "| `Proved` |"),
    ("02-values.md", "the units", "| `sigmoid` | 6,", "| `sigmoid` | 5,"),
    ("02-values.md", "what is said of a format is so", "7 mantissa bits", "8 mantissa bits"),
    ("02-values.md", "what is said of a format is so", "no negative zero; the pattern", "a negative zero; the pattern"),
    (
        "02-values.md",
        "what is said of an operation is so",
        "*exclusive or*, *and* | `num/int",
        "*and*, *and* | `num/int",
    ),
    ("02-values.md", "what is said of an operation is so", "the greater, the smaller", "the smaller, the greater"),
    ("02-values.md", "the room beside the units", "1 unit in the last place of 1,", "2 units in the last place of 1,"),
    ("02-values.md", "a relaxation is what the reading says", "| `fma` | contraction", "| `fma` | no contraction"),
    (
        "02-values.md",
        "what is said of a word is so",
        "| `ulps` | what lies within",
        "| `ulps` | the exact result, rounded once",
    ),
    (
        "03b-loops-syntax.md",
        "a limit is the constant",
        "a text makes at most 10 000 macro",
        "a text makes at most 1 000 macro",
    ),
    (
        "03b-loops-syntax.md",
        "sentences that say two spellings of an expression",
        "`e.equal(f)` is `e == f`",
        "`e.equal(f)` is `e != f`",
    ),
    ("03c-printing-and-json.md", "a literal is printed so", "| 4 of int32 | `T.int32(4)` |", "| 4 of int32 | `4` |"),
    ("03d-abstract-syntax.md", "the nodes are those of the tree", "| `AttrStmt` |", "| `AttrStatement` |"),
    (
        "04-well-formedness.md",
        "the head of a chapter names its rejection",
        "is\n`IllFormed`, and",
        "is\n`Trapped`, and",
    ),
    (
        "05-types.md",
        "the head of a chapter names its rejection",
        "A contradiction is `IllTyped`",
        "A contradiction is `IllFormed`",
    ),
    ("05-types.md", "the grades of a subtype", "| `L2` | only", "| `L3` | only"),
    ("05-types.md", "a grade means what the table says", "| `L0` | provably not", "| `PASS` | provably not"),
    (
        "05-types.md",
        "a clause of a subtype names its grade",
        "an opaque `derived` is `L2`",
        "an opaque `derived` is `L1`",
    ),
    (
        "05b-judgements.md",
        "a judgement is derived where its rules are",
        "gives a value | 07, `ev/` |",
        "gives a value | 06, `sh/value` |",
    ),
    (
        "05b-judgements.md",
        "a judgement names a chapter and its end",
        "well-formed, or `IllFormed` |",
        "well-formed, or `Malformed` |",
    ),
    ("05b-judgements.md", "a judgement names a chapter and its end", "or poison | 07,", "or poison | 8,"),
    ("05b-judgements.md", "the grades", "to the grade *g*: `PASS`", "to the grade *g*: `NONE`"),
    (
        "05b-judgements.md",
        "the sums of the cases are those that are told",
        "or `D[0] + i`, which",
        "or `D[1] + i`, which",
    ),
    (
        "05b-judgements.md",
        "a position is of an index or of an element",
        "| store | value | element: ",
        "| store | value | index: ",
    ),
    (
        "06-shapes.md",
        "an interval of an atom is what the table says",
        "64 for one above 64",
        "46 for one above 46",
    ),
    ("06-shapes.md", "laws hold at every point", "is `a % 2**k`; `&`", "is `a % 2**k + 1`; `&`"),
    ("03-syntax.md", "what an attribute is then", "that integer, 1 or 0", "that integer, 1 or 7"),
    ("06-shapes.md", "laws hold at every point", "`a % b` is `a - b * (a // b)`", "`a % b` is `a + b * (a // b)`"),
    ("06-shapes.md", "what an example calls beyond is beyond", "n ≐ n // 2 * 2 + n % 2", "n ≐ n + 0"),
    (
        "06-shapes.md",
        "what an example calls beyond is beyond",
        "n ≐ n // 2 * 2 + n % 2",
        "n ≐ n // 2 * 2 - n % 2",
    ),
    (
        "06c-pointwise.md",
        "the laws and their formats",
        "`float32` and `float64`; an index",
        "`int32` and `float64`; an index",
    ),
    ("06d-proof-logs.md", "an axiom with a number is the checkers", "| `p2/below` |", "| `p2/above` |"),
    ("06d-proof-logs.md", "an axiom of several kinds holds", "`v - a + w * u == 0`", "`v + a - w * u == 0`"),
    ("06d-proof-logs.md", "a term is read as what the table says", "`a + b - (a & b)`,", "`a - b - (a & b)`,"),
    (
        "06d-proof-logs.md",
        "a truth and its opposite are what the table says",
        "| `F(a)` or `F(b)` |",
        "| `F(a)` and `F(b)` |",
    ),
    ("06d-proof-logs.md", "the value of an atom is that of its example", "rounded towards 0 |", "rounded down |"),
    ("06d-proof-logs.md", "every form of a step has a row", "| `carries` | `streams`", "| `carry` | `streams`"),
    (
        "07-evaluation.md",
        "a field is what the table says",
        "| 4 | a descriptor | the rank |",
        "| 4 | a record | the rank |",
    ),
    ("07-evaluation.md", "a field is what the table says", "a string 8,", "a string 9,"),
    ("07-evaluation.md", "a field is what the table says", "bits of a lane (8 of", "bits of a lane (1 of"),
    (
        "07b-intrinsics.md",
        "a meaning is what the function gives",
        "*x* with the sign of *y*",
        "*y* with the sign of *x*",
    ),
    (
        "07b-intrinsics.md",
        "a meaning is what the function gives",
        "halves to the even one |",
        "halves to the odd one |",
    ),
    (
        "07b-intrinsics.md",
        "a meaning is what the function gives",
        "| `nearbyint` | as `round`",
        "| `nearbyint` | as `trunc`",
    ),
    (
        "07b-intrinsics.md",
        "a foreign function is what the table says",
        "halves away from zero",
        "halves to the even one",
    ),
    ("07b-intrinsics.md", "an example is what it says", "`popcount(6)` = `2`", "`popcount(6)` = `3`"),
    (
        "08-effects-and-storage.md",
        "every library function has its arguments once",
        "| `vm.builtin.make_shape` |",
        "| `vm.builtin.make_prim_value` |",
    ),
    (
        "08-effects-and-storage.md",
        "a function takes what the table says",
        "`.shape_of` | tensor |",
        "`.shape_of` | shape |",
    ),
    (
        "08-effects-and-storage.md",
        "a function takes as many as the table says",
        "`relax.run.unique` | exactly tensor, four numbers",
        "`relax.run.unique` | exactly tensor, three numbers",
    ),
    ("09-outcomes.md", "a rejection is of its chapter", "condition is broken | 04 |", "condition is broken | 05 |"),
    ("09-outcomes.md", "the ends are as many as is said", "*ends* in one of four ways", "*ends* in one of three ways"),
    (
        "09-outcomes.md",
        "an end is what the table says",
        "| `Trapped(rule)` | a check",
        "| `Exhausted(rule)` | a check",
    ),
    ("06b-solver.md", "the classes and the reasons", "| `powers` | a conversion", "| `words` | a conversion"),
    ("09-outcomes.md", "the outcomes", "| `Unlinkable` |", "| `Unlinked` |"),
    (
        "13-backends.md",
        "what programs become ends as runs do",
        "division by zero as `Unspecified`",
        "division by zero as `Malformed`",
    ),
    ("ops/common.md", "an example of the legend", "`int32(2.7)` = `2`", "`int32(2.7)` = `3`"),
]
"""A chapter, a check of it, words of it, and others that make it wrong."""


@pytest.mark.parametrize(("name", "by", "words", "others"), EDITS, ids=lambda each: each[:40])
@pytest.mark.by_day(6)
def test_an_edit_is_found(text: Path, name: str, by: str, words: str, others: str) -> None:
    edited(text / name, words, others)
    found = [each for check in CHECKS if check.name == by for each in chapters.unheld([check])]
    assert found and all(each.check == by for each in found)


def edited(page: Path, words: str, others: str) -> None:
    said = page.read_text("utf-8")
    assert said.count(words) == 1
    page.write_text(said.replace(words, others), "utf-8")


@pytest.mark.thorough
def test_an_edit_of_the_index_is_found(text: Path) -> None:
    edited(text / "rules.md", "| `ev/if` | [07", "| `ev/if` | [08")
    (found,) = [each for each in tie._chapters(tie.read()) if each.place == "spec/rules.md"]
    assert "tools/make_rule_index.py writes it otherwise" in found.message


def test_a_check_that_cannot_read_its_table_says_so(text: Path) -> None:
    edited(text / "05-types.md", "**`ty/subtype`** —", "**`ty/subtypes`** —")
    (found,) = chapters.unheld([each for each in CHECKS if each.name == "the grades of a subtype"])
    assert "a chapter with the words" in found.message


@pytest.mark.thorough
def test_no_reading_is_made_by_an_import() -> None:
    """One that is kept is not seen to be made, so that no case went through ``num/ieee-is-canonical``."""
    script = (
        "from refrelax.semantics.numbers.ieee import ieee; import refrelax.conformance.tie;"
        "print(ieee.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
