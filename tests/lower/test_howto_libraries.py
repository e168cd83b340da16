"""``docs/howto-libraries.md`` shows what the commands do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "howto-libraries.md").read_text(encoding="utf-8")
LIBRARY, PROGRAM = re.findall(r"```tvmscript\n(.*?)```", PAGE, re.DOTALL)
(SAID,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)

(IMPLEMENTATION,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("mylib.py").write_text(LIBRARY, encoding="utf-8")
    Path("program.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


LOWER = [
    "lower",
    "program.py",
    "--pipeline",
    "dispatch",
    "--library",
    "mylib.py",
    "--show-evidence",
    "-o",
    "lowered.py",
]
DIFF = "diff lowered.py --impl numpy --random 1 --dim n=3 --dim g=2 --extern mylib.scaled_matmul=impl.py:scaled"


def test_the_page(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(LOWER) == 0
    assert SAID in capsys.readouterr().err
    text = Path("lowered.py").read_text(encoding="utf-8")
    assert 'R.call_dps_packed("mylib.scaled_matmul", (x, w)' in text and "T.exp" in text
    assert main(["validate", "program.py", "lowered.py", "--require", "proved"]) == 0
    assert DIFF in PAGE
    for factor, code in (("0.125", 0), ("1", 1)):
        Path("impl.py").write_text(IMPLEMENTATION.replace("0.125", factor), encoding="utf-8")
        assert main(DIFF.split()) == code


def test_rows_that_are_no_multiple(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("program.py").write_text(PROGRAM.replace("g * 8", "g * 4"), encoding="utf-8")
    assert main(LOWER) == 0
    assert "REFUTED" in capsys.readouterr().err
    assert "mylib" not in Path("lowered.py").read_text(encoding="utf-8")


def test_in_python(files: Path) -> None:
    lowered = rr.lower(rr.check(rr.parse(PROGRAM)), pipeline="dispatch", libraries=["mylib.py", "cublas"])
    assert "mylib.scaled_matmul" in rr.print_module(lowered.module.module)
