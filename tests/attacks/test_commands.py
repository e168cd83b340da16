"""Commands that were given too little: no good word, and nobody is blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

import refrelax as rr
from refrelax.cli import main
from refrelax.interop.tvm import TvmPasses, find_python

TWO = (
    "@I.ir_module\nclass Module:\n    @R.function\n"
    "    def main(x: R.Tensor((3,), 'float32'), y: R.Tensor((3,), 'float32')):\n        return R.add(x, y)\n"
)


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "m.py").write_text(TWO)
    return str(tmp_path / "m.py")


@pytest.mark.parametrize("command", [["diff", "--impl", "numpy"], ["bisect", "--impl", "refrelax"]], ids=" ".join)
def test_arguments_forgotten(command: list[str], path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Both sides trapped on the number of arguments: AGREE, NONE, 0."""
    assert main([command[0], path, *command[1:]]) == 2
    assert "main takes 2 arguments, 0 were given: give --arg" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["diff", "--impl", "numpy"], ["bisect", "--impl", "refrelax"]], ids=" ".join)
def test_too_few_in_an_archive(command: list[str], path: str, tmp_path: Path) -> None:
    import numpy as np

    np.savez(tmp_path / "a.npz", x=np.ones(3, "float32"))
    assert main([command[0], path, *command[1:], "--args", str(tmp_path / "a.npz")]) == 2


@pytest.mark.tvm
@pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")
@pytest.mark.parametrize("made", ["3", "[3]", "None"])
def test_a_pipeline_that_is_no_pass(made: str, tmp_path: Path) -> None:
    """It was FOUND: "the pipeline refused the program"."""
    (tmp_path / "p.py").write_text(f"def make():\n    return {made}\n")
    with pytest.raises(rr.UsageError, match="expected a pass or a list of passes; found"):
        list(TvmPasses().stages(rr.parse(TWO), f"{tmp_path / 'p.py'}:make"))


@pytest.mark.parametrize("name", ["", " "])
def test_a_pipeline_without_a_name(path: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As a variable of the shell that is not set: not the pipeline that nobody asked for."""
    assert main(["bisect", path, "--impl", "refrelax", "--random", "0", "--pipeline", name]) == 2
    assert "an empty name" in capsys.readouterr().err
