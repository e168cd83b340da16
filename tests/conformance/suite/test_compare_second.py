"""``tools/compare_second.py``: the second implementation refuses what the definition refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.syntax.json_ import to_json
from tests.scripts import script

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not (ROOT / "conformance").is_dir(), reason="needs node, and conformance/second"
)


@pytest.fixture
def tool() -> Any:
    return script("compare_second")


TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32"), k: R.Tensor((2,), "int64")):
        y = R.exp(x)
        z = R.add(y, y)
        return z
"""


@pytest.mark.thorough
def test_no_difference_at_modules_near_the_suite(tool: Any) -> None:
    found, counts = tool.compared(1500, seed=7)
    assert [(each.kind, each.what, each.edited.tree) for each in found] == []
    assert (
        counts["refused by the definition"] == 1500 and counts["unsupported by the second"] < 0.15 * counts["modules"]
    )


@pytest.mark.thorough
def test_a_difference_is_told_by_its_rule_and_made_smaller(tool: Any, tmp_path: Path) -> None:
    """An implementation that takes everything, and one that refuses everything."""
    tree = json.loads(to_json(rr.parse(TEXT)))
    good = tool.said("good", tree)
    tree["functions"]["main"]["body"]["body"]["name"] = "nobody"
    bad = tool.said("bad", tree)
    assert good.rules == () and bad.rules == ("wf/var-defined-before-use",)
    takes = tool.difference(bad, {"end": "accepted", "types": {}})
    refuses = tool.difference(good, {"end": "rejected", "why": "no"})
    assert (takes.kind, takes.what) == ("taken", "wf/var-defined-before-use") and refuses.kind == "refused"
    assert tool.difference(good, {"end": "accepted", "types": {}}).kind == "types"
    assert tool.difference(bad, {"end": "rejected", "why": ""}) is None
    assert tool.difference(good, {"end": "unsupported", "why": ""}) is None
    main = tmp_path / "main.js"
    main.write_text(
        'require("node:readline").createInterface({ input: process.stdin }).on("line", () => '
        'process.stdout.write(`${JSON.stringify({ end: "accepted", types: {} })}\\n`));',
        encoding="utf-8",
    )
    process = tool.Process(main)
    small = tool.smaller(takes, process)
    process.close()
    assert small.kind == "taken" and len(json.dumps(small.edited.tree)) < len(json.dumps(tree))
