"""``docs/howto-prove.md`` shows what the commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from refrelax.cli import main
from refrelax.interop.tvm.analyzer import TvmAnalyzer
from refrelax.shape_solver import prove

HOWTO = Path(__file__).parents[2] / "docs" / "howto-prove.md"
COMMANDS = [
    (command, shown.splitlines())
    for block in re.findall(r"```console\n(.*?)```", HOWTO.read_text(encoding="utf-8"), re.DOTALL)
    for command, _, shown in (part.partition("\n") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:])
]


def test_the_commands_print_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three dots stand for the rest of a line."""
    monkeypatch.chdir(tmp_path)
    assert len(COMMANDS) >= 7
    for command, shown in COMMANDS:
        program, *arguments = shlex.split(command)
        assert program == "refrelax" and main(arguments) in (0, 1)
        printed = capsys.readouterr().out.splitlines()
        assert len(printed) == len(shown), (command, printed)
        for line, wanted in zip(printed, shown):
            start, dots, _ = wanted.partition("...")
            assert line.startswith(start) if dots else line == wanted, command


ROWS = [
    (row[0].strip("`").replace("\\|", "|"), re.findall(r"`([^`]+)`", row[1]), row[2])
    for row in re.findall(
        r"^\| (`.+?`) \| (.*?) \| (PROVED|REFUTED) \|$", HOWTO.read_text(encoding="utf-8"), re.MULTILINE
    )
]


@pytest.mark.parametrize(("claim", "assume", "said"), ROWS)
def test_the_worked_claims(claim: str, assume: list[str], said: str) -> None:
    assert type(prove(claim, assume)).__name__.upper() == said


def test_the_worked_claims_are_as_many_as_is_said() -> None:
    text, true = HOWTO.read_text(encoding="utf-8"), [said for _, _, said in ROWS].count("PROVED")
    assert "## Forty-five worked claims" in text and len(ROWS) == 45 and f"of the {true} true claims" in text


@pytest.mark.tvm
def test_the_worked_claims_beside_tvms_analyzer() -> None:
    """What the page says of TVM: so many of the true claims proved, none contradicted."""
    analyzer = TvmAnalyzer()
    try:
        opinions = [(said, analyzer.opinion(claim, assume, prove(claim, assume))) for claim, assume, said in ROWS]
    finally:
        analyzer.close()
    assert not any(opinion.disagrees or opinion.verdict == "FAILED" for _, opinion in opinions), opinions
    of_the_true = [opinion.verdict for said, opinion in opinions if said == "PROVED"]
    told = re.search(r"of the (\d+) true claims it proves (\d+)", HOWTO.read_text(encoding="utf-8"))
    assert told is not None and (len(of_the_true), of_the_true.count("PROVED")) == tuple(map(int, told.groups()))
