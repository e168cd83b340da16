"""Answers to the whole suite: every case with what is said of it, acceptances and refusals counted in pairs.

An implementation that accepts everything, or refuses everything, tells nothing apart. A case that is only checked
counts as passed if another one, as near as can be, was answered rightly the other way.

Spec: ``spec/01-conformance.md``, *Refusals and acceptances count in pairs*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from refrelax.conformance.cases import REJECTIONS
from refrelax.conformance.judged import Word
from refrelax.conformance.suite.judge import Answer, judge
from refrelax.conformance.suite.records import Record


@dataclass(frozen=True, slots=True)
class Scored:
    """A record, what is said of the answer to it, and why where it is not passed."""

    record: Record
    word: Word
    why: str
    seconds: float = 0.0


def score(records: Iterable[Record], answers: Mapping[str, Answer]) -> Iterator[Scored]:
    """What is said of every case; ``answers`` by the name of the case."""
    listed = list(records)
    said: dict[str, tuple[Word, str]] = {}
    for record in listed:
        answer = answers.get(record["name"])
        said[record["name"]] = ("not judged", "there is no answer") if answer is None else judge(record, answer)
    right = _right_ways(listed, said)
    returned = _right_ways([each for each in listed if each["expect"] == "Returned"], said)
    for record in listed:
        word, why = said[record["name"]]
        if word == "passed" and traps(record) and not any(_partners(record, returned, False) or (True,)):
            word, why = "not judged", f"it returns from no run that keeps {record['rule']}, so its trap says nothing"
        elif word == "passed" and only_checked(record):
            refused = refuses(record)
            partners = _partners(record, right, not refused)
            if partners is None or not any(partners):
                does = "accepts no module that keeps" if refused else "refuses no module that breaks"
                word, why = "not judged", f"it {does} {record['rule']}, so its answer here says nothing"
        yield Scored(record, word, why, float(answers.get(record["name"], {}).get("seconds", 0.0)))


def only_checked(record: Record) -> bool:
    """Whether a case is right or wrong by a yes or no alone."""
    return bool(record["ask"] == "check") or refuses(record)


def refuses(record: Record) -> bool:
    """Whether the text refuses the module of a case."""
    return str(record["expect"]).split()[0] in REJECTIONS


def traps(record: Record) -> bool:
    """Whether the run of a case is a trap."""
    return str(record["expect"]).split()[0] == "Trapped"


def may_be_partner(record: Record) -> bool:
    """Whether an answer to a case tells something about an acceptance or refusal elsewhere."""
    return bool(record["ask"] != "prove") and str(record["expect"]).split()[0] != "Unlinkable"


Ways = dict[tuple[str, bool], list[bool]]
"""By a rule, an area or nothing, for acceptances (false) and refusals: which were right."""


def _partners(record: Record, ways: Ways, refused: bool) -> list[bool] | None:
    """Those of the rule of ``record``, or else of its area, or else any; ``None`` where there is none."""
    area = f"{str(record['rule']).partition('/')[0]}/"
    return next((found for key in (record["rule"], area, "") if (found := ways.get((key, refused)))), None)


def _right_ways(records: list[Record], said: Mapping[str, tuple[Word, str]]) -> Ways:
    """By rule, by area and over all: for acceptances and refusals, which were right."""
    found: Ways = {}
    for record in records:
        word = said[record["name"]][0]
        if not may_be_partner(record) or word in ("unsupported", "excluded"):
            continue  # whoever has no reader of text, say, is asked about one side of a rule of syntax alone
        rule = str(record["rule"])
        for key in (rule, f"{rule.partition('/')[0]}/", ""):
            found.setdefault((key, refuses(record)), []).append(word == "passed")
    return found
