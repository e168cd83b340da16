"""What an implementation does to its own process is no answer about the program: ``os._exit(0)`` was exit code 0."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from refrelax.cli import main
from refrelax.conformance.alone import Alone
from refrelax.judge.implementation import ImplementationFailed
from refrelax.syntax.read import parse

MODULE = "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((3,), 'float32')):\n        return x\n"

IMPLEMENTATIONS = """
import os, time
import refrelax as rr

class Made:
    def __init__(self, then):
        self.then = then
    def run(self, module, entry, args):
        print("said on standard output")
        self.then()
        return rr.run(rr.check(module), entry, *args)

def ends(): return Made(lambda: os._exit(0))
def aborts(): return Made(os.abort)
def hangs(): return Made(lambda: time.sleep(1000))
def talks(): return Made(lambda: None)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "theirs_alone.py").write_text(IMPLEMENTATIONS)
    (tmp_path / "m.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.thorough
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "code", "why"), [("ends", 1, "exit code 0"), ("aborts", 1, "SIGABRT"), ("talks", 0, "")]
)
def test_the_answer_of_diff(name: str, code: int, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "m.py", "--impl", f"theirs_alone:{name}", "--random", "1", "--json"]) == code
    said = json.loads(capsys.readouterr().out)  # one object, nothing of theirs
    assert said["verdict"] == ("DIVERGE" if code else "AGREE")
    assert why in said["says"]


@pytest.mark.thorough
@pytest.mark.usefixtures("folder")
def test_a_hang_is_ended() -> None:
    alone = Alone("theirs_alone:hangs", 0.2)
    with pytest.raises(ImplementationFailed, match=r"hang: no answer within 0\.2 s"):
        alone.run(parse(MODULE), "main", [])
    assert alone._process is None


@pytest.mark.nightly  # each step of shrinking starts a process
def test_fuzz_keeps_a_crash(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--count", "1", "--out", str(folder / "findings"), "--bindings", "1", "--levels", "graph"]
    assert main(["fuzz", "--impl", "theirs_alone:ends", *options]) == 1
    assert "FOUND" in capsys.readouterr().out
