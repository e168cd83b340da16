"""Whatever the other process does, its word is the right one: these need no TVM."""

from __future__ import annotations

import pickle
import sys
import textwrap
from pathlib import Path

import pytest

import refrelax as rr
from refrelax import judge
from refrelax.interop.tvm import TvmImplementation, TvmPasses, find_python
from refrelax.interop.tvm.process import TvmProcess
from refrelax.judge.implementation import FINDINGS, KINDS, Implementation, ImplementationFailed
from refrelax.judge.stages import StagesEnded

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
MODULE = rr.parse(TEXT)


def program(folder: Path, body: str) -> str:
    """A stand-in for the interpreter that has TVM."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


HELLO = """echo '{"tvm": "0.27.0"}'\n"""


def says(line: str) -> str:
    return f"while read -r line; do cat <<'.'\n{line}\n.\ndone"


REFUSED = '{"end": {"refused": ["STAGE", "ValueError", "first\\nlast"]}}'


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        ("read line; kill -SEGV $$", "crash", "SIGSEGV"),
        ("read line; echo 'terminate called' >&2; kill -FPE $$", "crash", "SIGFPE: terminate called"),
        ("read line; exit 3", "crash", "exit 3"),
        (says('{"died": -6}'), "crash", "SIGABRT"),
        (says('{"died": 0}'), "crash", "exit 0"),
        (says("no answer at all"), "crash", "no answer"),
        (says(""), "crash", "no answer"),
        (says("[1, 2]"), "crash", "no answer"),
        ("read line; exec sleep 60", "hang", "no answer"),
        (says(REFUSED.replace("STAGE", "build")), "refused", "build: ValueError: last"),
        (says(REFUSED.replace("STAGE", "read")), "unread", "read: ValueError: last"),
        (says(REFUSED.replace("STAGE", "arguments")), "fault", "arguments: ValueError: last"),
        (says('{"fault": "Traceback\\n  KeyError: 3"}'), "fault", "KeyError: 3"),
        (says('{"end": {"raised": ["V", "Cannot find PackedFunc f"]}}'), "unsupported", "Cannot find PackedFunc f"),
        (says('{"end": {"raised": ["V", "Cannot find ffi::Function f"]}}'), "unsupported", "find ffi::Function f"),
        ("read -r line; exec sleep 60 >/dev/null", "crash", "closed its output"),
    ],
)
def test_each_failure_has_its_word(tmp_path: Path, body: str, kind: str, message: str) -> None:
    tvm = TvmImplementation(python=program(tmp_path, HELLO + body), timeout=1)
    assert isinstance(tvm, Implementation)
    with pytest.raises(ImplementationFailed, match=message) as found:
        tvm.run(MODULE, "main", [[1.0, 2.0]])
    assert found.value.kind == kind and "\n" not in str(found.value)
    again = pickle.loads(pickle.dumps(found.value))
    assert (again.kind, str(again), again.detail) == (kind, str(found.value), found.value.detail)
    tvm.close()


def test_everything_that_was_said_is_kept(tmp_path: Path) -> None:
    tvm = TvmImplementation(python=program(tmp_path, HELLO + says(REFUSED.replace("STAGE", "build"))))
    with pytest.raises(ImplementationFailed) as found:
        tvm.run(MODULE, "main", [[1.0, 2.0]])
    assert found.value.detail == "first\nlast"
    tvm.close()


ABSENT = {
    "false": "exit 1",
    "dies": "kill -SEGV $$",
    "talks": "echo hello; sleep 60",
    "echoes": "exec cat",
    "says another thing": """echo '{"torch": "2.0"}'; sleep 60""",
    "says it": """echo '{"absent": "ModuleNotFoundError: tvm"}'""",
    "sleeps": "exec sleep 60",
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ABSENT)
def test_a_program_that_is_no_tvm_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("refrelax.interop.tvm.process._START", 1)
    python = program(tmp_path, ABSENT[name])
    tvm = TvmImplementation(python=python, timeout=1)
    for ask in (lambda: tvm.run(MODULE, "main", [[1.0, 2.0]]), lambda: tvm.check(MODULE)):
        with pytest.raises(ImplementationFailed, match=python) as found:
            ask()
        assert found.value.kind == "absent"
    passes = TvmPasses(python=python, timeout=1)
    with pytest.raises(StagesEnded) as ended:
        list(passes.stages(MODULE, "zero"))
    assert (ended.value.name, ended.value.kind) == ("", "absent")


LOADS = """
import sys, time
for _ in range(8):
    time.sleep(0.2)
    before = time.process_time()
    while time.process_time() < before + 0.05:
        pass
print('{"tvm": "0.27.0"}', flush=True)
sys.stdin.read()
"""


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="nobody tells what a process does")
def test_who_still_loads_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine TVM took more than two minutes to load, and a campaign ended there with no verdict."""
    monkeypatch.setattr("refrelax.interop.tvm.process._START", 1)
    monkeypatch.setattr("refrelax.interop.tvm.process._LOADS", 0.01)
    (tmp_path / "loads.py").write_text(LOADS)
    with TvmProcess(program(tmp_path, f"exec {sys.executable} {tmp_path / 'loads.py'}"), timeout=1) as process:
        process.start()
        assert process.version == "0.27.0"


@pytest.mark.thorough
@pytest.mark.by_day(3)
@pytest.mark.parametrize("python", ["/bin/false", "/bin/true", "/etc/passwd", "/no/such/python", sys.executable])
def test_absence_is_no_verdict(monkeypatch: pytest.MonkeyPatch, python: str) -> None:
    monkeypatch.setenv("REFRELAX_TVM_PYTHON", python)
    if python == "/no/such/python":
        assert find_python() is None
    if python == sys.executable:
        monkeypatch.setenv("PYTHONPATH", str(Path(__file__).with_name("without_tvm")))
    with pytest.raises(ImplementationFailed) as found:
        TvmImplementation().run(MODULE, "main", [[1.0, 2.0]])
    assert found.value.kind == "absent"
    verdict = rr.diff(rr.check(MODULE), "main", [[1.0, 2.0]], impl="tvm")
    assert isinstance(verdict, judge.NoVerdict)
    assert isinstance(rr.bisect(MODULE, "main", [[1.0, 2.0]]), judge.NoVerdict)


GOOD = '{"end": {"raised": ["ValueError", "match_cast failed"]}}'


@pytest.mark.thorough
@pytest.mark.parametrize("first", ["read line; kill -SEGV $$", says(REFUSED.replace("STAGE", "build"))])
def test_what_a_second_process_does_not_show_is_no_failure(tmp_path: Path, first: str) -> None:
    """The memory that one program breaks is another's crash: the second, fresh process has the last word."""
    body = f"if mkdir {tmp_path}/was 2>/dev/null; then {first}; else {says(GOOD)}; fi"
    tvm = TvmImplementation(python=program(tmp_path, HELLO + body), timeout=1)
    assert isinstance(tvm.run(MODULE, "main", [[1.0, 2.0]]), rr.Trapped)
    assert len(tvm.process.doubted) == 1
    tvm.close()


def test_a_pass_is_tried_again_too(tmp_path: Path) -> None:
    first = '{"stage": "read", "text": "a", "constants": {}}'
    second = '{"stage": "Fuse", "text": "b", "constants": {}}'
    fails = f"read line; echo '{first}'; echo '{{\"starts\": \"Fuse\"}}'; kill -SEGV $$"
    works = f"read line; echo '{first}'; echo '{second}'; echo '{{\"end\": null}}'; read line"
    body = f"if mkdir {tmp_path}/was 2>/dev/null; then {fails}; else {works}; fi"
    passes = TvmPasses(python=program(tmp_path, HELLO + body), timeout=2)
    assert [each.name for each in passes.stages(MODULE, "zero")] == ["read", "Fuse"]
    assert len(passes.process.doubted) == 1
    passes.close()
    passes = TvmPasses(python=program(tmp_path, HELLO + fails), timeout=2)
    with pytest.raises(StagesEnded, match="SIGSEGV") as ended:
        list(passes.stages(MODULE, "zero"))
    assert (ended.value.name, ended.value.kind) == ("Fuse", "crash")


def test_a_runtime_error_of_the_program_is_a_trap(tmp_path: Path) -> None:
    tvm = TvmImplementation(python=program(tmp_path, HELLO + says(GOOD)))
    out = tvm.run(MODULE, "main", [[1.0, 2.0]])
    assert isinstance(out, rr.Trapped) and "match_cast failed" in out.message
    tvm.close()


SERVES = """
import os, signal, sys, types
sys.path.insert(0, FOLDER)
sys.modules["tvm"] = types.SimpleNamespace(__version__="0.27.0")
import serve

heap = []  # what a program that breaks its memory leaves behind

def answer(request, say):
    heap.append(request["text"])
    say({"seen": len(heap), "values": []})
    if "kill" in request["text"]:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "exit" in request["text"]:
        os._exit(0)
    if "raise" in request["text"]:
        raise KeyError("worker")
    say({"end": len(heap)})

serve.serve(answer, lambda: None)
"""


def test_every_program_has_a_process_of_its_own(tmp_path: Path) -> None:
    import refrelax.interop.tvm as package

    script = tmp_path / "worker.py"
    script.write_text(SERVES.replace("FOLDER", repr(str(Path(package.__file__).parent))), encoding="utf-8")
    process = TvmProcess(sys.executable, 20, script)
    for text, kind in (("kill", "crash"), ("exit", "crash"), ("raise", "fault")):
        with pytest.raises(ImplementationFailed) as found:
            process.ask({"text": text})
        assert found.value.kind == kind, str(found.value)
        running = process._process
        assert running is not None and process.alone
        assert process.ask({"text": "good"}) == 1 and process._process is running
    process.close()


def test_the_vocabulary_is_closed() -> None:
    assert set(FINDINGS) < set(KINDS)
    with pytest.raises(ValueError, match="expected a kind among"):
        ImplementationFailed("weather", "rain")


def test_without_tvm_the_worker_says_so(tmp_path: Path) -> None:
    (tmp_path / "no_tvm.py").write_text(
        textwrap.dedent("""
        import runpy, sys, pathlib
        sys.modules["tvm"] = None
        sys.path.insert(0, str(pathlib.Path(sys.argv[1]).parent))
        runpy.run_path(sys.argv[1], run_name="__main__")
        """),
        encoding="utf-8",
    )
    alone = TvmImplementation(python=program(tmp_path, f'exec {sys.executable} -I {tmp_path}/no_tvm.py "$3"'))
    with pytest.raises(ImplementationFailed, match=r"has no TVM: (ModuleNotFound|Import)Error") as found:
        alone.run(MODULE, "main", [[1.0, 2.0]])
    assert found.value.kind == "absent"
    alone.close()
