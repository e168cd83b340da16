"""``explain``: what a rule or an operator says, where it lives, and cases of it.

Nothing here imports the definition but for an operator: an answer about words takes less than the imports would.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from textwrap import indent, shorten
from typing import Any

from refrelax.commands.shared import add_json, emit
from refrelax.conformance import spec_text
from refrelax.conformance.explain import ExplainedOp, home
from refrelax.conformance.explain import explain as look_up
from refrelax.conformance.nearest import spots
from refrelax.errors import UsageError

MOST_LISTED = 40
"""Rules of which a line is shown without ``--json``."""

MOST_PROGRAMS = 3
"""Rules whose cases are shown with their programs."""

MOST_TEXT = 2000
"""Characters of a program that are shown."""

MOST_OF_A_LINE = 160
"""Characters of a line of the spec that are shown."""

MOST_WHOLE = 8
"""Rules that are shown whole; of more, a line each."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", nargs="+", metavar="RULE|OP|WORDS",
        help="a rule id, an operator (R.matmul), an intrinsic (T.exp), or words: loads out of bounds",
    )  # fmt: skip
    add_json(parser)


def explain(options: argparse.Namespace) -> int:
    """What it says, where it lives, up to three cases with their programs."""
    what = " ".join(options.what)
    where = spots(what) if " " in what.strip() else ()
    try:
        found = look_up(what)
    except KeyError as error:
        if not where:
            raise UsageError(str(error.args[0])) from None
        found = ()
    if where and not isinstance(found, ExplainedOp) and not any(_says(each, where[0].text) for each in found):
        found = look_up(where[0].section) if where[0].section in spec_text.operators() else found
    rules = found.rules if isinstance(found, ExplainedOp) else found
    if options.json:
        if isinstance(found, ExplainedOp):
            emit({
                "operator": found.name, "page": found.page, "deduce": found.deduce, "evaluate": found.evaluate,
                "pure": found.pure, "accuracy": found.accuracy, "memory": found.memory,
                "semantics": found.semantics, "formula": found.formula, "tests": found.tests,
                "cases": [each.name for each in found.cases],
            })  # fmt: skip
        for each in rules:
            emit(_row(each))
        for spot in where:
            emit({"stands": spot.place, "section": spot.section, "text": spot.text})
        return 0
    for spot in where:
        print(f"{spot.place}  {spot.section}\n    | {shorten(spot.text, MOST_OF_A_LINE)}")
        if not any(_says(each, spot.text) for each in rules):
            code, tests = home(spot.place)
            for place in code:
                print(f"  code      {place}")
            for place in tests:
                print(f"  test      {place}")
    words = {word: said for word, said in spec_text.glossary().items() if word == what.lower().strip()}
    for word, said in words.items():
        print(f"{word}: {said}\n")
    row = spec_text.intrinsics().get(what.strip().removeprefix("T.")) if what.strip().startswith("T.") else None
    if row is not None:
        print(f"{what.strip()}: {row.said}\n\n  spec      {row.place}")
    if isinstance(found, ExplainedOp):
        print(f"{found.name}  ({'pure' if found.pure else 'impure'})")
        print(f"  page      spec/ops/{found.page.removesuffix('.md')}.md")
        print(f"  type      {found.deduce}\n  value     {found.evaluate}")
        print(f"  permitted {found.accuracy}\n  memory    {found.memory}")
        example = "" if found.example is None else found.example.module
        for place in found.tests:
            print(f"  test      {place}")
        for case in found.cases:
            print(f"  case      {case.name} ({case.verdict}: {case.expect}) {case.place}")
        for text in filter(None, (found.semantics, found.formula, example)):
            print("\n" + indent(text.strip("\n"), "  "))
    elif len(rules) > MOST_WHOLE:
        whole = [rules[0]] if any(_says(rules[0], spot.text) for spot in where) else []
        for each in whole:
            _print_rule(each, programs=False)
            print()
        _print_list(rules[len(whole) :])
        return 0
    for each in rules:
        _print_rule(each, programs=not isinstance(found, ExplainedOp) and len(rules) <= MOST_PROGRAMS)
    return 0


def _says(each: Any, text: str) -> bool:
    """Whether a rule's paragraph holds a passage (of which the first words are asked)."""
    return " ".join(text.split()[:9]) in " ".join((each.prose + " " + each.follows).split())


def _print_list(rules: Sequence[Any]) -> None:
    """A line a rule: its id and how its paragraph begins."""
    for each in rules[:MOST_LISTED]:
        first = re.split(r"(?<=[.:;]) ", each.prose.partition("— ")[2].replace("\n", " "))[0]
        print(f"{each.rule}  {first}")
    if len(rules) > MOST_LISTED:
        print(f"… {len(rules) - MOST_LISTED} more (--json)")
    print("\nrefrelax explain RULE says all of one")


def _row(each: Any) -> dict[str, Any]:
    cases = [{"name": c.name, "verdict": c.verdict, "expect": str(c.expect), "place": c.place} for c in each.cases]
    return {
        "rule": each.rule, "prose": each.prose, "spec": each.defined_at, "code": each.code, "tests": each.tests,
        "deviations": each.deviations, "cases": cases,
    }  # fmt: skip


def _print_rule(each: Any, programs: bool) -> None:
    print(f"\n{each.rule}\n")
    for line in (*each.prose.splitlines(), *each.follows.splitlines()):
        print(f"  {line}")
    print(f"\n  spec      {each.defined_at}")
    for place in each.code:
        print(f"  code      {place}")
    for place in each.tests:
        print(f"  test      {place}")
    for place in each.deviations:
        print(f"  TVM       does otherwise: {place}")
    for case in each.cases:
        beside = f", of {case.rule}" if each.rule not in (case.rule, case.expect.rule) else ""
        print(f"  case      {case.name} ({case.verdict}: {case.expect}{beside}) {case.place}")
        if programs:
            print(indent(case_text(case), "    | "))


def case_text(case: Any) -> str:
    """What a case runs or asks: its program, its claim."""
    question = case.question
    if question is not None:
        return "\n".join((question.claim, *(f"given {each}" for each in question.assume)))
    parts = [case.module or case.json or "", case.second or ""]
    text = "\n--- and\n".join(each.strip("\n") for each in parts if each)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT].rpartition(chr(10))[0]}\n…"
