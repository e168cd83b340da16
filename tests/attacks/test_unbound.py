"""A constant that nobody bound is no verdict in every command: nothing was compared."""

from __future__ import annotations

from pathlib import Path

import pytest

import refrelax as rr
from refrelax.cli import main

TEXT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        y = R.add(x, metadata["ir.GenericConst"][0])
        return y
"""


@pytest.mark.parametrize(
    "command",
    [["validate", "{0}", "{0}"], ["bisect", "{0}", "--impl", "refrelax", "--random", "1"],
     ["diff", "{0}", "--impl", "numpy", "--random", "1"]],
)  # fmt: skip
def test_the_word_is_library(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.py"
    path.write_text(TEXT)
    assert main([each.format(path) for each in command]) == 3
    assert "constant 0 is not bound" in (said := capsys.readouterr()).out + said.err


def test_the_second_program_is_named() -> None:
    one = rr.bind_constants(rr.parse(TEXT), {0: rr.Tensor.of([1.0, 2.0], "float32").numpy()})
    answer = rr.validate(one, rr.parse(TEXT))
    assert isinstance(answer, rr.NoVerdict) and answer.reason == "library" and "second program" in str(answer)
