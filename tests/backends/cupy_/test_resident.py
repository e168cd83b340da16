"""Calls over arrays of the device: the second call with given shapes goes through a list of launches."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from programs import arguments, module

import refrelax as rr
from refrelax import examples
from refrelax.backends.cupy_ import emulate
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.cupy_.launch import Launcher
from refrelax.errors import RunError, UsageError
from refrelax.lower.pipeline import lower

pytestmark = pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")


@cache
def executable(name: str, pipeline: str) -> CudaExecutable:
    stage = examples.load(name).stage("imported")
    checked = rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants))
    return CudaExecutable(lower(checked, pipeline=pipeline).module, "fast", EmulatedDevice())


@pytest.mark.thorough
@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("pipeline", ["kernels", "default"])
@pytest.mark.parametrize("name", ["mlp", "decoder"])
def test_replays_give_what_runs_give(name: str, pipeline: str, graph: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, example = executable(name, pipeline), examples.load(name)
    call, kept = compiled.resident(example.entry, graph=graph), []
    for turn in range(3):
        for run in example.runs:
            args = [array(a) * np.float32(1 + turn) for a in run.args]
            wanted = compiled.run(example.entry, *args)
            assert isinstance(wanted, rr.Returned)
            found = call(*args)
            values = wanted.value if isinstance(wanted.value, tuple) else (wanted.value,)
            results = found if isinstance(found, tuple) else (found,)
            assert all(f.tolist() == w.numpy().tolist() for f, w in zip(results, values, strict=True))
            kept.append((results, [f.tolist() for f in results]))
    assert len(call.tapes) == len({tuple(a.shape for a in run.args) for run in example.runs})
    assert all(tape is not None for tape in call.tapes.values())
    assert all([f.tolist() for f in results] == before for results, before in kept), "results are the caller's"
    monkeypatch.setattr(Launcher, "__call__", None)
    call(*map(array, example.runs[0].args))


def array(raw: Any) -> Any:
    return np.frombuffer(raw.data, raw.dtype).reshape(raw.shape).copy()


def test_a_parameter_that_is_written_is_the_callers() -> None:
    compiled = CudaExecutable(module(), "fast", EmulatedDevice())
    for graph in (False, True):
        call = compiled.resident("in_place", graph=graph)
        for turn in range(3):
            a = np.full((6, 4), turn, np.float32)
            call(a)
            assert (a == 2 * turn - 1).all()
        assert list(call.tapes) and all(call.tapes.values())


def test_runs_that_the_host_looks_at_have_no_list() -> None:
    compiled = CudaExecutable(module(), "fast", EmulatedDevice())
    call = compiled.resident("checked_store")
    for _ in range(2):
        out = np.zeros(4, np.float32)
        call(np.array([0, 3, 1]), out)
        assert out.tolist() == [1, 1, 0, 1]
    assert not call.tapes
    with pytest.raises(RunError):
        call(np.array([0, 9, 1]), np.zeros(4, np.float32))
    with pytest.raises(UsageError):
        compiled.resident("nothing")


def test_arguments_that_share_memory_have_no_list() -> None:
    compiled = CudaExecutable(module(), "fast", EmulatedDevice())
    call = compiled.resident("row_sum")
    first = arguments("row_sum", 0)
    call(*first)
    assert len(call.tapes) == 1
    both = np.zeros((3, 257), np.float32)
    call(both, both.reshape(-1)[:3])
    assert len(call.tapes) == 1


@pytest.mark.thorough
def test_constants_are_uploaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    example, compiled = examples.load("decoder"), executable("decoder", "kernels")
    args = example.runs[0].args
    compiled.run(example.entry, *args)
    uploads: list[Any] = []
    real = EmulatedDevice.upload
    monkeypatch.setattr(EmulatedDevice, "upload", lambda self, a: uploads.append(a) or real(self, a))
    compiled.run(example.entry, *args)
    assert len(uploads) == len(args)
