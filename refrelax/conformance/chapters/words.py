# ruff: noqa: E501 (sentences of the text)
"""Words, numbers and places that chapters keep by hand are those of the definition, and no sentence leans on a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from refrelax.conformance import cases, spec_text
from refrelax.conformance.chapters.held import chapter, code, held, holds, numbered, over, same, says, spec, table
from refrelax.conformance.citations import package
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

# --- what leans on a file of the reference

TELLS_OF_CODE = {
    "00-reading-guide.md": "| chapter | says | code |",
    "05b-judgements.md": "| judgement | reads | chapter, rules | ",
}
"""Tables with a column of code, which says where to look."""


@held("01-conformance.md")
@over(numbered)
def no_sentence_leans_on_a_file_of_python(path: Path) -> None:
    text = re.sub(r"<!--.*?-->|```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
    if (head := TELLS_OF_CODE.get(path.name)) is not None:
        holds(head in text)
        text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    found = re.search(r"[\w/]+\.py\b(?!func)", text)
    holds(found is None, found)


@held("01-conformance.md")
@over(lambda: TELLS_OF_CODE)
def what_tells_of_code_names_what_there_is(name: str) -> None:
    """`semantics/valuesx.py` in the reading guide went by unseen."""
    cells = [row[-1] for row in table(name, TELLS_OF_CODE[name])]
    places = [each for cell in cells for each in code(cell) if re.search(r"/$|\.py$", each)]
    rooms = [package().parent, *(package() / each for each in ("", "semantics", "semantics/dims"))]
    missing = [each for each in places if not any((room / each).exists() for room in rooms)]
    holds(len(places) > 10)
    same(missing, [])


@held("01-conformance.md")
def the_pages_of_operators_name_no_file_of_python() -> None:
    for path in (spec() / "ops").glob("*.md"):
        text = re.sub(r"<!--.*?-->|```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
        holds(path.name == "status.md" or not re.search(r"`[\w/]+\.py\b", text), path.name)


# --- chapters that tables name


def with_chapters() -> list[str]:
    """The rows of chapter 05b that name chapters and their rules."""
    rows = re.findall(r"^\|.*\|$", chapter("05b-judgements.md"), re.MULTILINE)
    return [row for row in rows if re.search(r"\| (\d\d[a-z]?(?:, )?)+", row) and re.search(r"`[a-z]+/", row)]


@held("01-conformance.md")
def a_row_names_the_chapters_of_its_rules() -> None:
    """``| 06, `sh/equal` |``: the rule stands in chapter 06."""
    where = {each.rule: Path(each.file).name.partition("-")[0] for each in spec_text.paragraphs()}
    areas: dict[str, set[str]] = {}
    for rule, number in where.items():
        areas.setdefault(rule.split("/")[0], set()).add(number)
    seen = 0
    for row in with_chapters():
        cell = next(each for each in row.split("|") if re.match(r" \d\d", each))
        numbers = set(re.findall(r"\b\d\d[a-z]?\b", re.sub(r"`[^`]*`", "", cell)))
        for rule in code(cell):
            area, _, name = rule.partition("/")
            found = {where[rule]} if rule in where else areas.get(area, set())
            if area.startswith("op"):
                continue
            holds(found & numbers, (rule, numbers))
            holds(name in ("", "param-…", "scalar-…") or rule in where, rule)
            seen += 1
    holds(seen > 12)


# --- 01: cases, protocol, words, ends


@held("01-conformance.md")
def the_keys_of_a_case() -> None:
    section = chapter("01-conformance.md").partition("### What a case is")[2].partition("\n## ")[0]
    told = {word for word in code(section) if re.fullmatch(r"[a-z_]+", word)}
    others = {"accepts", "rejects", "check", *cases.READINGS}
    holds(told >= cases._KEYS)
    holds(told - others <= cases._KEYS)


@held("01-conformance.md")
def the_protocol_answers_with_its_words() -> None:
    rows = table("01-conformance.md", "| request | answer |")
    ends = {row[0]: set(re.findall(r'"end": "(\w+)"', row[1])) for row in rows}
    told = {re.search(r'"ask": "(\w+)"', each)[1] for each in ends if "ask" in each}  # type: ignore[index]
    same(told, {"hello", *serve.NEEDED})
    same(ends["any"], {"unsupported"})
    same(
        set.union(*ends.values()),
        {
            "accepted",
            "rejected",
            "returned",
            "trapped",
            "proved",
            "refuted",
            "unknown",
            "unsupported",
        },
    )
    says(rows[0][0], f'"protocol": {PROTOCOL}')
    says(rows[0][1], f'"protocol": {PROTOCOL}')
    same(Hello().takes, "tree")
    says(rows[0][1], 'takes modules as `"tree"` (if it does not say), `"text"` or `"both"`')
    same(FORMS, ("tree", "text", "both"))
    same(Hello().profiles, tuple(PROFILES))
    for row in rows[1:-1]:
        ask = re.search(r'"ask": "(\w+)"', row[0])
        assert ask is not None
        given = {word for word in re.findall(r'"(\w+)"', row[0]) if word not in ("id", "ask", ask[1])}
        holds({*serve.NEEDED[ask[1]]} <= given)


@held("01-conformance.md")
def what_is_said_of_a_case() -> None:
    same({row[0] for row in table("01-conformance.md", "| word | meaning |")}, set(WORDS))
    same(FAULTS, ("failed", "refused"))
    says(chapter("01-conformance.md"), "`failed` and `refused` make the command end with 1")


@held("01-conformance.md")
def the_words_of_an_answer_and_how_a_command_ends() -> None:
    listed = (
        chapter("01-conformance.md")
        .partition("The word is the first of these that applies:\n")[2]
        .partition("\n`bisect` says")
    )
    words = re.findall(r"^\d\. `([A-Z-]+)`", listed[0], re.MULTILINE)
    same(words, ["DIVERGE", "OPEN", "AGREE", "UNDECIDED", "NO-VERDICT"])
    reasons = {word for word in code(listed[0].partition("`NO-VERDICT`")[2]) if word.islower()}
    same(reasons, {*get_args(Reason)} - {"", "open", "undecided"})
    said = re.search(
        r"`AGREE`, `NONE` and what `validate` proves or tests exit with (\d), `DIVERGE`, `FOUND` and `REFUTED` with (\d), the others with (\d)",
        chapter("01-conformance.md"),
    )
    assert said is not None
    zero, one, rest = map(int, said.groups())
    told = {word: one if word in ("DIVERGE", "FOUND", "REFUTED") else zero for word in EXIT}
    told |= dict.fromkeys(("OPEN", "UNDECIDED", "NO-VERDICT"), rest)
    same(told, EXIT)


@held("01-conformance.md")
def the_fields_of_a_report() -> None:
    rows = table("01-conformance.md", "| field | what it counts or names |")
    told = {word for row in rows for word in code(row[0])}
    same(told - {"arguments", "field"}, Report().row().keys() - {"inside", "outside", "undecided"})
    says(rows[0][1], "`inside` + `outside` + `undecided`")


# --- numbers of other chapters


@held("02-values.md")
def the_strict_profile_has_the_rows_of_the_reading() -> None:
    same(table("02-values.md", "| where | strict | on the word of |"), [list(row) for row in strict.FIXED])
    same({row[0].strip("`") for row in table("02-values.md", "| name | permits |")}, bounds.RELAXATIONS.keys())


@held("06b-solver.md")
def the_budgets() -> None:
    solver, logs = chapter("06b-solver.md"), chapter("06d-proof-logs.md")
    says(solver, f"as the minimum or maximum of its arms: {MAX_ASKED} questions")
    says(solver, f"A text is nested at most {parse.MAX_DEPTH} levels")
    says(logs, f"the `leaves` (polynomials, at most {places.MAX_LEAVES})")


OF_ATOMS = {
    "fd": "({}) // ({})", "td": "truncdiv({}, {})", "min": "min({}, {}, {})", "and": "({}) & ({})", "p2": "2 ** {}",
    "ge": "select({} >= 0, 1, 0)", "eq": "select({} == 0, 1, 0)", "define": "({}) + 0",
}  # fmt: skip
"""An atom as the solver's own operators."""


@held("06d-proof-logs.md")
def the_values_of_atoms() -> None:
    seen = set()
    for row in table("06d-proof-logs.md", "| kind | operands | value | for example |"):
        found = re.findall(r"`(\w+)\(([^)]*)\)` is (-?\d+)", row[3])
        same({name for name, _, _ in found}, set(code(row[0])))
        for name, given, value in found:
            claim = OF_ATOMS[name].format(*given.split(", "))
            assert isinstance(prove(f"{claim} == {value}"), Proved), (name, given)
            seen.add(name)
    same(seen, OF_ATOMS.keys())


@held("01-conformance.md")
def chapters_that_are_named_are_there() -> None:
    """`chapter 9` in the place of `chapter 09` went by unseen."""
    there = {path.name.partition("-")[0] for path in numbered()}
    for path in sorted(spec().glob("*.md")):
        text = path.read_text("utf-8")
        named = re.findall(r"\b[Cc]hapters? ((?:\d+[a-z]?(?:, | and | to )?)+)", text)
        found = {each for group in named for each in re.findall(r"\d+[a-z]?", group)}
        holds(found <= there, (path.name, found - there))
