"""``FILE.py:FUNCTION``: what is one, what goes wrong without TVM; with TVM, the how-to page as it stands."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from refrelax.cli import main
from refrelax.errors import UsageError
from refrelax.interop.tvm import find_python, user_file
from refrelax.interop.tvm.live_module import is_function, read

ROOT = Path(__file__).parents[3]
HOWTO = (ROOT / "docs" / "howto-tvm.md").read_text(encoding="utf-8")
with_tvm = pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")


def test_what_names_a_function(tmp_path: Path) -> None:
    (tmp_path / "a.py:f").touch()
    assert is_function("a.py:f") and is_function("/b/c d.py:make_module")
    for other in ("a.py", "a.py:", "a.txt:f", "a.py:3", "a.py:f()", "-", f"{tmp_path}/a.py:f"):
        assert not is_function(other), other


@pytest.mark.parametrize(
    ("text", "name", "says"),
    [
        ("def f():\n    x = 1\n    return x / 0\n", "f", ":3: ZeroDivisionError: division by zero"),
        ("import no_such_module\n", "f", ":1: ModuleNotFoundError: No module named 'no_such_module'"),
        ("def f(:\n", "f", ":1: SyntaxError: invalid syntax"),
        ("def f(a):\n    return a\n", "f", ": TypeError: f() missing 1 required positional argument: 'a'"),
        ("def f():\n    raise SystemExit(3)\n", "f", ":2: SystemExit: 3"),
        ("def f():\n    raise ValueError('a\\nb')\n", "f", ":2: ValueError: a b"),
        ("x = 1\n", "g", ": there is no function 'g'"),
    ],
)
def test_an_error_in_the_file_has_its_place(tmp_path: Path, text: str, name: str, says: str) -> None:
    path = tmp_path / "made.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(user_file.UserFault) as found:
        user_file.call(f"{path}:{name}")
    assert str(found.value).startswith(f"{path}{says}") and "\n" not in str(found.value)
    with pytest.raises(user_file.UserFault, match="no such file"):
        user_file.call(f"{tmp_path}/none.py:f")


@pytest.mark.parametrize("python", ["/bin/false", "/no/such/python"])
@pytest.mark.parametrize("words", [["check"], ["run", "--random", "1"], ["diff", "--impl", "numpy"], ["fmt"]])
def test_without_tvm_a_command_says_so(
    words: list[str], python: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REFRELAX_TVM_PYTHON", python)
    assert main([words[0], "made.py:f", *words[1:]]) == 3
    out, err = capsys.readouterr()
    (said,) = (out + err).splitlines()
    assert "verdict" in said.lower() and "absent" in said and "made.py:f" in said


TEXT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return x
"""


@pytest.mark.parametrize("command", ["parse", "fmt"])
def test_constants_are_kept_of_one_file(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    assert main([command, "a.py", "b.py", "--consts-out", "c.npz"]) == 2
    assert "expected one FILE" in capsys.readouterr().err
    assert main([command, "a.py", "--consts-out", "c.npz"]) == 0 and (tmp_path / "c.npz").is_file()
    assert main(["run", "a.py", "--random", "1", "--consts", "c.npz"]) == 0


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", HOWTO, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for block in blocks("python"):
        name = block.partition("\n")[0].removeprefix("# ")
        (tmp_path / name).write_text(block, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.tvm
@with_tvm
def test_the_page_does_what_it_shows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three dots stand for the rest of a line, and alone for any lines."""
    shown = [part.partition("\n") for each in blocks("console") for part in re.split(r"^\$ ", each, flags=re.M)[1:]]
    assert len(shown) == 6
    for command, _, wanted in shown:
        program, *arguments = shlex.split(command)
        assert program == "refrelax" and main(arguments) == 0, command
        printed = capsys.readouterr().out.splitlines()
        for line, each in zip(printed, wanted.splitlines()):
            start, dots, _ = each.partition("...")
            assert line.startswith(start) if dots else line == each, command
    assert main(["fmt", "model.py:scaled"]) == 0
    (folder / "scaled.py").write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["run", "model.py:scaled", "--random", "1"]) == 0
    live = capsys.readouterr().out
    assert main(["run", "scaled.py", "--random", "1", "--consts", "scaled.npz"]) == 0
    assert capsys.readouterr().out == live


@pytest.mark.tvm
@with_tvm
def test_from_ir_module_as_the_page_shows_it(folder: Path) -> None:
    done = subprocess.run(
        [str(find_python()), "-W", "ignore", "here.py"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0 and done.stdout == '[0] R.Tensor((n, 2), dtype="float32")\n', done.stderr


WRONG = """
from model import scaled

def number():
    return 3

def two():
    return scaled()[0], [1, 2]

def other():
    return scaled()[0], {"train": [1]}

def listed():
    import numpy as np
    return scaled()[0], {"main": [np.ones((3, 2), "float32")]}
"""


@pytest.mark.tvm
@with_tvm
def test_what_the_function_may_give(folder: Path) -> None:
    (folder / "more.py").write_text(WRONG, encoding="utf-8")
    for name, says in (
        ("number", "expected a tvm.IRModule, or a pair of one and its parameters; found int"),
        ("two", "expected parameters by name, found list"),
        ("other", "a function 'train', which the module lacks"),
    ):
        with pytest.raises(UsageError, match=f"more.py:{name}: .*{re.escape(says)}"):
            read(f"more.py:{name}")
    assert {each.shape for each in read("more.py:listed").constants.values()} == {(2,), (3, 2)}
