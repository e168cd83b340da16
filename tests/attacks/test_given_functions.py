"""Functions that the user gives: those that end the process, and those that nobody calls, are no good news."""

from __future__ import annotations

from pathlib import Path

import pytest

from refrelax.cli import main

pytest.importorskip("numpy")

PROGRAM = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function(private=True)
    def twice(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"Contract": "library.twice"})
        y = R.add(x, x)
        return y

    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        y = R.call_dps_packed("library.twice", (x,), out_ty=R.Tensor((n,), "float32"))
        return y
"""

LIBRARY = """
import sys

def leaves(x, out):
    sys.exit(0)

def fails(x, out):
    raise ValueError("no\\nway")

def wrong(x, out):
    out.assign(x.numpy())
"""


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("m.py").write_text(PROGRAM)
    Path("impl.py").write_text(LIBRARY)
    Path("leaves.py").write_text("raise SystemExit(0)")
    return ["diff", "m.py", "--impl", "numpy", "--random", "1", "--dim", "n=3"]


def test_a_function_that_ends_the_process(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """It ended with 0, which is AGREE, and said nothing."""
    assert main([*command, "--extern", "library.twice=impl.py:leaves"]) == 3
    assert "code that was given ended the process: SystemExit(0)" in capsys.readouterr().err


@pytest.mark.parametrize("command_name", ["run", "trace"])
def test_a_function_that_raises(command: list[str], capsys: pytest.CaptureFixture[str], command_name: str) -> None:
    """It was called a fault of refrelax, to be reported."""
    Path("m.py").write_text(PROGRAM.replace('        R.func_attr({"Contract": "library.twice"})\n', ""))
    given = [command_name, "m.py", *command[4:], "--extern"]
    assert main([*given, "library.twice=impl.py:fails"]) == 3
    assert capsys.readouterr().err == "refrelax: --extern: impl.py:8: fails raised ValueError: no\n"
    assert main([*given, "library.twise=impl.py:wrong"]) == 2
    assert "the program calls no library function library.twise" in capsys.readouterr().err


def test_a_file_that_ends_the_process(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--extern", "library.twice=leaves.py:f"]) == 2
    assert "--extern: leaves.py: SystemExit: 0" in capsys.readouterr().err


def test_a_name_that_nobody_calls(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The function that was to be judged was never called, since its name was misspelt: AGREE, by the contract."""
    assert main([*command, "--extern", "library.twise=impl.py:wrong"]) == 2
    assert "the program calls no library function library.twise; these are called: library.twice" in (
        capsys.readouterr().err
    )
    assert main([*command, "--extern", "library.twice=impl.py:wrong"]) == 1
