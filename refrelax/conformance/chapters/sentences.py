"""Words in sentences that name an end, and rows that name rules beside code: each is asked of cases and citations.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from refrelax.conformance import cases, citations, spec_text
from refrelax.conformance.chapters.held import code, held, holds, numbered, over, same, table
from refrelax.conformance.spec_text import ID, Paragraph

END = re.compile(rf"`({'|'.join((*cases.REJECTIONS, *cases.ENDS))})\b[^`]*`")
_REFUSED = re.compile(r"\b(?:refused|rejected) as `(\w+)`")


@cache
def ends() -> Mapping[str, frozenset[str]]:
    """How the cases that are about a rule, or end by it, end."""
    found: dict[str, set[str]] = defaultdict(set)
    for case in (*cases.load(), *cases.load_examples()):
        for rule in {case.rule, case.expect.rule} - {None}:
            found[str(rule)].add(case.expect.kind)
    return {rule: frozenset(kinds) for rule, kinds in found.items()}


def of_chapters() -> list[Paragraph]:
    """The paragraphs of the chapters with a number; those of operators are made."""
    return [each for each in spec_text.paragraphs() if "/ops/" not in each.file]


@held("09-outcomes.md")
@over(of_chapters)
def a_rule_ends_as_a_case_of_it_does(paragraph: Paragraph) -> None:
    """`Trapped` in the place of `Unspecified` went by unseen."""
    text = f"{paragraph.text}\n{spec_text.following(paragraph)}"
    rules = {paragraph.rule, *re.findall(rf"`({ID})`", text)}
    known = set[str]().union(*(ends().get(rule, frozenset()) for rule in rules))
    same(set(END.findall(text)) - known, set(), paragraph.rule)


@held("09-outcomes.md")
def what_is_refused_is_refused_by_a_rejection() -> None:
    for path in numbered():
        for word in _REFUSED.findall(path.read_text("utf-8")):
            holds(word in cases.REJECTIONS, f"{path.name}: refused as `{word}`")


# --- 05b: where a judgement is derived


JUDGED = (
    "| judgement | reads | chapter, rules | derived by |",
    "| judgement | reads | chapter, rules | evaluated by |",
)
HOMES = ("", "semantics/", "semantics/dims/")
"""What the places of those tables are counted from, inside the package."""


@held("05b-judgements.md")
@over(lambda: [row for head in JUDGED for row in table("05b-judgements.md", head)])
def a_judgement_is_derived_where_its_rules_are(row: list[str]) -> None:
    """`06, sh/value` in the row of graph-level expressions went by unseen."""
    rules = [each for each in code(row[2]) if not each.startswith("op.")]
    for rule in rules:
        found = {each.file for each in _naming(rule.replace("…", ""))}
        homes = {f"refrelax/{home}{place}" for home in HOMES for place in code(row[3])}
        holds(any(file.startswith(tuple(homes)) for file in found), f"{rule} in {row[3]}")


@cache
def _cited() -> tuple[citations.Citation, ...]:
    return tuple(citations.scan(areas=spec_text.areas()))


def _naming(start: str) -> Iterable[citations.Citation]:
    whole = not start.endswith(("/", "-"))
    return [each for each in _cited() if each.rule == start or (not whole and each.rule.startswith(start))]
