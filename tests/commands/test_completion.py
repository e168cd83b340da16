"""What a shell completes is what the parsers take; bash is asked as bash asks."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from refrelax.cli import main
from refrelax.commands import COMMANDS
from refrelax.commands.completion import SHELLS, names, table

ASK = """
refrelax() {{ "{python}" -m refrelax "$@"; }}
source {script}
while IFS= read -r line; do
  read -ra COMP_WORDS <<< "$line"
  [[ "$line" == *" " ]] && COMP_WORDS+=("")
  COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
  _refrelax
  echo "${{COMPREPLY[*]}}"
done
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shell") / "bash"
    path.write_text(SHELLS["bash"](table()), encoding="utf-8")
    return path


def completed(script: Path, *lines: str) -> list[list[str]]:
    """What bash completes each line to; a space at the end begins a new word."""
    done = subprocess.run(
        ["bash", "-c", ASK.format(python=sys.executable, script=script)],
        input="".join(f"{line}\n" for line in lines), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert not done.stderr, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def test_bash_completes_commands_options_and_values(script: Path) -> None:
    commands, started, options, readings, shells, values, files = completed(
        script, "refrelax ", "refrelax va", "refrelax run --nu", "refrelax run m.py --numerics ",
        "refrelax completion ", "refrelax lower m.py --effort q", "refrelax check ",
    )  # fmt: skip
    assert set(commands) == {*COMMANDS, "--help", "--version"} and started == ["validate"]
    assert options == ["--numerics"] and {"ieee", "enclosure", "symbolic"} <= set(readings)
    assert shells == [*SHELLS, "words"] and values == ["quick"]
    assert files == []  # bash's own: names of files


def test_every_option_of_every_command_is_completed(script: Path) -> None:
    known = table()
    asked = completed(script, *(f"refrelax {name} --" for name in known))
    for (name, (_, choices)), found in zip(known.items(), asked, strict=True):
        assert {each.name for each in choices if each.name.startswith("--")} == set(found), name


@pytest.mark.thorough
def test_rules_and_operators_are_completed(script: Path) -> None:
    rules, operators = completed(script, "refrelax explain ev/match-cast", "refrelax explain R.matm")
    assert {"ev/match-cast", "ev/match-cast-mismatch"} <= set(rules) and operators == ["R.matmul"]
    assert len(names()) == len(set(names()))


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in COMMANDS) and "numerics" in said
    if (program := shutil.which(shell)) is not None:
        subprocess.run([program, "-n"], input=said, text=True, check=True)
