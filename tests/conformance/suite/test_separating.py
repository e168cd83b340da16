"""``tools/find_separating.py``: edits are edits, and a program is found that tells a mutant apart, small, as a case."""

from __future__ import annotations

import importlib
import json
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.conformance.cases import _load_file
from refrelax.conformance.run import run_case
from refrelax.syntax.json_ import to_json

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[3]

TEXT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), y: R.Tensor((3,), "float32")):
        a = R.exp(x)
        b = R.maximum(x, y)
        c = R.add(a, b)
        return b
"""
ARGS: list[Any] = [
    {"dtype": "float32", "shape": [3], "data": [1, 2, -3]},
    {"dtype": "float32", "shape": [3], "data": [0, 5, 6]},
]


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, Any]]:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    yield importlib.import_module("tree_edits"), importlib.import_module("find_separating")


def test_an_edit_is_another_tree_and_leaves_the_first_alone(tools: tuple[Any, Any]) -> None:
    edits, _ = tools
    tree = json.loads(to_json(rr.parse(TEXT)))
    before, pool, rnd = json.dumps(tree), edits.Pool(), random.Random(1)
    pool.add(tree)
    made = [edits.edited(tree, pool, rnd) for _ in range(60)]
    assert json.dumps(tree) == before
    assert sum(each is not None and each != tree for each in made) > 40
    assert all(len(json.dumps(each)) < len(before) for each in edits.smaller(tree) if each.get("functions") == {})
    assert any(edits.edited_arguments(ARGS, rnd) != ARGS for _ in range(5))


@pytest.mark.skipif(shutil.which("node") is None or not (ROOT / "conformance").is_dir(), reason="needs node")
def test_what_separates_is_made_small_and_written_as_a_case(tools: tuple[Any, Any], tmp_path: Path) -> None:
    _, find = tools
    given = find.program(json.loads(to_json(rr.parse(TEXT))), ARGS)
    assert find.agreed([given], lambda *_: None) == [given]
    mutants = [m for m in find.mutate_second.mutants() if m["file"] == "numbers.js" and m["was"] == "max"][:1]
    assert find.kills([given], mutants) == [{0}]
    small = find.smallest(given, mutants, time.monotonic() + 20)
    assert len(small.row["json"]) < len(given.row["json"]) and "exp" not in small.row["json"]
    path = tmp_path / "found.toml"
    path.write_text(find.case_text(small, "separating-found/maximum"), encoding="utf-8")
    (case,) = _load_file(path)
    assert run_case(case).passed and "R.maximum" in case.module and case.value is not None


def test_a_tree_that_no_text_spells_is_written_as_a_tree(tools: tuple[Any, Any]) -> None:
    edits, find = tools
    text = TEXT.replace("a = R.exp(x)", "a = R.shape([T.int64(7)])").replace("R.add(a, b)", "R.add(b, b)")
    tree = json.loads(to_json(rr.parse(text)))
    literal = next(path for path, node in edits.nodes(tree) if isinstance(node, dict) and node.get("bits") == "0x7")
    two = {"node": "Binary", "op": "And", "a": edits.at(tree, literal), "b": edits.at(tree, literal)}
    given = find.program(edits.replaced(tree, literal, two), None)
    assert given is not None and given.row["expect"].startswith("IllFormed ")
    assert "json = " in find.case_text(given, "separating-found/two-operands")
    assert find.generated(3, 1)


def test_a_cover_takes_the_program_that_kills_most(tools: tuple[Any, Any]) -> None:
    _, find = tools
    assert find.cover([{1}, {1, 2}, {3}, set()], lambda k: k) == [(1, {1, 2}), (2, {3})]
