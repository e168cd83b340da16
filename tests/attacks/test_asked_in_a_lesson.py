"""What a class asks for: words without quotes, unknowns in a trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from refrelax.cli import main

pytestmark = pytest.mark.thorough


def test_words_are_asked_for_without_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    """``refrelax explain loads out of bounds`` was a usage error."""
    assert main(["explain", "loads", "out", "of", "bounds"]) == 0
    bare = capsys.readouterr().out
    assert main(["explain", "loads out of bounds"]) == 0
    assert bare == capsys.readouterr().out


@pytest.mark.parametrize("command", ["run", "trace"])
def test_unknowns_stand_in_every_command(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``trace --random --numerics symbolic`` showed numbers, and said it was symbolic."""
    path = tmp_path / "m.py"
    path.write_text("@R.function\ndef main(x: R.Tensor((2,), 'float32')):\n    y = R.add(x, x)\n    return y\n")
    assert main([command, str(path), "--random", "0", "--numerics", "symbolic"]) == 0
    assert "value" in (out := capsys.readouterr().out) and "x[1] + x[1]" in out and "0." not in out
