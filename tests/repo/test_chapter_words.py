# ruff: noqa: E501 (sentences of the text)
"""Words, numbers and places that chapters keep by hand are those of the definition, and no sentence leans on a file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from refrelax.conformance import cases, spec_text
from refrelax.conformance.judged import FAULTS, WORDS
from refrelax.conformance.suite import serve
from refrelax.conformance.suite.protocol import FORMS, PROTOCOL, Hello
from refrelax.conformance.suite.records import PROFILES
from refrelax.judge.report import EXIT, Report
from refrelax.judge.verdicts import Reason
from refrelax.semantics.numbers import bounds, strict
from refrelax.shape_solver import Proved, parse, prove
from refrelax.shape_solver.checker import places
from refrelax.shape_solver.simplify import MAX_ASKED

SPEC = Path(__file__).resolve().parents[2] / "spec"
CODE = re.compile(r"`([^`]+)`")


def chapter(name: str) -> str:
    return (SPEC / name).read_text("utf-8")


def table(text: str, head: str) -> list[list[str]]:
    _, found, rest = text.partition(head + "\n")
    assert found, head
    rows = re.search(r"^\|.*?(?=^[^|]|\Z)", rest, re.MULTILINE | re.DOTALL)
    assert rows is not None
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows[0].splitlines()[1:]]


# --- what leans on a file of the reference

TELLS_OF_CODE = {
    "00-reading-guide.md": "| chapter | says | code |",
    "05b-judgements.md": "| judgement | reads | chapter, rules | ",
}
"""Tables with a column of code, which says where to look."""


@pytest.mark.parametrize("path", sorted(SPEC.glob("[0-9]*.md")), ids=lambda path: path.name)
def test_no_sentence_leans_on_a_file_of_python(path: Path) -> None:
    text = re.sub(r"<!--.*?-->|```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
    if (head := TELLS_OF_CODE.get(path.name)) is not None:
        assert head in text
        text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    assert not re.search(r"[\w/]+\.py\b(?!func)", text), re.search(r".*[\w/]+\.py\b.*", text)


@pytest.mark.parametrize("name", TELLS_OF_CODE)
def test_what_tells_of_code_names_what_there_is(name: str) -> None:
    """`semantics/valuesx.py` in the reading guide went by unseen."""
    cells = [
        row[-1]
        for row in table(
            chapter(name), next(x for x in chapter(name).splitlines() if x.startswith(TELLS_OF_CODE[name]))
        )
    ]
    places = [each for cell in cells for each in CODE.findall(cell) if re.search(r"/$|\.py$", each)]
    rooms = [SPEC.parent, *(SPEC.parent / "refrelax" / each for each in ("", "semantics", "semantics/dims"))]
    missing = [each for each in places if not any((room / each).exists() for room in rooms)]
    assert len(places) > 10 and not missing


def test_the_pages_of_operators_name_no_file_of_python() -> None:
    for path in (SPEC / "ops").glob("*.md"):
        text = re.sub(r"<!--.*?-->|```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
        assert path.name == "status.md" or not re.search(r"`[\w/]+\.py\b", text), path.name


# --- chapters that tables name

WITH_CHAPTERS = [
    (path.name, row)
    for path in sorted(SPEC.glob("[0-9]*.md"))
    for row in re.findall(r"^\|.*\|$", path.read_text("utf-8"), re.MULTILINE)
    if re.search(r"\| (\d\d[a-z]?(?:, )?)+", row) and re.search(r"`[a-z]+/", row) and path.name.startswith("05b")
]


def test_a_row_names_the_chapters_of_its_rules() -> None:
    """``| 06, `sh/equal` |``: the rule stands in chapter 06."""
    where = {each.rule: Path(each.file).name.partition("-")[0] for each in spec_text.paragraphs()}
    areas: dict[str, set[str]] = {}
    for rule, number in where.items():
        areas.setdefault(rule.split("/")[0], set()).add(number)
    seen = 0
    for _, row in WITH_CHAPTERS:
        cell = next(each for each in row.split("|") if re.match(r" \d\d", each))
        numbers = set(re.findall(r"\b\d\d[a-z]?\b", re.sub(r"`[^`]*`", "", cell)))
        for rule in CODE.findall(cell):
            area, _, name = rule.partition("/")
            found = {where[rule]} if rule in where else areas.get(area, set())
            if area.startswith("op"):
                continue
            assert found & numbers, (rule, numbers)
            assert name in ("", "param-…", "scalar-…") or rule in where, rule
            seen += 1
    assert seen > 12


# --- 01: cases, protocol, words, ends

CONFORMANCE = chapter("01-conformance.md")


def test_the_keys_of_a_case() -> None:
    section = CONFORMANCE.partition("### What a case is")[2].partition("\n## ")[0]
    told = {word for word in CODE.findall(section) if re.fullmatch(r"[a-z_]+", word)}
    others = {"accepts", "rejects", "check", *cases.READINGS}
    assert told >= cases._KEYS and told - others <= cases._KEYS


def test_the_protocol_answers_with_its_words() -> None:
    rows = table(CONFORMANCE, "| request | answer |")
    ends = {row[0]: set(re.findall(r'"end": "(\w+)"', row[1])) for row in rows}
    told = {re.search(r'"ask": "(\w+)"', each)[1] for each in ends if "ask" in each}  # type: ignore[index]
    assert told == {"hello", *serve.NEEDED} and ends["any"] == {"unsupported"}
    assert set.union(*ends.values()) == {
        "accepted",
        "rejected",
        "returned",
        "trapped",
        "proved",
        "refuted",
        "unknown",
        "unsupported",
    }
    assert f'"protocol": {PROTOCOL}' in rows[0][0] and f'"protocol": {PROTOCOL}' in rows[0][1]
    assert (
        Hello().takes == "tree" and 'takes modules as `"tree"` (if it does not say), `"text"` or `"both"`' in rows[0][1]
    )
    assert FORMS == ("tree", "text", "both") and Hello().profiles == tuple(PROFILES)
    for row in rows[1:-1]:
        ask = re.search(r'"ask": "(\w+)"', row[0])
        assert ask is not None
        given = {word for word in re.findall(r'"(\w+)"', row[0]) if word not in ("id", "ask", ask[1])}
        assert {*serve.NEEDED[ask[1]]} <= given


PROGRAM = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32"), p: R.Tensor((), "bool")):
        q = R.assert_op(p, format="no")
        return x
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("asked", "end"),
    [
        ({"ask": "prove", "claim": "n == n"}, "proved"),
        ({"ask": "prove", "claim": "n == n + 1"}, "refuted"),
        ({"ask": "prove", "claim": "n*n*n + m*m*m != 33*k*k*k + 3", "assume": ["n > 10**9", "m > 10**9"]}, "unknown"),
        ({"ask": "prove", "claim": "n +"}, "rejected"),
        ({"ask": "check", "case": "a/b", "text": PROGRAM}, "rejected"),
        ({"ask": "check", "case": "a/b", "text": PROGRAM.replace("@R.function", "@R.function(pure=False)")}, "accepted"),
        ({"ask": "run", "case": "a/b", "text": "x", "entry": "main", "args": []}, "rejected"),
        ({"ask": "sing"}, "unsupported"),
    ],
)  # fmt: skip
def test_the_definition_answers_so(asked: dict[str, object], end: str) -> None:
    assert serve.answer(json.loads(json.dumps(asked)))["end"] == end


@pytest.mark.parametrize(("truth", "end"), [(True, "returned"), (False, "trapped")])
def test_the_definition_runs(truth: bool, end: str) -> None:
    args = [{"dtype": "float32", "shape": [2], "data": [1, 2]}, {"dtype": "bool", "shape": [], "data": [truth]}]
    asked = {"ask": "run", "case": "a/b", "entry": "main", "args": args}
    assert serve.answer({**asked, "text": PROGRAM.replace("@R.function", "@R.function(pure=False)")})["end"] == end


def test_what_is_said_of_a_case() -> None:
    assert {row[0] for row in table(CONFORMANCE, "| word | meaning |")} == set(WORDS)
    assert FAULTS == ("failed", "refused") and "`failed` and `refused` make the command end with 1" in CONFORMANCE


def test_the_words_of_an_answer_and_how_a_command_ends() -> None:
    listed = CONFORMANCE.partition("The word is the first of these that applies:\n")[2].partition("\n`bisect` says")
    words = re.findall(r"^\d\. `([A-Z-]+)`", listed[0], re.MULTILINE)
    assert words == ["DIVERGE", "OPEN", "AGREE", "UNDECIDED", "NO-VERDICT"]
    reasons = {word for word in CODE.findall(listed[0].partition("`NO-VERDICT`")[2]) if word.islower()}
    assert reasons == {*get_args(Reason)} - {"", "open", "undecided"}
    said = re.search(
        r"`AGREE`, `NONE` and what `validate` proves or tests exit with (\d), `DIVERGE`, `FOUND` and `REFUTED` with (\d), the others with (\d)",
        CONFORMANCE,
    )
    assert said is not None
    zero, one, rest = map(int, said.groups())
    told = {word: one if word in ("DIVERGE", "FOUND", "REFUTED") else zero for word in EXIT}
    told |= dict.fromkeys(("OPEN", "UNDECIDED", "NO-VERDICT"), rest)
    assert told == EXIT


def test_the_fields_of_a_report() -> None:
    rows = table(CONFORMANCE, "| field | what it counts or names |")
    told = {word for row in rows for word in CODE.findall(row[0])}
    assert told - {"arguments", "field"} == Report().row().keys() - {"inside", "outside", "undecided"}
    assert "`inside` + `outside` + `undecided`" in rows[0][1]


# --- numbers of other chapters


def test_the_strict_profile_has_the_rows_of_the_reading() -> None:
    assert table(chapter("02-values.md"), "| where | strict | on the word of |") == [list(row) for row in strict.FIXED]
    assert {
        row[0].strip("`") for row in table(chapter("02-values.md"), "| name | permits |")
    } == bounds.RELAXATIONS.keys()


def test_the_budgets() -> None:
    solver, logs = chapter("06b-solver.md"), chapter("06d-proof-logs.md")
    assert f"as the minimum or maximum of its arms: {MAX_ASKED} questions" in solver
    assert f"A text is nested at most {parse.MAX_DEPTH} levels" in solver
    assert f"the `leaves` (polynomials, at most {places.MAX_LEAVES})" in logs


OF_ATOMS = {
    "fd": "({}) // ({})", "td": "truncdiv({}, {})", "min": "min({}, {}, {})", "and": "({}) & ({})", "p2": "2 ** {}",
    "ge": "select({} >= 0, 1, 0)", "eq": "select({} == 0, 1, 0)", "define": "({}) + 0",
}  # fmt: skip
"""An atom as the solver's own operators."""


def test_the_values_of_atoms() -> None:
    seen = set()
    for row in table(chapter("06d-proof-logs.md"), "| kind | operands | value | for example |"):
        found = re.findall(r"`(\w+)\(([^)]*)\)` is (-?\d+)", row[3])
        assert {name for name, _, _ in found} == set(CODE.findall(row[0]))
        for name, given, value in found:
            claim = OF_ATOMS[name].format(*given.split(", "))
            assert isinstance(prove(f"{claim} == {value}"), Proved), (name, given)
            seen.add(name)
    assert seen == OF_ATOMS.keys()


def test_chapters_that_are_named_are_there() -> None:
    """`chapter 9` in the place of `chapter 09` went by unseen."""
    there = {path.name.partition("-")[0] for path in SPEC.glob("[0-9]*.md")}
    for path in sorted(SPEC.glob("*.md")):
        text = path.read_text("utf-8")
        named = re.findall(r"\b[Cc]hapters? ((?:\d+[a-z]?(?:, | and | to )?)+)", text)
        found = {each for group in named for each in re.findall(r"\d+[a-z]?", group)}
        assert found <= there, (path.name, found - there)
