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
from row_operators import OPERATORS, lowered
from test_attention import lowered as attention
from test_row_programs import arguments as row_arguments

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


@cache
def rows(dtype: str) -> CudaExecutable:
    from refrelax.backends.cupy_.device import CuPyDevice

    return CudaExecutable(lowered(dtype), "fast", CuPyDevice())


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", OPERATORS)
def test_row_programs(name: str, dtype: str) -> None:
    class It:
        def run(self, _module: Any, entry: str, args: Any) -> Any:
            return rows(dtype).run(entry, *args)

    for n, m in ((3, 64), (2, 37), (1, 1500), (0, 4)):
        args = row_arguments(name, dtype, n, m, n + m)
        verdict = diff(lowered(dtype), name, args, impl=It())
        assert not isinstance(verdict, rr.Divergence), verdict
        assert verdict.report.outside == 0


@pytest.mark.parametrize("m", [4096, 40_000, 4099])
def test_long_rows(m: int) -> None:
    """Kept in the block's memory, too long for it, and without alignment."""
    x = np.random.default_rng(m).standard_normal((64, m)).astype(np.float32)
    found = rows("float32")["softmax"](x)
    wanted = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    assert np.allclose(found, wanted / wanted.sum(axis=1, keepdims=True), rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("sizes", [(2, 40, 70), (1, 33, 1000), (1, 20, 5000)])
@pytest.mark.parametrize("name", ["plain", "causal"])
def test_attention(name: str, sizes: tuple[int, int, int]) -> None:
    from refrelax.backends.cupy_.device import CuPyDevice

    b, s, t = sizes
    compiled = CudaExecutable(attention("float32", 2, 64, 48), "fast", CuPyDevice())
    r = np.random.default_rng(s)
    q, k, v = (r.standard_normal(e).astype(np.float32) for e in ((b, s, 2, 64), (b, t, 2, 64), (b, t, 2, 48)))
    scores = np.einsum("bshd,bthd->bhst", q.astype(np.float64), k) / 8
    if name == "causal":
        scores = np.where(np.tril(np.ones((s, t), bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    wanted = np.einsum("bhst,bthd->bshd", weights / weights.sum(axis=-1, keepdims=True), v)
    assert np.allclose(compiled[name](q, k, v), wanted, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("graph", [False, True])
def test_arrays_that_stay_on_the_device(graph: bool) -> None:
    import cupy

    stream = cupy.cuda.Stream(non_blocking=True)
    call = rows("float32").resident("softmax", stream=stream, graph=graph)
    kept = []
    for seed in range(4):
        x = np.random.default_rng(seed).standard_normal((5, 300)).astype(np.float32)
        given_ = cupy.asarray(x)
        cupy.cuda.get_current_stream().synchronize()
        found = call(given_)
        stream.synchronize()
        kept.append((found, rows("float32")["softmax"](x)))
    assert all(tape is not None for tape in call.tapes.values()) and len(call.tapes) == 1
    assert all((cupy.asnumpy(found) == wanted).all() for found, wanted in kept)


@pytest.mark.parametrize("name", ["mlp", "decoder"])
@pytest.mark.parametrize("graph", [False, True])
def test_replays_of_models(name: str, graph: bool) -> None:
    import cupy

    from refrelax.backends.cupy_.device import CuPyDevice
    from refrelax.lower.pipeline import lower

    example = examples.load(name)
    stage = example.stage("imported")
    checked = rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants))
    compiled = CudaExecutable(lower(checked, pipeline="default").module, "fast", CuPyDevice())
    call = compiled.resident(example.entry, graph=graph)
    for _ in range(3):
        for run in example.runs:
            args = [np.frombuffer(a.data, a.dtype).reshape(a.shape).copy() for a in run.args]
            wanted, found = compiled[example.entry](*args), call(*map(cupy.asarray, args))
            pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
            assert all((cupy.asnumpy(f) == w).all() for f, w in pairs)
