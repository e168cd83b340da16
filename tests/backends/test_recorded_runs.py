"""Backends that replay: the outcome of the definition on every call of a session, and no second run of the function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.numpy_ import machine
from refrelax.lower.pipeline import lower
from refrelax.semantics.session import Session
from tests.lower.built_modules import PASSES, printed, typed

BACKENDS = ("numpy", "cuda-emulated")


def calls() -> list[Any]:
    """Arrays of extents 3, 1, 3, 0, 3: recorded, recorded for another key, replayed, recorded empty, replayed."""
    return [np.arange(size, dtype="float32") - k for k, size in enumerate((3, 1, 3, 0, 3))]


@pytest.mark.by_day(3)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["STEPS", "STEPS_BUILT"])
def test_every_call_of_a_session_is_as_defined(backend: str, name: str) -> None:
    checked = rr.check(rr.parse(printed(name)))
    compiled = rr.compile(checked, backend=backend, mode="bits")
    session = Session()
    results = []
    for x in calls():
        wanted = rr.run(checked, "main", x, session=session)
        found = compiled.run("main", x)
        assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), (wanted, found)
        assert found.value.numpy().tolist() == wanted.value.numpy().tolist() == (x * 32).tolist()
        results.append((found, x))
    assert all(found.value.numpy().tolist() == (x * 32).tolist() for found, x in results)
    assert sorted(key for key in session.recorded) == [(n, (size,)) for n in (0, 1) for size in (0, 1, 3)]


def test_a_replay_goes_through_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = rr.compile(rr.check(rr.parse(printed("STEPS_BUILT"))), backend="numpy", mode="bits")
    launches: list[int] = []
    real = machine.launch
    monkeypatch.setattr(machine, "launch", lambda run, *args: launches.append(1) or real(run, *args))
    counts = []
    for _ in range(3):
        launches.clear()
        compiled.run("main", np.ones(2, "float32"))
        counts.append(len(launches))
    assert counts == [6, 3, 3]  # of six launches three are recorded


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_moved_replay_is_refused(backend: str) -> None:
    text = printed("STEPS")
    line = next(each for each in text.splitlines() if each.strip().startswith("cached = "))
    wrong = rr.check(rr.parse(text.replace(line, "        cached = cls.main_cuda_graph_alloc()")))
    compiled = rr.compile(wrong, backend=backend, mode="bits")
    held = [compiled.run("main", np.ones(2, "float32")) for _ in range(2)]
    assert isinstance(held[0], rr.Returned)
    assert isinstance(held[1], rr.Unspecified) and held[1].rule == "vm/replay-moved"


@pytest.mark.by_day(3)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PASSES)
def test_built_modules_agree_binding_by_binding(backend: str, name: str) -> None:
    checked = rr.check(rr.parse(printed(name)))
    args = rr.testing.random_arguments(typed(name).module, "main", 3, {"n": 2})
    if name == "SHAPES":
        args[5] = [1.0, 2.0]
    if name == "RETURNS":
        args[0] = np.zeros((2, 2), "float32")
    verdict = rr.diff(checked, "main", args, impl=backend)
    assert isinstance(verdict, rr.Agreement), verdict


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_planned_module_runs_without_being_built(backend: str) -> None:
    checked = typed("STEPS")
    x = np.arange(4, dtype="float32")
    found = rr.compile(checked, backend=backend, mode="bits").run("main", x)
    assert isinstance(found, rr.Returned) and found.value.numpy().tolist() == (x * 32).tolist()
    assert lower(checked, passes=()).module is checked
