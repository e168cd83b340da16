"""``refrelax fuzz``: a fault is found, shrunk, kept and reproduced; an honest implementation passes."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax import cli
from refrelax.commands import reproducers, values
from refrelax.running import npz
from refrelax.running.run import inward, parameter_types
from refrelax.semantics.numbers import reading
from refrelax.semantics.values import TensorValue

FEW = ["--features", "elementwise,float_extents", "--levels", "graph", "--dtypes", "float32", "--bindings", "6"]

COUNT = {"multiply": 100, "absolute": 1600, "maximum": 1600, "raises": 800}
"""Programs in which a fault is found: rare operators need more."""


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)

    def go(line: str, *more: str) -> tuple[int, str, str]:
        try:
            code = cli.main([*shlex.split(line), *more])
        except SystemExit as stop:
            code = int(stop.code or 0)
        return (code, *capsys.readouterr())

    return go


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("fault", "operator"),
    [
        ("multiply", "R.multiply"),
        pytest.param("absolute", "R.abs", marks=pytest.mark.nightly),
        pytest.param("maximum", "R.maximum", marks=pytest.mark.nightly),
        pytest.param("raises", "R.subtract", marks=pytest.mark.nightly),
    ],
)
def test_a_fault_is_found_shrunk_and_reproduced(command, tmp_path: Path, fault: str, operator: str) -> None:
    code, out, err = command(f"fuzz --impl faulty:{fault} --count {COUNT[fault]} --out found", *FEW)
    assert code == 1 and err == "" and "1 findings" in out
    folder = tmp_path / "found" / "0001"
    assert {p.name for p in folder.iterdir()} == {"module.py", "args.npz", "report.json", "how-to-run"}
    report = json.loads((folder / "report.json").read_text("utf-8"))
    assert report["operators"] == [operator]
    assert (folder / "module.py").read_text("utf-8").count(" = R.") == 1
    again = (folder / "how-to-run").read_text("utf-8").strip()
    assert again in out
    code, out, _ = command(again.removeprefix("refrelax "))
    assert code == 1 and out.startswith("DIVERGE")


@pytest.mark.thorough
def test_an_honest_implementation_passes(command, tmp_path: Path) -> None:
    code, out, err = command("fuzz --impl faulty:honest --count 40 --json", *FEW)
    row = json.loads(out)
    assert code == 0 and row["found"] == 0 and row["programs"] >= 40 and err == ""
    assert not (tmp_path / "findings").exists()


@pytest.mark.thorough
def test_a_backend_is_fuzzed_binding_by_binding(command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from refrelax.backends.numpy_ import compile as backend

    monkeypatch.delitem(backend.FAST_OPERATORS, "relax.multiply", raising=False)
    monkeypatch.setitem(backend.OPERATORS, "relax.multiply", lambda _attrs, args, _fast: args[0] + args[1])
    code, out, _ = command("fuzz --impl numpy --count 80 --out found", *FEW)
    assert code == 1 and "value: multiply" in out


def test_a_fault_of_refrelax_is_no_verdict_on_the_implementation(
    command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise rr.InternalError("out of order")

    monkeypatch.setattr(sys.modules["refrelax.judge.diff"], "run", broken)
    code, out, _ = command("fuzz --impl numpy --count 1 --out found", *FEW)
    assert code == 3 and "0 findings, 1 faults of refrelax itself" in out and "InternalError" in out
    again = (tmp_path / "found" / "0001" / "how-to-run").read_text("utf-8").strip()
    code, _, err = command(again.removeprefix("refrelax "))
    assert code == 3 and "a fault of refrelax, not of the program" in err


@pytest.mark.thorough
@pytest.mark.parametrize("count", [1, 3, 43])
def test_a_count_is_a_count(command, count: int) -> None:
    code, out, _ = command(f"fuzz --impl numpy --count {count} --json", *FEW)
    assert code == 0 and json.loads(out.splitlines()[-1])["programs"] == count


@pytest.mark.thorough
def test_a_time_limit_ends_it(command) -> None:
    code, out, _ = command("fuzz --impl numpy --time 0.5s", *FEW)
    assert code == 0 and "programs" in out


@pytest.mark.by_day(3)
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("fuzz --impl nowhere", "no implementation"),
        ("fuzz --impl nowhere:make", "nowhere"),
        ("fuzz --impl numpy --time soon", "expected a time"),
        ("fuzz --impl numpy --time 1s --count 3", "not allowed"),
        ("fuzz --impl numpy --count 0", "at least 1"),
        ("fuzz --impl numpy --features magic", "unknown 'magic'"),
        ("fuzz --impl numpy --dtypes float33", "no scalar dtype"),
    ],
)
def test_usage(command, line: str, says: str) -> None:
    code, _, err = command(line)
    assert code == 2 and says in err


@pytest.mark.nightly
def test_findings_depend_on_seed_and_count_alone(command, tmp_path: Path) -> None:
    for name, jobs in (("one", 1), ("two", 2), ("again", 1)):
        assert command(f"fuzz --impl faulty:maximum --count 160 --seed 3 --out {name} --jobs {jobs}", *FEW)[0] == 1
    texts = [
        [p.read_text("utf-8") for p in sorted((tmp_path / n).glob("*/module.py"))] for n in ("one", "two", "again")
    ]
    assert texts[0] and texts[0] == texts[1] == texts[2]


# --- pieces -----------------------------------------------------------------------------------------------------------


def _core(value: Any) -> Any:
    """A value with everything that two of them can differ in."""
    if isinstance(value, tuple):
        return tuple(_core(each) for each in value)
    return (
        (value.dtype, value.shape, [value.numerics.at(value.dtype).to_bits(p) for p in value.payloads()])
        if isinstance(value, TensorValue)
        else value
    )


@settings(max_examples=settings().max_examples // 2)
@given(st.data())
def test_arguments_survive_their_file(data: st.DataObject) -> None:
    module = data.draw(rr.testing.modules(max_bindings=4))
    args = data.draw(rr.testing.call_arguments(module, policy="special"))
    types = parameter_types(module, "main")
    file = io.BytesIO()
    npz.write(file, reproducers.arrays(args, types))
    file.seek(0)
    numerics = reading("ieee")
    found = values.given(npz.read(file), types)
    assert len(found) == len(args)
    for before, after, type_ in zip(args, found, types, strict=True):
        assert _core(inward(before, type_, numerics)) == _core(inward(after, type_, numerics))
