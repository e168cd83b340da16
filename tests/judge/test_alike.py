"""What is judged by bits alone: only what is the definition's own run, with every binding."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.alike import alike, same
from refrelax.judge.backend import Backend
from refrelax.judge.campaign import look
from refrelax.judge.outcomes import copies
from refrelax.judge.verdicts import Agreement
from refrelax.running.arrays import Tensor
from refrelax.running.run import run
from refrelax.semantics.values import Prim

DIFF = sys.modules["refrelax.judge.diff"]
"""The module; its function has the same name."""

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        a = R.add(x, x)
        z = R.subtract(a, a)
        return z
"""
STORES = """
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((T.int64(3),), "float32")):
        for i in range(T.int64(3)):
            with T.sblock("f"):
                vi = T.axis.spatial(T.int64(3), i)
                A[vi] = T.float32(1)
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        cls = Module
        y = R.call_tir_inplace(cls.f, (x,), out_ty=R.Tensor((3,), "float32"), inplace_indices=[0])
        return y
"""


def _given(*numbers: float) -> list[Any]:
    return [Tensor.of_bytes("float32", (len(numbers),), np.array(numbers, "float32").tobytes())]


class _Changed(Backend):
    """A backend that shows another value of a binding than it has."""

    def observe(self, *args: Any) -> Any:
        seen = super().observe(*args)
        frames = [replace(f, value=f.value + 1) if f.name == "a" else f for f in seen.frames]
        return replace(seen, frames=tuple(frames))


class _Silent(Backend):
    """One that shows no bindings."""

    def observe(self, *args: Any) -> Any:
        return replace(super().observe(*args), frames=())


class _Other(Backend):
    """One whose result is not that of its last binding."""

    def observe(self, *args: Any) -> Any:
        seen = super().observe(*args)
        return replace(seen, outcome=replace(seen.outcome, value=_given(4.0, 5.0, 6.0)[0]))


class _Told:
    """What a run gives for each binding."""

    def __init__(self) -> None:
        self.values: list[tuple[str, str, Any]] = []

    def on_binding(self, path: str, binding: Any, value: Any, _scope: Any) -> None:
        self.values.append((path, binding.name, value))


def _asked(backend: Backend, text: str = MODULE, numbers: tuple[float, ...] = (1.0, 2.0, 3.0)) -> Agreement | None:
    checked, told, given = rr.check(rr.parse(text)), _Told(), _given(*numbers)
    wanted = run(checked, "main", *copies(given), listener=told)
    return alike(checked, "main", told.values, wanted, backend.observe(checked, "main", list(copies(given)), {}))


def test_the_same_bits_are_permitted_without_the_permitted_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _asked(Backend("numpy"))
    assert found is not None and found.report.counts.inside == 3
    assert _asked(Backend("numpy"), numbers=(float("nan"), 2.0, float("inf"))) is not None
    empty = _asked(Backend("numpy"), MODULE.replace("R.Tensor((3,)", "R.Tensor((0,)"), ())
    assert empty is not None and empty.report.counts.inside == 1
    monkeypatch.setattr(DIFF._Judgement, "verdict", lambda _: pytest.fail("the permitted sets were asked for"))
    checked = rr.check(rr.parse(MODULE))
    assert look.quick_verdict_of(checked, _given(1.0, 2.0, 3.0), Backend("numpy"), False).word == "AGREE"


def test_a_binding_that_is_hidden_by_the_next_one_is_not_overlooked() -> None:
    """``a - a`` is 0 whatever finite number ``a`` is: the result alone would not tell."""
    assert _asked(_Changed("numpy")) is None
    checked = rr.check(rr.parse(MODULE))
    verdict = look.quick_verdict_of(checked, _given(1.0, 2.0, 3.0), _Changed("numpy"), False)
    assert verdict.word == "DIVERGE" and "a[" in str(verdict)


@pytest.mark.parametrize(("backend", "text"), [
    (_Silent("numpy"), MODULE), (_Other("numpy"), MODULE), (Backend("numpy"), STORES),
])  # fmt: skip
def test_what_is_left_to_diff(backend: Backend, text: str) -> None:
    assert _asked(backend, text, (-1.0, 2.0, 0.7)) is None


def test_strict_is_never_judged_by_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DIFF, "alike", lambda *_: pytest.fail("strict permits less than the canonical run may give"))
    checked = rr.check(rr.parse(MODULE))
    assert look.quick_verdict_of(checked, _given(1.0, 2.0, 3.0), Backend("numpy"), True).word == "AGREE"


@pytest.mark.parametrize(("wanted", "found", "alike_"), [
    ([1.0, -0.0], [1.0, -0.0], True), ([1.0, 0.0], [1.0, -0.0], False),
    ([float("nan"), 1.0], [float("nan"), 1.0], True),
    ([1.0, 2.0], [1.0, 3.0], False), ([1.0], [1.0, 1.0], False),
])  # fmt: skip
def test_bits(wanted: list[float], found: list[float], alike_: bool) -> None:
    ours = _given(*wanted)[0].core
    assert same(ours, np.array(found, "float32")) is alike_
    assert not same(ours, np.array(found, "float64")) and not same(ours, None)
    assert same((ours,), (np.array(wanted, "float32"),)) and not same((ours,), np.array(wanted, "float32"))


def test_single_numbers() -> None:
    assert same(Prim("int64", 3), 3) and not same(Prim("int64", 3), 3.0) and not same(Prim("bool", True), 1)
    assert not same(Prim("float64", 0.0), 0.0) and not same(object(), object())
