"""Rules of an algebraic simplifier at ranks 1 and 2: proved for all sizes, and those wrong by a hair refuted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.cli import main
from tests.judge import written_rules
from tests.judge.rewrite_rules import Rule, rules, text

OPEN = {
    "slice-strided-strided",  # the product of two strides may overflow
    "reduce-max-neg",  # an extreme of negated floats
    "compare-float-never",  # an order of floats as such
    "max-neg",  # three choices by elements
    "div-mod-data",  # a division by data
    "conv1d-reverse",
    "reduce-max-max",  # floats grouped otherwise
}
"""What is proved at no rank yet."""

SIGNS = {"sub-float-zero", "add-float-minus-zero"}
"""What is wrong by the sign of a zero alone: permitted sets hold none, and the answer names ``zero-sign``."""

SIZED = {"slice-strided-strided"}
"""What is wrong at sizes alone that few rounds meet: proved at those that they drew, which is no proof."""

NOT_REFUTED = {**dict.fromkeys(SIGNS, "TESTED"), **dict.fromkeys(SIZED, "PROVED-AT")}

QUICK = (
    "slice-slice", "slice-of-concat-right", "dus-own", "concat-max", "reduce-pad", "reduce-where", "broadcast-max",
    "select-select", "div-power", "dot-zero",
)  # fmt: skip
ALL = {(rank, rule.name): rule for rank in (1, 2) for rule in rules(rank)}
ASKED = [pytest.param(*key, marks=() if key[0] == 1 and key[1] in QUICK else pytest.mark.nightly) for key in ALL]


WRITTEN = {rule.name: rule for rule in written_rules.WRITTEN}
QUICK_WRITTEN = (
    "sum-of-outer", "sum-tile", "cumsum-add", "cumsum-slice", "take-slice", "dot-eye", "triu-tril", "cast-f16",
    "sum-bool-where", "neg-mul-float", "mul-two-float", "softmax-permute",
)  # fmt: skip
ASKED_WRITTEN = [pytest.param(name, marks=() if name in QUICK_WRITTEN else pytest.mark.nightly) for name in WRITTEN]


def word(rule: Rule, right: str, text: Callable[[str, str], str] = text) -> str:
    first, second = (rr.parse(text(rule.params, side)) for side in (rule.left, right))
    return rr.validate(first, second, assume=rule.given).word


@pytest.mark.by_day(1)
@pytest.mark.parametrize(("rank", "name"), ASKED)
def test_a_rule_is_proved_and_what_is_wrong_by_a_hair_is_refuted(rank: int, name: str) -> None:
    rule = ALL[rank, name]
    found = word(rule, rule.right)
    assert found == "PROVED" or (name in OPEN and found in ("PROVED-AT", "TESTED")), found
    for each in rule.false:
        assert word(rule, each) in ("REFUTED", NOT_REFUTED.get(name)), each


@pytest.mark.by_day(1)
@pytest.mark.parametrize("name", ASKED_WRITTEN)
def test_a_rule_that_is_written_out(name: str) -> None:
    rule = WRITTEN[name]
    found = word(rule, rule.right, written_rules.text)
    assert found == "PROVED" or (name in written_rules.OPEN and found in ("PROVED-AT", "TESTED")), found
    for each in rule.false:
        assert word(rule, each, written_rules.text) == "REFUTED", each


@pytest.mark.thorough
def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = ALL[1, "slice-of-concat-left"]
    left, right, wrong = (tmp_path / f"{name}.py" for name in ("left", "right", "wrong"))
    for path, side in ((left, rule.left), (right, rule.right), (wrong, rule.false[0])):
        path.write_text(text(rule.params, side), encoding="utf-8")
    given = [word for claim in rule.given for word in ("--given", claim)]
    certificates = tmp_path / "certificates"
    assert main(["prove-rewrite", str(left), str(right), *given, "--certificates", str(certificates)]) == 0
    written = sorted(certificates.glob("[0-9]*.json"))
    assert f"{len(written)} of {len(written)} claims" in capsys.readouterr().out and written
    assert main(["certify", "--with", "checker", *map(str, certificates.iterdir())]) == 0
    capsys.readouterr()
    assert main(["prove-rewrite", str(left), str(wrong), *given, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "REFUTED"
    assert main(["prove-rewrite", str(left), str(right), *given, "--certificates", str(certificates)]) == 2


def test_what_is_no_program_or_no_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No verdict, which is no refutation; a claim is blamed on the option that it was given by."""
    rule = ALL[1, "slice-of-concat-left"]
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(text(rule.params, rule.right), encoding="utf-8")
    wrong.write_text("def main(", encoding="utf-8")
    for sides in ((wrong, right), (right, wrong)):
        assert main(["prove-rewrite", *map(str, sides)]) == 3
        assert "NO VERDICT  rejected: the program is rejected" in capsys.readouterr().out
    assert main(["prove-rewrite", str(right), str(right), "--given", "n >"]) == 2
    assert "--given 'n >'" in capsys.readouterr().err
