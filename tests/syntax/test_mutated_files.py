"""The command line on mutated files: an exit code and messages, never a traceback and never "a fault of refrelax"."""

from __future__ import annotations

from pathlib import Path

import pytest

from refrelax import cli

from .mutations import mutant

COMMANDS = (
    "parse {f}", "check {f}", "check --explain --json {f}", "fmt {f}",
    "run {f} --random 0 --steps 2000 --elements 20000", "lower {f}", "trace {f} --random 0 --dim n=2",
)  # fmt: skip


def findings(numbers: range, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    found = []
    for number in numbers:
        path = tmp_path / "m.py"
        path.write_bytes(mutant(number).encode("utf-8", "surrogateescape"))
        line = COMMANDS[number % len(COMMANDS)].format(f=path)
        try:
            code = cli.main(line.split())
        except Exception as error:
            found.append(f"{number}: {line}: {type(error).__name__}: {error}")
            continue
        out, err = capsys.readouterr()
        if code not in (0, 1, 2, 3) or "a fault of refrelax" in err or "Traceback" in out + err:
            found.append(f"{number}: {line}: exit {code}: {err[-300:]}")
    return found


@pytest.mark.thorough
def test_commands_on_mutated_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not findings(range(140), tmp_path, capsys)


@pytest.mark.nightly
def test_commands_on_many_mutated_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not findings(range(10_000), tmp_path, capsys)
