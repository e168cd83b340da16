"""What a foreign implementation answers, before both judges: the one here, and the one for node. Each of these answers
was judged wrongly by one of them or by both, or ended one with a traceback."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from refrelax.conformance.suite.judge import judge
from refrelax.conformance.suite.protocol import answer_of
from refrelax.conformance.suite.records import Record
from refrelax.conformance.suite.store import FORMAT
from refrelax.errors import UsageError
from refrelax.syntax.json_ import schema

RUNNER = Path(__file__).resolve().parents[2] / "conformance" / "second" / "runner" / "main.js"
NODE = shutil.which("node") is not None and RUNNER.is_file()


def here(record: Record, line: str) -> str:
    """What the judge here says of an answer; a line that is none is a crash of whoever wrote it."""
    try:
        return judge(record, answer_of(line))[0]
    except UsageError:
        return "failed"


def for_node(record: Record, line: str, folder: Path) -> str:
    """What the judge for node says of it."""
    (folder / "schema").mkdir()
    (folder / "schema" / "module.json").write_text(json.dumps(schema()), encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps({"format": FORMAT, "cases": ["a-case"]}), encoding="utf-8")
    (folder / "a-case.json").write_text(json.dumps({**record, "name": "a-case"}), encoding="utf-8")
    (folder / "answers").write_text(line + "\n", encoding="utf-8")
    asked = ["node", RUNNER, folder, "--judge", folder / "answers", "--json"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return str(json.loads(done.stdout)["verdict"])


def both(record: Record, folder: Path, rest: str) -> set[str]:
    line = '{"id": 1, "case": "a-case", ' + rest + "}"
    return {here(record, line), *([for_node(record, line, folder)] if NODE else [])}


def returned(value: Any, arguments: Any = (), printed: Any = ()) -> Record:
    """A case whose run returns a value; no element of it is a set."""
    effects = [{"kind": "print", "name": "relax.print", "payload": ["{}", each]} for each in printed]

    def exactly(x: Any) -> Any:
        return None if isinstance(x, dict) and "bits" in x else x

    permitted = {
        "value": exactly(value), "arguments": [*map(exactly, arguments)], "effects": [e["payload"] for e in effects],
    }  # fmt: skip
    return {
        "name": "a-case", "rule": "ev/call", "verdict": "accepts", "expect": "Returned", "profile": "graph",
        "ask": "run", "entry": "main", "args": [], "module": "", "tree": {}, "constants": [], "value": value,
        "arguments": [*arguments], "effects": effects, "permitted": permitted,
    }  # fmt: skip


def tensor(dtype: str, shape: list[int], *bits: str) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "bits": [*bits]}


# --- types -----------------------------------------------------------------------------------------------------------

N = {"node": "SymVar", "name": "n", "dtype": "int64"}
TWO = {"node": "Literal", "dtype": "int64", "bits": "0x2"}


def shape_of(dim: Any) -> Any:
    return {"node": "ShapeType", "values": [dim], "ndim": 1}


def typed(dim: Any) -> Record:
    """A case whose binding ``s`` has a shape of one dimension for its type."""
    pair = {"expect": "accepts", "ask": "check", "types": {"main": {"s": shape_of(dim)}}}
    return {**returned(None), **pair, "rule": "op.a"}


@pytest.mark.parametrize(("ours", "theirs"), [
    (N, {**N, "dtype": "float32x4"}), (N, {**N, "dtype": "float32"}), (N, {**N, "dtype": "void"}),
    (N, {**N, "dtype": "handle"}), (N, {**N, "dtype": "int32"}),
    (N, {"node": "Intrinsic", "op": "nothing", "args": [N], "dtype": "int64"}),
    ({"node": "Intrinsic", "op": "pow", "args": [N, TWO], "dtype": "int64"},
     {"node": "Intrinsic", "op": "pow", "args": [N, TWO, TWO], "dtype": "int64"}),
    (N, {"node": "Cast", "dtype": "int64", "value": {"node": "Binary", "op": "And", "a": N, "b": N}}),
])  # fmt: skip
def test_a_type_whose_dimension_is_none_is_wrong(ours: Any, theirs: Any, tmp_path: Path) -> None:
    types = {"main": {"s": shape_of(theirs)}}
    assert both(typed(ours), tmp_path, f'"end": "accepted", "types": {json.dumps(types)}') == {"failed"}
