"""What came of a suite: a table by chapter, JUnit's XML, one JSON object a case.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any
from xml.etree import ElementTree

from refrelax.conformance import spec_text
from refrelax.conformance.judged import FAULTS, WORDS
from refrelax.conformance.suite.pairs import Scored


@cache
def chapters() -> dict[str, str]:
    """The chapter of every rule: the file of the spec, without its suffix."""
    return {each.rule: each.file.removeprefix("spec/").removesuffix(".md") for each in spec_text.paragraphs()}


def row(scored: Scored) -> dict[str, Any]:
    """A case as a JSON object; ``found`` is null where nobody's answer was data."""
    record = scored.record
    return {
        "case": record["name"], "rule": record["rule"], "chapter": chapters().get(record["rule"], ""),
        "profile": record.get("profile"), "expected": record["expect"], "found": scored.found,
        "passed": scored.word == "passed", "verdict": scored.word, "why": scored.why, "seconds": scored.seconds,
    }  # fmt: skip


def board(scored: Iterable[Scored]) -> list[str]:
    """A line for each chapter: how many cases of it ended how; shares are of what was judged."""
    counts: dict[str, Counter[str]] = {}
    for each in scored:
        counts.setdefault(chapters().get(each.record["rule"], "other"), Counter())[each.word] += 1
    width = max((len(each) for each in counts), default=0)
    lines, silent = list[str](), Counter[str]()
    for chapter, found in sorted(counts.items()):
        judged = found["passed"] + sum(found[word] for word in FAULTS)
        if set(found) == {"unsupported"}:
            silent[chapter] = found["unsupported"]
            continue
        share = f"{100 * found['passed'] / judged:5.1f} %" if judged else "      -"
        rest = ", ".join(f"{found[word]} {word}" for word in WORDS if found[word] and word != "passed")
        lines.append(
            f"{chapter:<{width}}  {found['passed']:4} of {judged:4} passed {share}" + (f"  ({rest})" if rest else "")
        )
    if silent:
        lines.append(f"{'in all others':<{width}}  {silent.total():4} unsupported, in {len(silent)} chapters")
    return lines


def lacks(scored: Iterable[Scored], most: int = 8) -> list[str]:
    """What an implementation says that it does not have, by how many cases ask for it; the first ``most``."""
    reasons = Counter(each.why for each in scored if each.word == "unsupported" and each.why)
    if not reasons:
        return []
    listed = [f"{why} ({count})" for why, count in reasons.most_common(most)]
    return [f"asked for most: {', '.join(listed)}" + (", …" if len(reasons) > most else "")]


def junit(scored: Iterable[Scored]) -> str:
    """The XML that continuous integration reads: what failed or was refused fails, what was not judged is skipped."""
    listed = list(scored)
    failed = sum(each.word in FAULTS for each in listed)
    skipped = sum(each.word not in FAULTS and each.word != "passed" for each in listed)
    suite = ElementTree.Element(
        "testsuite", name="refrelax", tests=str(len(listed)), failures=str(failed), skipped=str(skipped)
    )
    for each in listed:
        area, _, name = each.record["name"].partition("/")
        case = ElementTree.SubElement(suite, "testcase", classname=area, name=name, time=f"{each.seconds:.6f}")
        if each.word != "passed":
            kind = "failure" if each.word in FAULTS else "skipped"
            told = ElementTree.SubElement(case, kind, message=_printable(f"{each.word}: {each.why}"))
            told.text = _printable(_facts(each))
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def _facts(scored: Scored) -> str:
    """The rule of a case, what was expected, and how the answer ends."""
    found = "" if scored.found is None else f"\nfound: {scored.found}"
    return f"rule: {scored.record['rule']}\nexpected: {scored.record['expect']}{found}"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
