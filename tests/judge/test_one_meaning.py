"""Programs whose canonical run is all that is permitted: those of integers, and no others."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.judge.campaign.look import BUDGET, checked_of
from refrelax.judge.one_meaning import one_meaning
from refrelax.judge.outcomes import copies
from refrelax.running.arrays import Tensor
from refrelax.running.run import run
from refrelax.semantics.graph.machine import Scope
from refrelax.testing.cells import WHOLE, of_operator
from refrelax.testing.sketches import SKETCHES

INTEGERS = tuple(each for each in WHOLE if "float" not in each)


def told(outcome: Any) -> Any:
    """What a run gives, element by element."""
    if not isinstance(outcome, rr.Returned):
        return outcome
    return shown(outcome.value), shown(outcome.arguments), outcome.poison, [shown(e.payload) for e in outcome.effects]


def shown(value: Any) -> Any:
    if isinstance(value, tuple):
        return [shown(each) for each in value]
    core = value.core if isinstance(value, Tensor) else value
    return [core.dtype, core.shape, [repr(p) for p in core.payloads()]] if hasattr(core, "payloads") else repr(core)


@pytest.mark.thorough
@settings(max_examples=25)
@given(st.sampled_from(sorted(SKETCHES)), st.integers(0, 10**6))
def test_both_readings_run_such_a_program_in_the_same_way(op: str, seed: int) -> None:
    for cell in of_operator(op, seed, INTEGERS)[:4]:
        checked = checked_of(cell.program)
        if checked is not None and one_meaning(checked):
            for args in cell.every_input():
                ieee, wide = (
                    told(run(checked, "main", *copies(args), numerics=each, budget=BUDGET))
                    for each in ("ieee", "enclosure")
                )
                assert ieee == wide, cell.key


def program(head: str, body: str) -> rr.CheckedModule:
    function = f"    @R.function(pure=False)\n    def main({head}):\n        {body}\n        return gv\n"
    return rr.check(rr.parse(f"@I.ir_module\nclass M:\n{function}"))


@pytest.mark.parametrize(
    ("head", "body", "one"),
    [
        ('x: R.Tensor((3,), "int32")', "gv = R.add(x, x)", True),
        ('x: R.Tensor((3,), "int32")', "gv = R.sum(x)", True),
        ('x: R.Tensor((3,), "float32")', "gv = R.add(x, x)", False),
        ('x: R.Tensor((3,), "float32")', "gv = R.equal(x, x)", False),
        ('x: R.Tensor((3,), "int32")', 'gv = R.astype(R.astype(x, "float32"), "int32")', False),
        ('x: R.Tensor((3,), "int32")', "gv = R.clip(x, 0.5, 2)", False),
        ('x: R.Tensor(dtype="int32")', "gv = R.add(x, x)", True),
        ("x: R.Tensor((3,))", "gv = R.add(x, x)", False),
        ("x: R.Any", "gv = x", False),
        ('x: R.Tensor((1, 2, 2, 1), "int32")', "gv = R.image.resize2d(x, R.shape([3, 3]))", False),
    ],
)
def test_it_is_one_of_integers_and_of_operators_that_do_not_round(head: str, body: str, one: bool) -> None:
    assert one_meaning(program(head, body)) is one


def test_the_enclosure_of_such_a_program_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    diff = import_module("refrelax.judge.diff")
    asked = []

    def watched(*args: Any, **more: Any) -> Any:
        asked.append(more["numerics"])
        return run(*args, **more)

    monkeypatch.setattr(diff, "run", watched)
    checked = program('x: R.Tensor((3,), "int32")', "gv = R.add(x, x)")
    assert isinstance(diff.diff(checked, "main", [Tensor.of([1, 2, 3], "int32")]), rr.Agreement)
    assert asked == ["ieee"]


class Off:
    """An implementation that is wrong by one."""

    def run(self, _module: Any, _entry: str, _args: Any) -> rr.Outcome:
        return rr.Returned(Tensor.of([2, 4, 7], "int32"))


def test_a_wrong_integer_diverges() -> None:
    from refrelax.judge.diff import diff

    checked = program('x: R.Tensor((3,), "int32")', "gv = R.add(x, x)")
    verdict = diff(checked, "main", [Tensor.of([1, 2, 3], "int32")], Off())
    assert isinstance(verdict, rr.Divergence) and "7, permitted 6" in verdict.message


def test_known_bindings_are_those_of_the_one_run() -> None:
    from refrelax.judge.known_bindings import KnownBindings

    checked = program('x: R.Tensor((3,), "int32")', "gv = R.add(x, x)")
    known = KnownBindings(checked, "main")
    binding = checked.module.functions["main"].body.blocks[0].bindings[0]  # type: ignore[union-attr]
    known.note("ieee", "main", binding, "the value", Scope("main"))
    known.same("ieee", "enclosure")
    assert known.values == {("ieee", "gv"): "the value", ("enclosure", "gv"): "the value"}
