"""What is released installs and works: every command without extras, the suite's data, and a user's script's types."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from refrelax.commands import COMMANDS

ROOT = Path(__file__).parents[2]

PROGRAM = """
from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32")) -> R.Tensor(("n", 2), "float32"):
        y = R.add(x, x)
        return y
"""

NUMPY, TVM = "pip install 'refrelax[numpy]'", "refrelax[tvm]"

WITHOUT_EXTRAS: list[tuple[str, int, str]] = [
    ("--version", 0, "refrelax "),
    ("parse m.py", 0, ""),
    ("fmt m.py", 0, "R.add"),
    ("check m.py", 0, "accepted"),
    ("run m.py --random 0", 0, "Returned"),
    ("run m.py --random 0 --numerics enclosure", 0, "Returned"),
    ("run m.py --random 0 --backend numpy", 3, NUMPY),
    ("run m.py --random 0 --backend cupy", 3, NUMPY),
    ("run m.py --random 0 --backend cuda-emulated", 3, NUMPY),
    ("trace m.py --random 0", 0, "binding"),
    ("lower m.py", 0, "T.prim_func"),
    ("diff m.py --random 0 --impl numpy", 3, NUMPY),
    ("diff m.py --random 0 --impl tvm", 3, TVM),
    ("bisect m.py --random 0", 3, TVM),
    ("bisect m.py --random 0 --impl refrelax", 0, "NONE"),
    ("validate m.py m.py", 0, "PROVED"),
    ("prove-rewrite m.py m.py", 0, "PROVED"),
    ("fuzz --impl numpy --count 1", 3, "pip install 'refrelax[testing]'"),
    ("prove n*m==m*n", 0, "PROVED"),
    ("prove x*x*x+y*y*y+z*z*z!=33", 3, "needs z3"),
    ("prove (x//3)//4==x//12 --certificate c.json", 0, "PROVED"),
    ("certify c.json", 0, "CERTIFIED"),
    ("rules check --only wf/force-pure", 3, "pip install 'refrelax[solver]'"),
    ("rules coverage --only wf/force-pure", 3, "pip install 'refrelax[solver]'"),
    ("explain match_cast", 0, "spec/"),
    ("completion bash", 0, "complete"),
    ("conformance run --impl reference --only evaluation/bind", 0, "1 passed"),
    ("conformance run --impl numpy --only evaluation/bind", 3, NUMPY),
    ("conformance run --impl tvm --only evaluation/bind", 3, "1 unsupported"),
    ("conformance export out --only evaluation/bind", 0, "1 cases"),
    ("demo mlp", 3, NUMPY),
    ("exercise 1", 0, "1"),
]
"""Command lines, exit codes, and what is said."""

DRIVER = """
import contextlib, io, json, sys
from refrelax.cli import main
for line in json.load(sys.stdin) if __name__ == "__main__" else ():
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(line.split())
    print(json.dumps([line, code, out.getvalue(), err.getvalue()]), file=sys.__stdout__, flush=True)
"""


def clean() -> dict[str, str]:
    """The surroundings of a user: nothing leads to the checkout."""
    return {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "REFRELAX_TVM_PYTHON", "REFRELAX_DEBUG")}


def said_by(python: Path, lines: list[str], folder: Path) -> list[tuple[str, int, str, str]]:
    (folder / "m.py").write_text(PROGRAM)
    (folder / "driver.py").write_text(DRIVER)
    command = [str(python), "-I", "driver.py"]
    given = json.dumps(lines)
    done = subprocess.run(command, input=given, cwd=folder, env=clean(), capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return [tuple(json.loads(row)) for row in done.stdout.splitlines()]


@pytest.mark.thorough
def test_the_sdist_holds_what_the_checkout_does(release) -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("no checkout")
    tracked_here = [f for f in tracked.stdout.splitlines() if (ROOT / f).exists()]
    missing = [f for f in tracked_here if not (release.unpacked / f).exists()]
    assert missing == ["docs/spec"]  # a link, which stands for spec/


@pytest.mark.thorough
def test_the_wheel_holds_the_spec_the_cases_and_the_marker_of_types(release) -> None:
    names = set(zipfile.ZipFile(release.wheel).namelist())
    for folder, home in (("spec", "refrelax/spec"), ("refrelax/conformance/cases", "refrelax/conformance/cases")):
        here = {str(p.relative_to(ROOT / folder)) for p in (ROOT / folder).rglob("*.*") if p.suffix in (".md", ".toml")}
        assert here and {f"{home}/{each}" for each in here} <= names
    assert {"refrelax/py.typed", "refrelax/syntax/schema.json", "refrelax/examples/mlp/example.json"} <= names


@pytest.mark.thorough
def test_every_command_without_extras_says_what_it_needs(bare: Path, tmp_path: Path) -> None:
    assert {line.split()[0] for line, _, _ in WITHOUT_EXTRAS} == {*COMMANDS, "--version"}
    rows = said_by(bare, [line for line, _, _ in WITHOUT_EXTRAS], tmp_path)
    wrong = [
        row
        for row, (_, code, needle) in zip(rows, WITHOUT_EXTRAS, strict=True)
        if row[1] != code or needle not in row[2] + row[3] or "fault" in row[3] or "Traceback" in row[3]
    ]
    assert not wrong, wrong


@pytest.mark.thorough
def test_the_console_script(bare: Path, tmp_path: Path) -> None:
    done = subprocess.run([str(bare.parent / "refrelax"), "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("refrelax ")


@pytest.mark.nightly
def test_every_command_with_extras(full: Path, tmp_path: Path) -> None:
    lines = [line for line, _, needle in WITHOUT_EXTRAS if needle not in (TVM, "needs z3") and "cupy" not in line]
    rows = said_by(full, lines, tmp_path)
    assert {row[0]: row[1] for row in rows if row[1]} == {}


@pytest.mark.nightly
def test_a_users_script_under_mypy_strict(full: Path, tmp_path: Path) -> None:
    shutil.copy(Path(__file__).with_name("typed_user.py"), tmp_path)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(full), "typed_user.py"]
    done = subprocess.run(command, cwd=tmp_path, env=clean(), capture_output=True, text=True, check=False)
    assert done.stdout.startswith("Success"), done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize("extras", ["", "[solver,certify,numpy,testing]"])
def test_it_installs_from_the_index(version: str, extras: str, release, tmp_path: Path) -> None:
    """With pip, as users do it: what the wheel requires is fetched."""
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "--version"], capture_output=True, check=False).returncode:
        pytest.skip(f"no Python {version}")
    subprocess.run([python, "-m", "venv", str(tmp_path / "v")], check=True)
    ours = tmp_path / "v" / "bin" / "python"
    subprocess.run([str(ours), "-m", "pip", "install", "--quiet", f"{release.wheel}{extras}"], check=True)
    rows = said_by(ours, ["check m.py", "run m.py --random 0", "demo mlp", "validate m.py m.py"], tmp_path)
    assert [row[1] for row in rows] == [0, 0, 0 if extras else 3, 0], rows


@pytest.mark.nightly
def test_python_m_build(tmp_path: Path) -> None:
    """In an environment of its own, as a packager does it, from a copy of what is tracked."""
    pytest.importorskip("build")
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tmp_path / "c")], check=True)
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(tmp_path / "d"), str(tmp_path / "c")], check=True)
    assert sorted(p.suffix for p in (tmp_path / "d").iterdir()) == [".gz", ".whl"]
