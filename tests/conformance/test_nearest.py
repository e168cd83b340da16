"""A sentence of the spec leads to a rule of the place where it stands, and that to tests."""

from __future__ import annotations

import random
import re

import pytest

from refrelax.conformance import spec_text
from refrelax.conformance import tie as ties
from refrelax.conformance.explain import explain
from refrelax.conformance.nearest import nearest


def sentences() -> list[tuple[str, str]]:
    """Sentences of the chapters that have rules, with the file that each stands in."""
    found = []
    for path in spec_text.chapters():
        file = path.relative_to(spec_text.spec_directory().parent).as_posix()
        text = re.sub(r"(```|<!-- made).*?(```|/made -->)", "", path.read_text("utf-8"), flags=re.S)
        paragraphs = [each for each in text.split("\n\n") if re.match(r"[A-Z*`]", each)]
        if "**`" in text:
            found += [
                (file, " ".join(s.split())) for each in paragraphs for s in re.split(r"(?<=[.])\s+(?=[A-Z])", each)
            ]
    return [(file, sentence) for file, sentence in found if len(sentence) > 60]


@pytest.mark.thorough
def test_a_sentence_leads_to_a_rule_of_its_chapter() -> None:
    """Only sentences whose every word stood in one rule were found."""
    tie, drawn = ties.read(), random.Random(0).sample(sentences(), 80)
    found = [(file, nearest(tie, sentence)) for file, sentence in drawn]
    assert sum(bool(rules) and tie.defined[rules[0]].file == file for file, rules in found) >= 72


@pytest.mark.thorough
def test_nothing_is_made_up() -> None:
    assert nearest(ties.read(), "the quick brown fox jumps over a lazy dog") == []
    assert nearest(ties.read(), "") == []


def test_a_rule_leads_to_tests() -> None:
    """A rule that no test names showed none."""
    (found,) = explain("sh/simplify-under-assumptions")  # type: ignore[misc]
    assert found.tests and all(each.startswith("tests/") for each in found.tests)
