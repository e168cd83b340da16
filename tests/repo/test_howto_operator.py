"""``docs/howto-operator.md`` is followed to the letter in a copy of the tree: it works, and touches what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STEP = re.compile(r"^\*\*`([\w/.-]+)`\*\*, (after|before) `(.+?)` —.*?```text\n(.*?)```", re.DOTALL | re.MULTILINE)
GUIDE = (ROOT / "docs" / "howto-operator.md").read_text(encoding="utf-8")
EACH, REAL = map(STEP.findall, GUIDE.split("## A new function of real numbers"))
"""The steps of an operator that is a function of each element, and of a new function of real numbers."""

CHECK = """
import refrelax as rr
from refrelax.testing.alike import OF_FLOATS
from refrelax.testing.sketches import SKETCHES

HEAD = "@I.ir_module\\nclass Module:\\n    @R.function\\n    def main(x: R.Tensor((\\"n\\", 3), \\"float32\\")):\\n"
one = rr.check(rr.parse(HEAD + "        y = R.nn.hardswish(x)\\n        return y\\n"))
steps = ['R.add(x, R.const(3, "float32"))', 'R.maximum(a, R.const(0, "float32"))',
         'R.minimum(b, R.const(6, "float32"))', "R.multiply(x, c)", 'R.divide(d, R.const(6, "float32"))']
many = "".join(f"        {name} = {step}\\n" for name, step in zip("abcde", steps, strict=True))
print(rr.validate(one, rr.check(rr.parse(HEAD + many + "        return e\\n"))).word)
assert "nn.hardswish" in OF_FLOATS and "nn.hardswish" in SKETCHES
"""
REAL_CHECK = """
import refrelax as rr
from refrelax.semantics.ops import OPERATORS

HEAD = "@I.ir_module\\nclass Module:\\n    @R.function\\n    def main(x: R.Tensor((\\"n\\", 3), \\"float32\\")):\\n"
one = rr.check(rr.parse(HEAD + "        y = R.erfc(x)\\n        return y\\n"))
low = rr.lower(one, "legalize").module
assert "T.erfc" in rr.print_module(low.module)
x = rr.Tensor.of([[-1.0, 0.0, 9.5]], "float32")
enclosed = rr.run(one, "main", x, numerics="enclosure")
assert enclosed.value.contains(rr.run(low, "main", x).value)
assert enclosed.value.contains(rr.compile(one, "numpy").run("main", x).value)
print(rr.validate(one, low).word, OPERATORS["relax.erfc"].accuracy.word)
"""


def followed(steps: list[tuple[str, str, str, str]]) -> dict[str, str]:
    """The files that the guide touches, as it leaves them."""
    files: dict[str, str] = {}
    for path, where, anchor, code in steps:
        lines = (files.get(path) or (ROOT / path).read_text(encoding="utf-8")).splitlines(keepends=True)
        (at,) = (k for k, line in enumerate(lines) if anchor in line)
        at += where == "after"
        files[path] = "".join([*lines[:at], code, *lines[at:]])
    return files


@pytest.mark.parametrize(("steps", "count"), [(EACH, 3), (REAL, 5)])
def test_the_guide_touches_few_files(steps: list[tuple[str, str, str, str]], count: int) -> None:
    files = followed(steps)
    assert len(files) == count <= len(steps)
    for path, text in files.items():
        if path.endswith(".py"):
            compile(text, path, "exec")


def prepared(tmp_path: Path, steps: list[tuple[str, str, str, str]]) -> Callable[..., str]:
    """A copy of the tree after the steps, and Python in it."""
    for room in ("refrelax", "spec", "tests", "tools"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for path, text in followed(steps).items():
        (tmp_path / path).write_text(text, encoding="utf-8")

    def python(*arguments: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert not done.returncode, done.stdout + done.stderr
        return done.stdout

    python("tools/make_operator_pages.py")
    python("tools/make_operator_status.py")
    return python


@pytest.mark.nightly
def test_the_guide_works(tmp_path: Path) -> None:
    python = prepared(tmp_path, EACH)
    status = (tmp_path / "spec/ops/status.md").read_text(encoding="utf-8")
    assert "| `relax.nn.hardswish` | rule | text | text | text | loops | kernel | modules | 1 |" in status
    assert python("-c", CHECK).strip() == "PROVED"
    for tests in ("semantics/ops/test_values.py", "semantics/ops/test_accuracy.py", "testing/test_oracles.py"):
        python("-m", "pytest", "-q", f"tests/{tests}", "-k", "hardswish or every_operator")
    python("-m", "pytest", "-q", "tests/repo/test_operator_status.py")


@pytest.mark.nightly
def test_the_guide_works_for_a_function_of_real_numbers(tmp_path: Path) -> None:
    python = prepared(tmp_path, REAL)
    status = (tmp_path / "spec/ops/status.md").read_text(encoding="utf-8")
    assert "| `relax.erfc` | rule | text | text | text | own | host | modules | 1 |" in status
    assert python("-c", REAL_CHECK).strip() == "PROVED ulps"
    python(
        "-m",
        "pytest",
        "-q",
        "tests/semantics/ops/test_values.py",
        "tests/testing/test_oracles.py",
        "-k",
        "erfc or every_operator",
    )
    python("-m", "pytest", "-q", "tests/semantics/ops/test_accuracy.py", "-k", "erfc", "-m", "not nightly")
    python(
        "-m",
        "pytest",
        "-q",
        "tests/repo/test_abstract_syntax.py",
        "tests/repo/test_chapters.py",
        "tests/repo/test_intrinsics.py",
        "tests/repo/test_operator_status.py",
        "tests/semantics/numbers",
    )


@pytest.mark.thorough
def test_a_copy_with_the_operator_is_imported(tmp_path: Path) -> None:
    """The part of ``test_the_guide_works`` that every run can afford: the package takes a row that no table names."""
    shutil.copytree(ROOT / "refrelax", tmp_path / "refrelax", ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in followed(EACH).items():
        if path.startswith("refrelax/"):
            (tmp_path / path).write_text(text, encoding="utf-8")
    code = "from refrelax.semantics.ops import OPERATORS; print(OPERATORS['relax.nn.hardswish'].accuracy.word)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "stepwise", done.stderr
