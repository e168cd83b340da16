"""``rr.NAME`` is the same thing whatever was imported before, for Python and for type checkers."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import refrelax as rr

ORDERS = [
    "rr.lower",
    "import refrelax.lower",
    "from refrelax.lower import pipeline",
    "import refrelax.lower.pipeline; rr.lower",
]


@pytest.mark.thorough
@pytest.mark.parametrize("first", ORDERS)
def test_a_folder_does_not_hide_the_function_of_its_name(first: str) -> None:
    program = f"import refrelax as rr\n{first}\nassert type(rr.lower).__name__ == 'function', rr.lower"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_type_checkers_are_told_of_the_same_names() -> None:
    """``from x import y as y``: without the second ``y`` nothing is exported under ``mypy --strict``."""
    tree = ast.parse(Path(rr.__file__).read_text(encoding="utf-8"))
    (block,) = [n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    told = {}
    for each in block.body:
        assert isinstance(each, ast.ImportFrom)
        for name in each.names:
            assert name.asname == name.name
            told[name.name] = each.module
    assert told == {**rr._HOME, **dict.fromkeys(rr._ROOMS, "refrelax")}
    assert all(getattr(rr, name) is not None for name in told)
