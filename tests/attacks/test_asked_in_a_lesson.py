"""What a class asks for: words without quotes, unknowns in a trace."""

from __future__ import annotations

import pytest

from refrelax.cli import main


def test_words_are_asked_for_without_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    """``refrelax explain loads out of bounds`` was a usage error."""
    assert main(["explain", "loads", "out", "of", "bounds"]) == 0
    bare = capsys.readouterr().out
    assert main(["explain", "loads out of bounds"]) == 0
    assert bare == capsys.readouterr().out
