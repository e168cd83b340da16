"""The property suite of the backend `cupy`, on a GPU. Without CuPy or a device every test is skipped.

`pytest -m gpu tests/backends/cupy_` runs it where there is one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import CALLS, KERNELS, arguments, module

import refrelax as rr
from refrelax import examples
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.errors import UsageError
from refrelax.judge import diff
from refrelax.judge.verdicts import Agreement


def device_missing() -> str:
    from refrelax.backends.cupy_.device import find_cupy

    try:
        find_cupy()
    except UsageError as missing:
        return str(missing)
    return ""


pytestmark = [pytest.mark.gpu, pytest.mark.skipif(bool(device_missing()), reason=device_missing() or "a GPU")]


@cache
def executable(mode: str) -> CudaExecutable:
    from refrelax.backends.cupy_.device import CuPyDevice

    return CudaExecutable(module(), mode, CuPyDevice())


class Device:
    """The compiled programs as an implementation, for `diff`."""

    def run(self, _module: Any, entry: str, args: Any) -> Any:
        return executable("fast").run(entry, *args)


def same(found: Any, wanted: Any) -> bool:
    a, b = found.numpy(), wanted.numpy()
    if a.dtype.kind in "iub":
        return bool((a == b).all())
    a, b = a.astype(np.float64), b.astype(np.float64)
    return bool((((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))).all())


@pytest.mark.parametrize(("name", "k"), CALLS)
def test_bits_are_the_interpreters(name: str, k: int) -> None:
    wanted, found = rr.run(module(), name, *arguments(name, k)), executable("bits").run(name, *arguments(name, k))
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    for place, (f, w) in enumerate(zip(found.arguments, wanted.arguments, strict=True)):
        if hasattr(w, "numpy") and not any(path.startswith(f"arguments[{place}]") for path, _ in wanted.poison):
            assert same(f, w)


@pytest.mark.parametrize("name", KERNELS)
def test_fast_is_permitted(name: str) -> None:
    for k in range(len(KERNELS[name])):
        assert isinstance(diff(module(), name, arguments(name, k), impl=Device()), Agreement)


def test_reports_end_the_run() -> None:
    stored = executable("fast").run("checked_store", np.array([0, 4, 1]), np.zeros(4, np.float32))
    assert isinstance(stored, rr.Unspecified) and stored.rule == "ld/store-out-of-bounds"
    failed = executable("fast").run("asserted", np.array([1, 0, 2], np.int32), np.zeros(3, np.int32))
    assert isinstance(failed, rr.Trapped) and failed.rule == "ld/assert-fails"


@given(st.integers(1, 70), st.integers(1, 70), st.integers(1, 70), st.integers(0, 1 << 32))
@settings(max_examples=25)
def test_contractions_of_any_size(n: int, m: int, k: int, seed: int) -> None:
    """Small integers, so that every order of summation gives the same bits."""
    r = np.random.default_rng(seed)
    a, b = (r.integers(-8, 9, shape).astype(np.float32) for shape in ((n, k), (m, k)))
    ended = executable("fast").run("matmul", a, b, np.zeros((n, m), np.float32))
    assert isinstance(ended, rr.Returned)
    assert (ended.arguments[2].numpy() == a @ b.T).all()


@given(st.integers(0, 9), st.integers(1, 5000), st.integers(0, 1 << 32))
@settings(max_examples=25)
def test_rows_of_any_size(n: int, m: int, seed: int) -> None:
    a = np.random.default_rng(seed).integers(-8, 9, (n, m)).astype(np.float32)
    ended = executable("fast").run("row_sum", a, np.zeros(n, np.float32))
    assert isinstance(ended, rr.Returned)
    assert (ended.arguments[1].numpy() == (a * a).sum(axis=1)).all()


@pytest.mark.parametrize("name", ["mlp", "cnn", "decoder"])
def test_examples_agree(name: str) -> None:
    example = examples.load(name)
    stage = example.stage("zero")
    checked = rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants))
    for run in example.runs:
        verdict = diff(checked, example.entry, run.args, impl="cupy", mode="fast")
        assert isinstance(verdict, Agreement), verdict
