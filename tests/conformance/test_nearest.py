"""A sentence of the spec leads to a rule of the place where it stands, and that to tests."""

from __future__ import annotations

import random
import re
from typing import cast

import pytest

from refrelax.conformance import spec_text
from refrelax.conformance import tie as ties
from refrelax.conformance.citations import naming
from refrelax.conformance.explain import Explained, ExplainedOp, explain
from refrelax.conformance.nearest import nearest, spots


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
    found = [(file, nearest(sentence)) for file, sentence in drawn]
    assert sum(bool(rules) and tie.defined[rules[0]].file == file for file, rules in found) >= 72


@pytest.mark.thorough
def test_prose_of_a_chapter_without_rules_leads_to_what_it_names() -> None:
    assert nearest("Where *x* is a vector the function is applied to every lane.")[0] == "ev/intrinsic"
    assert nearest("what is an empty conjunction is left out of these, with its excuse")[0] == "sh/certificate"


@pytest.mark.thorough
def test_every_rule_is_shown_with_a_case() -> None:
    tie = ties.read()
    about = {name for case in tie.cases for name in (case.rule, case.expect.rule)}
    alone = [rule for rule in tie.defined if rule not in about]
    assert alone and all(each.cases for rule in alone[::30] for each in cast(tuple[Explained, ...], explain(rule)))


@pytest.mark.thorough
def test_nothing_is_made_up() -> None:
    assert nearest("the quick brown fox jumps over a lazy dog") == []
    assert nearest("") == []


def test_a_rule_leads_to_tests() -> None:
    """A rule that no test names showed none."""
    (found,) = explain("sh/simplify-under-assumptions")  # type: ignore[misc]
    assert found.tests and all(each.startswith("tests/") for each in found.tests)


@pytest.mark.thorough
def test_an_operator_is_found_by_its_last_name() -> None:
    """``softmax`` showed a rule about floats and a library function, and not the operator."""
    found = explain("softmax")
    assert isinstance(found, ExplainedOp) and found.name == "relax.nn.softmax"
    assert not isinstance(explain("broadcast"), ExplainedOp)


@pytest.mark.thorough
def test_an_intrinsic_is_its_row_and_its_rules() -> None:
    """``T.exp`` listed 34 rules with an *expression* in them."""
    rows = spec_text.intrinsics()
    assert "; ulps 4; examples `exp(1.0)` = `2.7182817`" in rows["exp"].said and rows["exp"].rules[0].endswith(
        "/permitted-ulps"
    )
    assert {name for row in rows.values() for name in row.rules} <= ties.read().defined.keys()
    assert [each.rule for each in cast(tuple[Explained, ...], explain("T.exp"))] == list(rows["exp"].rules)


def test_a_word_is_no_part_of_another() -> None:
    """What was asked about ties was answered by quotients."""
    found = [each.rule for each in cast(tuple[Explained, ...], explain("tie"))]
    assert any(rule.endswith("/round-once") for rule in found) and not any("quotient" in rule for rule in found)


@pytest.mark.thorough
def test_a_word_of_others_leads_to_the_rules_that_say_it_here() -> None:
    table = spec_text.words_of_others()
    assert len(table) >= 18 and "denormal" in table
    known = ties.read().defined
    for word, rules in table.items():
        assert rules and known.keys() >= set(rules), word
        found = explain(word.upper())
        assert isinstance(found, tuple) and [each.rule for each in found] == rules


@pytest.mark.by_day(1)
@pytest.mark.parametrize(
    ("words", "file", "section"),
    [
        ("A sum of n items makes n - 1 roundings", "spec/02-values.md", "Why the any-order bound holds"),
        ("two traps agree, whatever their rules", "spec/09-outcomes.md", "Agreement"),
        ("Symbols of the callee and of the caller never meet", "spec/05-types.md", "Calls"),
        ("agree traps two rules whatever", "spec/09-outcomes.md", "Agreement"),
    ],
)
def test_words_have_a_place(words: str, file: str, section: str) -> None:
    """A sentence that no rule says led to the rules near it, and not to itself."""
    (found,) = spots(words)
    path, _, line = found.place.rpartition(":")
    assert (path, found.section) == (file, section)
    said = (spec_text.spec_directory().parent / path).read_text("utf-8").splitlines()[int(line) - 1 :]
    assert found.text.split()[:6] == " ".join(said)[" ".join(said).index(found.text[:20]) :].split()[:6]


def test_what_stands_behind_a_rule_leads_to_it() -> None:
    """A sentence behind a rule's table led to the rule that follows, which is a line nearer."""
    found = nearest("For formats of fewer than 8 significant bits the allowance is 1")
    assert found[0] == "num/permitted-ulps"


def test_words_that_stand_nowhere_have_no_place() -> None:
    assert spots("the quick brown fox jumps over a lazy dog") == ()


@pytest.mark.parametrize(
    ("sentence", "rule"),
    [
        ("One of its fields 1 to 8 that was not set is `st/never-written`.", "ev/tensor-descriptor"),
        ("A conversion to bool is the operand if that is a truth, else `1 - (a == 0)`.", "sh/cast"),
    ],
)
def test_the_rule_that_says_a_sentence_comes_first(sentence: str, rule: str) -> None:
    """Rules that hold its words often, somewhere, came before the one that says it."""
    assert cast(tuple[Explained, ...], explain(sentence))[0].rule == rule


@pytest.mark.thorough
def test_what_names_a_rule_is_found_in_the_files_that_may() -> None:
    """``explain`` parses those alone; ``scan`` parses all."""
    tie = ties.read()
    drawn = random.Random(0).sample(sorted(tie.defined), 80)
    assert any(each.dynamic for rule in drawn for each in naming(rule, tie.areas))
    for rule in drawn:
        assert naming(rule, tie.areas) == [each for each in tie.code if each.names(rule)]


@pytest.mark.by_day(1)
@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("match cast", "ev/match-cast"),
        ("dead code", "lo/overwrites"),  # the first rule under the heading
        ("library dispatch", "lo/dispatch"),
        ("padding", "op.conv_transpose/output-padding"),
        ("index arithmetic", "ld/index-arithmetic"),
    ],
)
def test_words_lead_to_what_is_called_so(words: str, rule: str) -> None:
    """``match cast`` led to the rule of symbols, whose paragraph has both words, and dead code to an equality."""
    assert cast(tuple[Explained, ...], explain(words))[0].rule == rule


def test_an_ending_that_doubles_a_letter_is_one() -> None:
    rules = {each.rule for each in cast(tuple[Explained, ...], explain("padding"))}
    assert {"op.nn.pad/mode", "op.nn.pad/range"} <= rules


def test_words_of_an_operator_are_the_operator() -> None:
    found = explain("layer norm")
    assert isinstance(found, ExplainedOp) and found.name == "relax.nn.layer_norm"
