"""Answers to the whole suite: every case with what is said of it, acceptances and refusals counted in pairs.

An implementation that accepts everything, or refuses everything, tells nothing apart. A case that is only checked
counts as passed if another one, as near as can be, was answered rightly the other way.

Spec: ``spec/01-conformance.md``, *Refusals and acceptances count in pairs*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from refrelax.conformance.cases import REJECTIONS
from refrelax.conformance.judged import Word
from refrelax.conformance.suite.judge import Answer, judge
from refrelax.conformance.suite.records import Record


@dataclass(frozen=True, slots=True)
class Scored:
    """A record, what is said of the answer to it, and why where it is not passed; ``found`` is how the answer ends,
    where there is one."""

    record: Record
    word: Word
    why: str
    seconds: float = 0.0
    found: str | None = None


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
        ways, refused = (returned, False) if traps(record) else (right, not refuses(record))
        word, why = settled(record, *said[record["name"]], partial(_partners, record, ways, refused))
        answer = answers.get(record["name"], {})
        yield Scored(record, word, why, _seconds(answer.get("seconds")), _end(answer.get("end")))


Partners = Callable[[], Iterable[bool] | None]
"""Which answers to the partners of a case are right; ``None`` where it has none."""


def settled(record: Record, word: Word, why: str, partners: Partners) -> tuple[Word, str]:
    """What is said of a case in the end: a pass that the answers to its ``partners`` make worth nothing is none."""
    if word != "passed" or not (traps(record) or only_checked(record)):
        return word, why
    found = partners()
    if traps(record):
        if found is None or any(found):
            return word, why
        return "not judged", f"it returns from no run that keeps {record['rule']}, so its trap says nothing"
    if found is not None and any(found):
        return word, why
    does = "accepts no module that keeps" if refuses(record) else "refuses no module that breaks"
    return "not judged", f"it {does} {record['rule']}, so its answer here says nothing"


def _seconds(told: object) -> float:
    """The time of an answer; whatever else stands there is none."""
    if not isinstance(told, int | float) or isinstance(told, bool) or not abs(told) < LONGEST:
        return 0.0
    return float(told)


def _end(told: object) -> str | None:
    """How an answer ends; whatever else stands there is no end."""
    return told if isinstance(told, str) else None


LONGEST = 10**9
"""Seconds that no answer takes."""


def only_checked(record: Record) -> bool:
    """Whether a case is right or wrong by a yes or no alone."""
    return bool(record["ask"] == "check") or refuses(record)


def refuses(record: Record) -> bool:
    """Whether the text refuses the module of a case."""
    return str(record["expect"]).split()[0] in REJECTIONS


def traps(record: Record) -> bool:
    """Whether the run of a case is a trap."""
    return str(record["expect"]).split()[0] == "Trapped"


def are_partners(record: Record, other: Record) -> bool:
    """Whether a right answer to ``other`` gives worth to one to ``record``."""
    way = other["expect"] == "Returned" if traps(record) else refuses(other) != refuses(record)
    return may_be_partner(other) and way


SILENT = ("unsupported", "excluded")
"""What is said of answers that are nobody's partners: whoever has no reader of text, say, is asked about one side of a
rule of syntax alone."""


def keys(record: Record) -> tuple[str, str, str]:
    """Where partners are looked for, one after the other: in the rule, its area, the suite."""
    rule = str(record["rule"])
    return rule, f"{rule.partition('/')[0]}/", ""


def may_be_partner(record: Record) -> bool:
    """Whether an answer to a case tells something about an acceptance or refusal elsewhere."""
    return bool(record["ask"] != "prove") and str(record["expect"]).split()[0] != "Unlinkable"


Ways = dict[tuple[str, bool], list[bool]]
"""By a rule, an area or nothing, for acceptances (false) and refusals: which were right."""


def _partners(record: Record, ways: Ways, refused: bool) -> list[bool] | None:
    """Those of the rule of ``record``, or else of its area, or else any; ``None`` where there is none."""
    return next((found for key in keys(record) if (found := ways.get((key, refused)))), None)


def _right_ways(records: list[Record], said: Mapping[str, tuple[Word, str]]) -> Ways:
    """By rule, by area and over all: for acceptances and refusals, which were right."""
    found: Ways = {}
    for record in records:
        word = said[record["name"]][0]
        if not may_be_partner(record) or word in SILENT:
            continue
        for key in keys(record):
            found.setdefault((key, refuses(record)), []).append(word == "passed")
    return found
