"""Rows and sentences that say where something stands, how it ends or what it equals, asked of the definition.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import fields

from refrelax.conformance import cases, spec_text
from refrelax.conformance.chapters import judgements
from refrelax.conformance.chapters.held import between, chapter, code, held, holds, numbered, over, same, says, table
from refrelax.conformance.chapters.laws import agree
from refrelax.conformance.chapters.sentences import END, ends
from refrelax.conformance.citations import package
from refrelax.semantics.builtins.library import LIBRARY
from refrelax.semantics.dims.required import required
from refrelax.semantics.ops.meaning.as_json import NODES
from refrelax.shape_solver.descents.formats import FORMATS
from refrelax.shape_solver.descents.laws import LAWS
from refrelax.shape_solver.parse import parse_dim

# --- how a chapter's programs end

OF_ALL = frozenset({"00", "01", "05b", "09", "11", "13"})
"""Chapters that speak of ends that no rule of their own has."""


def kinds(name: str) -> Counter[str]:
    """How many rules of a chapter have a case that ends so."""
    rules = [each.rule for each in spec_text.paragraphs() if each.file == f"spec/{name}"]
    return Counter(kind for rule in rules for kind in ends().get(rule, ()))


@held("09-outcomes.md")
def a_chapter_names_the_ends_of_its_rules() -> None:
    for path in numbered():
        if path.name.partition("-")[0] not in OF_ALL:
            found = set(END.findall(path.read_text("utf-8"))) - kinds(path.name).keys()
            other = re.findall(rf"`({spec_text.ID})`", path.read_text("utf-8"))
            same(found - {kind for rule in other for kind in ends().get(rule, ())}, set(), path.name)


@held("13-backends.md")
@over(lambda: ["11-fusion.md", "13-backends.md"])
def what_programs_become_ends_as_runs_do(name: str) -> None:
    """`Malformed` for a division by zero went by unseen."""
    same(set(END.findall(chapter(name))) - {*cases.ENDS}, set(), name)


@held("09-outcomes.md")
@over(lambda: ["03-syntax.md", "03b-loops-syntax.md", "04-well-formedness.md", "05-types.md"])
def the_head_of_a_chapter_names_its_rejection(name: str) -> None:
    """The first words of a chapter say how what breaks its rules is refused: as most of its cases that are refused."""
    head = re.split(r"^## |^\*\*`", chapter(name), maxsplit=1, flags=re.MULTILINE)[0]
    named = [word for word in END.findall(head) if word in cases.REJECTIONS]
    holds(named, "a rejection in the head of the chapter")
    most = next(kind for kind, _ in kinds(name).most_common() if kind in cases.REJECTIONS)
    same(named[0], most, "the head")


# --- 00: where the code of a chapter is

OF_WHOLE_ROOMS = frozenset({"refrelax/conformance/", "semantics/ops/", "refrelax explain"})
"""Rooms whose files name the pages that they are about."""


@held("00-reading-guide.md")
@over(lambda: table("00-reading-guide.md", "| chapter | says | code |"))
def the_code_of_a_chapter_says_that_it_is(row: list[str]) -> None:
    """`semantics/dims/` in the row of types went by unseen."""
    numbers = re.findall(r"\b\d\d[a-z]?\b", row[0] + row[1])
    for place in code(row[2]):
        if place not in OF_WHOLE_ROOMS:
            holds(set(numbers) & chapters_of(place), f"{row[0]}: {place}")


def chapters_of(place: str) -> set[str]:
    """The chapters that the files of a room name in their first words."""
    homes = [home / place for home in (package(), package() / "semantics") if (home / place).exists()]
    files = [file for home in homes for file in ([home] if home.is_file() else home.rglob("*.py"))]
    return {each for file in files for each in re.findall(r"spec/(\d\d[a-z]?)-", file.read_text("utf-8")[:3000])}


# --- 01: the nodes of definitions


@held("01-conformance.md")
def the_nodes_of_definitions() -> None:
    says(chapter("01-conformance.md"), "a `dtype` in one is that of the element that it gives")
    rows = table("01-conformance.md", "| node | fields | in a formula |")
    same({each for row in rows for each in code(row[0])}, NODES.keys())
    for row in rows:
        own = {field.name for name in code(row[0]) for field in fields(NODES[name])}
        told = {word for each in code(row[1]) for word in re.findall(r"[a-z_]+", each)}
        same(own - told - {"dtype"}, set(), row[0])


# --- 05b: what judgements read


@held("05b-judgements.md")
def the_sums_of_the_cases_are_those_that_are_told() -> None:
    says(chapter("05b-judgements.md"), f"the sum `{judgements.INDICES}` or `{judgements.ELEMENTS}`, which is {2**31}")


@held("05b-judgements.md")
@over(lambda: table("05b-judgements.md", "derived by |") + table("05b-judgements.md", "evaluated by |"))
def a_judgement_names_a_chapter_and_its_end(row: list[str]) -> None:
    cell = re.sub(r"`[^`]*`", "", row[2])
    where = {each.rule: each.file.removeprefix("spec/").partition("-")[0] for each in spec_text.paragraphs()}
    numbers = set(re.findall(r"\d+[a-z]?", cell))
    if "the page of the operator" not in cell:
        holds(numbers, row[2])
    own = [r for r in where if any(r.startswith(each.replace("…", "")) for each in code(row[2]))]
    for number in numbers:
        holds(any(where[rule] == number for rule in own) or number == "09", f"{number} in {row[2]}")
    told = {kind for rule in own for kind in ends().get(rule, ())}
    same(set(END.findall(row[1])) - told, set(), row[0])


# --- 06: equalities

BEYOND = re.compile(r"# not portable: (.+?) ([≐#]) (.+?) is beyond sh/required")


@held("06-shapes.md")
def what_an_example_calls_beyond_is_beyond() -> None:
    found = BEYOND.findall(chapter("06-shapes.md"))
    holds(found, "an example of what is not portable")
    for left, sign, right in found:
        holds(sign == "#" or agree(left, right), f"{left} ≐ {right}")
        same(required(parse_dim(left), parse_dim(right)), None, f"{left} ≐ {right}")


# --- 06c: the formats of laws


@held("06c-pointwise.md")
def the_laws_and_their_formats() -> None:
    listed = between(chapter("06c-pointwise.md"), "A format is one of ", ";")
    same(set(code(listed)), set(FORMATS))
    same({name for row in table("06c-pointwise.md", "| law | what is | is |") for name in code(row[0])}, set(LAWS))


# --- 08: the library functions


@held("08-effects-and-storage.md")
def every_library_function_has_its_arguments_once() -> None:
    """The row of one function under the name of another went by unseen."""
    found, space = list[str](), ""
    for row in table("08-effects-and-storage.md", "| function | arguments |"):
        for name in code(row[0]):
            space = space if name.startswith(".") else name.rpartition(".")[0]
            found.append(f"{space}{name}" if name.startswith(".") else name)
    same(sorted(name for name, count in Counter(found).items() if count > 1), [])
    same(set(LIBRARY) - set(found), set())
