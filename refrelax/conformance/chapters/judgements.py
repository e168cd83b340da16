"""The tables of chapters 05b and 06 are run: index or element at each position, what must be shown of equality."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from refrelax.conformance.cases import Case, Expectation, load
from refrelax.conformance.chapters.held import chapter, held, holds, over, same, table
from refrelax.conformance.run import run_case
from refrelax.semantics.dims.equal import equal
from refrelax.semantics.dims.facts import Facts
from refrelax.semantics.dims.required import required
from refrelax.semantics.types.lattice import Check
from refrelax.shape_solver.parse import parse_dim

# --- 05b: index or element

INDICES, ELEMENTS = "i + 2147483647", "D[0] + i"
POISON = "T.shift_right(D[0], 40 + i)"
"""The sum of a case, made of indices and of elements, and an element that is poison."""


def positions() -> list[list[str]]:
    return table("05b-judgements.md", "| node | position | made of indices | of elements |")


@cache
def cases() -> dict[str, Case]:
    return {c.name.split("/")[1]: c for c in load() if c.name.startswith("index_or_element/")}


def with_sum(row: list[str], expression: str) -> Case:
    """The first case that the row names, with another sum."""
    named = re.findall(r": `([a-z-]+)`", " ".join(row[2:]))
    case = cases()[named[0]]
    assert case.module is not None
    text = case.module.replace(INDICES, expression).replace(ELEMENTS, expression)
    return replace(case, module=text, value=None, expect=Expectation("Returned", None))


@held("05b-judgements.md")
@over(positions)
def a_position_is_of_an_index_or_of_an_element(row: list[str]) -> None:
    """A sum that leaves its dtype ends the run where an index stands, and wraps where an element does."""
    for cell, expression in ((row[2], INDICES), (row[3], ELEMENTS)):
        word = re.match(r"index|element", cell)
        assert word is not None, cell
        found = run_case(with_sum(row, expression)).found
        same(found, "Returned" if word[0] == "element" else "Unspecified ld/index-overflow", (row, expression))


@held("05b-judgements.md")
@over(positions)
def poison_ends_what_is_an_index(row: list[str]) -> None:
    ends = row[3].startswith("index") or "poison in it leaves the run open" in row[3]
    found = run_case(with_sum(row, POISON)).found
    same(found, "Unspecified num/shift-range" if ends else "Returned", row)


@held("05b-judgements.md")
def the_grades() -> None:
    said = re.search(r"to the grade \*g\*: (.*?) \|", chapter("05b-judgements.md"))
    assert said is not None
    same(re.findall(r"`(\w+)`", said[1]), [each.name for each in sorted(Check, reverse=True)])


# --- 06: what must be shown


def rules() -> list[list[str]]:
    return table("06-shapes.md", "| rule | premises | conclusion | for example |")


def beyond() -> list[str]:
    return re.findall(
        r"`([^`]+)`", chapter("06-shapes.md").partition("Beyond it are, for example: ")[2].partition("\n")[0]
    )


NAMES = (
    "reflexivity", "symmetry", "transitivity", "congruence", "ring", "value", "quotient", "remainder", "extreme", "let",
    "difference",
)  # fmt: skip


OF_RULE = {
    "quotient": "//",
    "remainder": "% ",
    "extreme": r"\b(min|max)\(",
    "let": r"T\.Let\(",
    "value": r"\d ≐ -?\d|\) ≐ -?\d",
}
"""What stands in the examples of a rule."""


def asked(judgement: str) -> tuple[bool | None, bool | None, bool]:
    """What must be shown of a judgement, what the reference shows, and what the text says."""
    left, sign, right = re.split(r" ([≐#]) ", judgement)
    a, b = parse_dim(left), parse_dim(right)
    same(required(a, b), required(b, a))
    return required(a, b), equal(a, b, Facts()), sign == "≐"


@held("05b-judgements.md")
def what_must_be_shown_is_shown() -> None:
    same([row[0] for row in rules()], [*NAMES])
    for name, _, conclusion, examples in rules():
        same("#" in conclusion, name == "difference")
        found = re.findall(r"`([^`]+)`", examples)
        holds(found, name)
        for each in found:
            same("#" in each, name == "difference", each)
            holds(re.search(OF_RULE.get(name, ""), each), f"an example of {name}: {each}")
            must, shown, says = asked(each)
            holds(must is says, each)
            holds(shown is says, each)


@held("05b-judgements.md")
@over(beyond)
def what_need_not_be_shown(judgement: str) -> None:
    must, shown, says = asked(judgement)
    holds(must is None)
    holds(shown is says)
