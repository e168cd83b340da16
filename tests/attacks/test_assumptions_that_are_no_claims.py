"""What is misspelt behind ``--assume`` is a usage error, as a claim about other symbols is: 1 says that the programs
differ."""

from pathlib import Path

import pytest

import refrelax as rr
from refrelax.cli import main
from refrelax.syntax.scalars import SymVar

PROGRAM = """
n = TypeVar("n")

@R.function
def main(x: R.Tensor((n,), "float32")):
    return x
"""


@pytest.mark.parametrize("claim", ["n >=", "", "n", "f(n) > 1", "n >= 'a'", "not n", "n < 2 and n", "k >= 1"])
def test_a_misspelt_assumption(claim: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file := tmp_path / "m.py").write_text(PROGRAM)
    assert main(["validate", str(file), str(file), "--assume", claim]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "assum" in said.err


def test_an_assumption(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file := tmp_path / "m.py").write_text(PROGRAM)
    assert main(["validate", str(file), str(file), "--assume", "n >= 1"]) == 0
    assert capsys.readouterr().out.startswith("PROVED")


@pytest.mark.parametrize("claim", ["n * 9223372036854775807 * n > 0", "6 % n == 0", "4 // n >= 1 and 1 << n <= 8"])
def test_an_assumption_without_a_value_does_not_hold(claim: str) -> None:
    module = rr.check(rr.parse(PROGRAM))
    other = rr.check(rr.parse(PROGRAM.replace("return x", "y = R.exp(x)\n    return y")))
    assert rr.validate(module, module, assume=[claim]).word == "PROVED"
    refuted = rr.validate(module, other, assume=[claim])
    assert refuted.word == "REFUTED" and refuted.model["n"] > 0


def test_a_symbol_is_no_truth() -> None:
    module = rr.check(rr.parse(PROGRAM))
    for assumption in ("n", SymVar("n", "int64")):
        with pytest.raises(rr.UsageError, match="an assumption"):
            rr.validate(module, module, assume=[assumption])
