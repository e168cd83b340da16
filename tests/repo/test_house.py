"""What the house promises about itself: targets, data in the package, one place for each version."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import refrelax

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    for target in phony.split():
        assert f"make {target} " in done.stdout, target


def test_workflow_and_ci_call_the_targets() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    assert "bash .ci/run" in workflow
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert script.rstrip().endswith("make test")
    assert all(target in script for target in ("make lint", "make demo"))


def test_the_core_needs_pure_python_only() -> None:
    names = {re.match(r"[\w-]+", each).group() for each in PROJECT["project"]["dependencies"]}
    assert names == {"mpmath", "rich"}


@pytest.mark.thorough
def test_importing_the_package_imports_no_array_library() -> None:
    script = (
        "import sys, refrelax as rr; rr.parse; rr.check; rr.run;"
        "print([m for m in ('numpy', 'z3', 'tvm', 'hypothesis', 'rich', 'cvc5') if m in sys.modules])"
    )
    done = subprocess.run(
        [str(ROOT / ".venv/bin/python") if (ROOT / ".venv/bin/python").exists() else "python3", "-c", script],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"


def test_versions_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {refrelax.__version__}" in citation
    assert refrelax.SPEC_EDITION in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_tvm_extra_pins_the_versions_that_work_together() -> None:
    tvm = PROJECT["project"]["optional-dependencies"]["tvm"]
    assert "apache-tvm==0.27.0.post1" in tvm and "apache-tvm-ffi==0.1.14.post1" in tvm


def test_what_the_readme_points_at_is_there() -> None:
    for name in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for link in re.findall(r"\]\(((?!https?:)[^)#]+)\)", text):
            assert (ROOT / link).exists(), f"{name}: {link}"


SECOND = {"Proved", "Refuted"}
"""Public classes beside which another file has a class of that name."""


@pytest.mark.thorough
def test_no_other_class_has_the_name_of_a_public_one() -> None:
    """``Tensor``, ``Verdict`` and the like mean one thing in the house; what is in ``SECOND`` waits for a name."""
    public = {name for name in dir(refrelax) if isinstance(getattr(refrelax, name), type)} | {"Step"}
    found = Counter(
        node.name
        for path in (ROOT / "refrelax").rglob("*.py")
        if "examples" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name in public if found[name] > 1} == SECOND


SOURCES = [path for path in sorted((ROOT / "refrelax").rglob("*.py")) if "examples" not in path.parts]


def test_nothing_of_the_definition_is_imported_inside_a_function() -> None:
    """What hides a circle; the circles that there are stand in ``test_layers.py``."""
    for path in (ROOT / "refrelax" / "semantics").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inside = [
            each.lineno
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for each in ast.walk(function)
            if isinstance(each, ast.Import | ast.ImportFrom)
        ]
        assert not inside, f"{path.relative_to(ROOT)}: {inside}"


@pytest.mark.thorough
def test_no_code_asks_which_edition_it_is() -> None:
    """A difference is a flag of ``syntax/editions.py``, never ``edition != "0.27"``."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare):
                words = [e.value for e in ast.walk(node) if isinstance(e, ast.Constant) and isinstance(e.value, str)]
                assert not [each for each in words if re.fullmatch(r"0\.\d\d", each)], f"{path}:{node.lineno}"


def test_words_that_were_given_up() -> None:
    """An interval is no ``wide_…``, vectorisation no ``spreading``."""
    for path in SOURCES:
        found = re.findall(r"\bwide_\w*|\bspreading\b", path.read_text(encoding="utf-8"))
        assert not found, f"{path.relative_to(ROOT)}: {found}"
