"""Whatever the other process does is a verdict about it: these need no TVM."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import refrelax as rr
from refrelax import judge
from refrelax.conformance.implementation import Implementation, ImplementationFailed
from refrelax.interop.tvm import TvmImplementation, find_python

TEXT = """
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.add(x, x)
        return y
"""


def program(folder: Path, body: str) -> str:
    """A stand-in for the interpreter that has TVM."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


REFUSED = '{"refused": ["build", "ValueError", "first\\nlast"]}'


@pytest.mark.parametrize(
    ("body", "kind", "says"),
    [
        ("read line; kill -SEGV $$", "crash", "SIGSEGV"),
        ("read line; echo 'terminate called' >&2; kill -FPE $$", "crash", "SIGFPE: terminate called"),
        ("exit 3", "crash", "exit 3"),
        ("read line; exec sleep 60", "hang", "no answer"),
        (f"while read -r line; do cat <<'.'\n{REFUSED}\n.\ndone", "error", "build: ValueError: last"),
        ("read -r line; exec sleep 60 >/dev/null", "crash", "closed its output"),
    ],
)
def test_crash_hang_and_error_are_told_apart(tmp_path: Path, body: str, kind: str, says: str) -> None:
    tvm = TvmImplementation(python=program(tmp_path, body), timeout=2)
    assert isinstance(tvm, Implementation)
    module = rr.parse(TEXT)
    for _again in range(2):  # a new process each time
        with pytest.raises(ImplementationFailed, match=says) as found:
            tvm.run(module, "main", [[1.0, 2.0]])
        assert found.value.kind == kind
    tvm.close()


def test_a_failure_is_a_divergence_and_absence_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = rr.check(rr.parse(TEXT))
    crashing = TvmImplementation(python=program(tmp_path, "read line; kill -SEGV $$"))
    assert isinstance(judge.diff(checked, "main", [[1.0, 2.0]], impl=crashing), judge.Divergence)
    monkeypatch.setenv("REFRELAX_TVM_PYTHON", "/no/such/python")
    assert find_python() is None
    assert isinstance(judge.diff(checked, "main", [[1.0, 2.0]], impl=TvmImplementation()), judge.NoVerdict)


def test_a_runtime_error_of_the_program_is_a_trap(tmp_path: Path) -> None:
    body = """read line; echo '{"raised": ["ValueError", "match_cast failed"]}'; read -r line"""
    tvm = TvmImplementation(python=program(tmp_path, body))
    out = tvm.run(rr.parse(TEXT), "main", [[1.0, 2.0]])
    assert isinstance(out, rr.Trapped) and "match_cast failed" in out.message
    tvm.close()


NO_TVM = """
import runpy, sys
sys.modules["tvm"] = None
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def test_the_worker_says_when_there_is_no_tvm(tmp_path: Path) -> None:
    (tmp_path / "no_tvm.py").write_text(NO_TVM, encoding="utf-8")
    alone = TvmImplementation(python=program(tmp_path, f'exec {sys.executable} -I {tmp_path}/no_tvm.py "$3"'))
    with pytest.raises(ImplementationFailed, match=r"import: (ModuleNotFound|Import)Error"):
        alone.run(rr.parse(TEXT), "main", [[1.0, 2.0]])
    alone.close()
