"""``refrelax trace`` and the events it rests on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.cli import main

MODULE = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        c = T.sblock_alloc_buffer((n,))
        for i in range(n):
            with T.sblock("c"):
                vi = T.axis.spatial(n, i)
                c[vi] = A[vi] + T.float32(1)
        for j in range(n):
            with T.sblock("b"):
                vj = T.axis.spatial(n, j)
                B[vj] = c[vj]
    @R.function(pure=False)
    def main(x: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
        cls = Module
        y = R.call_tir(cls.add, (x,), out_ty=R.Tensor((n,), dtype="float32"))
        _ = R.print(y, format=R.str("{}"))
        return y
"""


def events(loops: bool = False) -> list[tuple[str, str, str]]:
    found, outcome = rr.trace(rr.check(rr.parse(MODULE)), "main", [1.0, 2.0], loops=loops)
    assert isinstance(outcome, rr.Returned)
    return [(e.kind, e.path, e.name) for e in found]


def test_events_are_in_order() -> None:
    assert events() == [
        ("call", "main", "main"),
        ("call", "add", "add"),
        ("allocation", "add", "c"),
        ("binding", "main", "y"),
        ("effect", "", "relax.print"),
        ("binding", "main", "_"),
    ]
    steps = [name for kind, _, name in events(loops=True) if kind == "step"]
    assert steps == ["i", "i", "j", "j"]


def test_a_value_is_told_as_it_was() -> None:
    found, _ = rr.trace(rr.check(rr.parse(MODULE)), "main", [1.0, 2.0])
    call = next(e for e in found if e.kind == "call" and e.name == "add")
    assert call.value[1].tolist() == [None, None]
    bound = next(e for e in found if e.kind == "binding" and e.name == "y")
    assert bound.value.tolist() == [2.0, 3.0]


def test_the_command_prints_text_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page = tmp_path / "m.py", tmp_path / "out.html"
    file.write_text(MODULE)
    options = ["trace", str(file), "--random", "0", "--dim", "n=2"]
    assert main([*options, "--loops"]) == 0
    text = capsys.readouterr().out
    assert "step add/i = 1" in text
    assert "allocation add/c: float32[2] in global" in text
    assert main([*options, "--json"]) == 0
    recording = json.loads(capsys.readouterr().out)
    kinds = ["call", "bind", "call", "allocate", "bind", "effect"]
    assert [step["kind"] for step in recording["steps"]] == kinds
    assert recording["outcome"]["kind"] == "Returned"
    assert main([*options, "--html", str(page)]) == 0
    assert recording["text"].splitlines()[0] in page.read_text()


def test_a_run_that_ends_badly_is_told_to_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.py"
    file.write_text(MODULE.replace("B[vj] = c[vj]", "B[vj + 1] = c[vj]"))
    assert main(["trace", str(file), "--random", "0", "--dim", "n=2"]) == 0
    assert "[ld/store-out-of-bounds]" in capsys.readouterr().out
