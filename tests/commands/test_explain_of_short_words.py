"""A few common words of a sentence, which many rules have, show the rule that says the sentence whole."""

from __future__ import annotations

import pytest

from refrelax.cli import main


@pytest.mark.thorough
def test_the_rule_around_the_words_is_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "by calls, or by one of a value or"]) == 0
    said = capsys.readouterr().out
    assert "/capture-static\n\n" in said
    assert "  code      " in said
    assert "  case      " in said
    assert "explain RULE says all of one" in said  # the others, a line each
