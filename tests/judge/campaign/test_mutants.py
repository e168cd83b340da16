"""Mutants of modules that were given: they check, they differ, and what they show is found and small."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax import cli
from refrelax.backends.numpy_ import compile as backend
from refrelax.errors import UsageError
from refrelax.judge.campaign import mutants
from refrelax.judge.campaign.causes import Cause
from refrelax.judge.verdicts import NoVerdict
from refrelax.testing import arguments
from refrelax.testing.mutations import has_text, mutant, mutated

pytestmark = pytest.mark.thorough

SOURCE = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((T.int64(3), T.int64(4)), "float32"), B: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        for i, j in T.grid(T.int64(3), T.int64(4)):
            with T.sblock("f"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.max(A[vi, vj], T.float32(0)) + T.float32(1)
    @R.function
    def main(x: R.Tensor((3, 4), "float32"), y: R.Tensor((3, 4), "float32")) -> R.Tensor((3,), "float32"):
        cls = Module
        a = R.subtract(x, y)
        b = R.call_tir(cls.f, (a,), out_ty=R.Tensor((3, 4), "float32"))
        c = R.exp(b)
        d = R.sum(c, axis=[1])
        return d
"""


@settings(max_examples=settings().max_examples // 2)
@given(st.integers(0, 2**40), st.integers(1, 3))
def test_a_mutant_checks_and_differs_and_follows_from_the_seed(seed: int, times: int) -> None:
    module = rr.parse(SOURCE)
    found = mutated(module, random.Random(seed), times)
    again = mutated(module, random.Random(seed), times)
    assert (found is None) == (again is None)
    if found is not None and again is not None:
        assert rr.print_module(found) == rr.print_module(again)
        assert rr.check(rr.parse(rr.print_module(found)))


def test_most_attempts_succeed_and_reach_every_kind_of_place() -> None:
    module = rr.parse(SOURCE)
    texts = [rr.print_module(m) for k in range(150) if (m := mutated(module, random.Random(k))) is not None]
    assert len(texts) > 120 and len(set(texts)) > 60
    for part in ("R.divide(", "y, x", "axis=[0]", "float16", "(3, 5)", "R.mean("):
        assert any(part in each for each in texts), part
    loops = {line.strip() for each in texts for line in each.splitlines() if "B[vi, vj] =" in line}
    assert len(loops) > 4


@pytest.mark.parametrize(("text", "takes"), [
    (SOURCE, True), ("no module", False), (SOURCE.replace("def main", "def other"), False),
    (SOURCE.replace("R.subtract(x, y)", 'R.subtract(x, metadata["ir.GenericConst"][0])'), False),
])  # fmt: skip
def test_what_can_be_mutated(text: str, takes: bool) -> None:
    assert (mutants.source(text) is not None) is takes


def test_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "a.py").write_text(SOURCE, "utf-8")
    (tmp_path / "given" / "b.py").write_text("print('no module')", "utf-8")
    monkeypatch.delitem(backend.FAST_OPERATORS, "relax.divide", raising=False)
    monkeypatch.setitem(backend.OPERATORS, "relax.divide", lambda _attrs, args, _fast: args[0] + args[1])
    line = ["fuzz", "--impl", "numpy", "--kinds", "mutants", "--out", str(tmp_path / "out")]
    assert cli.main([*line, "--from", str(tmp_path / "given"), "--count", "80"]) == 1
    assert "value: divide" in capsys.readouterr().out
    text = (tmp_path / "out" / "0001" / "module.py").read_text("utf-8")
    assert "R.divide(" in text and text.count(" = R.") == 1
    assert cli.main(line) == 2 and "--from says of what" in capsys.readouterr().err
    assert (
        cli.main([*line, "--from", str(tmp_path / "out" / "none")]) == 2 and "no such folder" in capsys.readouterr().err
    )


def test_wrapping_from_far_away_comes_to_an_end() -> None:
    """What the first mutants of the suite found: ``numpy.take`` adds the extent until it is in range."""
    far: list[Any] = [-(2**63), -4, 2**63 - 1]
    text = (
        SOURCE.partition("    @T.prim_func")[0]
        + """    @R.function
    def main(x: R.Tensor((4,), "int8"), i: R.Tensor((3,), "int64")) -> R.Tensor((3,), "int8"):
        y = R.take(x, i, axis=0, mode="wrap")
        return y
"""
    )
    args = rr.Tensor.of([5, 6, 7, 8], "int8"), rr.Tensor.of(far, "int64")
    assert rr.diff(rr.check(rr.parse(text)), "main", args, impl="numpy").word == "AGREE"


def test_a_mutant_without_a_text_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operands may be exchanged so that a tree checks that nobody can write down."""
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        y = R.call_dps_packed("f", (x,), out_ty=R.Tensor((3,), "float32"))
        return y
"""
    made = [m for k in range(60) if (m := mutant(rr.parse(text), random.Random(k))) is not None]
    without = [m for m in made if not has_text(m.module)]
    assert without and len(without) < len(made)
    assert all(m is None or has_text(m) for m in (mutated(rr.parse(text), random.Random(k)) for k in range(60)))
    monkeypatch.setattr(
        mutants, "made", lambda *_: [(m, [[rr.Tensor.of_bytes("float32", (3,), bytes(12))]]) for m in made]
    )
    monkeypatch.setattr(mutants, "verdicts", lambda calls, *_: [[NoVerdict("a fault", reason="fault")] for _ in calls])
    met = mutants.look((text,), "0", 1, None, lambda module, _: Cause("fault", rr.print_module(module), ()), False)
    assert met.programs == len(made) and met.sightings
    assert all(rr.parse(each.cause.how) for each in met.sightings)


def test_what_is_too_large_is_not_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    text = SOURCE.replace("(3, 4)", "(3000, 4000)").replace(
        "(T.int64(3), T.int64(4))", "(T.int64(3000), T.int64(4000))"
    )
    text = text.replace("T.grid(T.int64(3), T.int64(4))", "T.grid(T.int64(3000), T.int64(4000))").replace(
        "(3,)", "(3000,)"
    )
    small = rr.check(rr.parse(text))

    def fails(*_: Any) -> int:
        raise AssertionError("an element was made")

    monkeypatch.setattr(arguments, "element", fails)
    monkeypatch.setattr(mutants, "mutant", lambda *_: small)
    assert mutants.made([text], "0", 3) == []
    with pytest.raises(UsageError, match="too large"):
        arguments.random_arguments(small.module, "main", most=100)
