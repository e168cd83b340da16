"""Scans and sorts along an axis: one launch, whatever is sorted, in every order of threads."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.cupy_ import emulate, geometry, nvrtc
from refrelax.backends.cupy_.compile import CudaExecutable, cost_of
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.cupy_.plan import cuda_source
from refrelax.lower.pipeline import lower
from refrelax.running.arrays import numpy_dtype
from tests.testing.comparing import same_bits

SORTS = {
    "sort": ("n m", "R.sort(x, axis=1)"),
    "down": ("m n 3", "R.sort(x, axis=0, descending=True)"),
    "places": ("n m", 'R.argsort(x, axis=-1, descending=True, dtype="int64")'),
    "columns": ("n m 2", 'R.argsort(x, axis=1, dtype="int32")'),
    "best": ("n m", 'R.topk(x, k=2, axis=-1, ret_type="values", largest=True)'),
    "least": ("m n", 'R.topk(x, k=3, axis=0, ret_type="indices", largest=False)'),
}
SCANS = {
    "sums": ("n m", "R.cumsum(x, axis=1)"),
    "before": ("n m", "R.cumsum(x, axis=1, exclusive=1)"),
    "products": ("n m 3", "R.cumprod(x, axis=1)"),
    "whole": ("n m", "R.cumsum(x)"),
    "planes": ("n m 2 3", "R.cumsum(x, axis=1)"),
}


@cache
def module(name: str, dtype: str) -> Any:
    dims, call = (SORTS | SCANS)[name]
    shape = ", ".join(dims.split())
    text = f"""n, m = TypeVar("n"), TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(({shape}), "{dtype}")):
        with R.dataflow():
            out = {call}
            R.output(out)
        return out
"""
    return lower(rr.check(rr.parse(text)), pipeline="kernels").module


def array(name: str, dtype: str, n: int, m: int, seed: int) -> Any:
    sizes = [{"n": n, "m": m}.get(dim) or (0 if dim in "nm" else int(dim)) for dim in (SORTS | SCANS)[name][0].split()]
    r = np.random.default_rng(seed)
    if dtype == "bool" or "int" in dtype:
        low, high = (0, 2) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return r.integers(low, high, sizes, dtype="bool" if dtype == "bool" else dtype, endpoint=dtype != "bool")
    if name in SCANS:
        return (1 + r.standard_normal(sizes) / 4).astype(numpy_dtype(dtype))
    cells = np.array([0.0, -0.0, 1, -1, float("nan"), float("inf"), float("-inf"), 2, 3], "float32")
    return cells[r.integers(0, len(cells), sizes)].astype(numpy_dtype(dtype))


@pytest.mark.parametrize("name", [*SORTS, *SCANS])
def test_one_launch_moves_every_element_once(name: str) -> None:
    found = cost_of(module(name, "float32"), "main", {"n": 5, "m": 300})
    assert [each.form for each in found.kernels] == ["sort" if name in SORTS else "scan in turn"]
    assert found.kernels[0].threads > 32
    count = array(name, "float32", 5, 300, 0).size
    assert found.read == 4 * count
    if name in SCANS or name in ("sort", "down", "columns"):
        assert found.written == 4 * count


@pytest.mark.parametrize("name", [*SORTS, *SCANS])
def test_long_rows_are_sorted_in_memory_of_their_own(name: str) -> None:
    """Two tables of positions, each read and written, where a row does not fit the block."""
    long = geometry.SHARED // 12 + 1
    for m, tables in ((long - 4, 0), (long, 2)):
        found = cost_of(module(name, "float32"), "main", {"n": 5, "m": m})
        count = array(name, "float32", 5, m, 0).size
        more = 4 * count * tables if name in SORTS else 0
        assert found.read == 4 * count + more
        if name in SCANS or name in ("sort", "down", "columns"):
            assert found.written == 4 * count + more


def test_columns_side_by_side_have_threads_of_their_own() -> None:
    text = """n, m = TypeVar("n"), TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, m), "float32")):
        with R.dataflow():
            out = R.cumsum(x, axis=0)
            R.output(out)
        return out
"""
    checked = lower(rr.check(rr.parse(text)), pipeline="kernels").module
    assert [each.form for each in cost_of(checked, "main", {"n": 4, "m": 300}).kernels] == ["fold"]


def test_what_is_only_said_to_be_a_sort_is_none() -> None:
    """The hint of an edited loop program is not believed."""
    text = rr.print_module(module("sort", "float32").module).replace("out[v_i0_1, v_i1_1])", "T.float32(7))")
    checked = rr.check(rr.parse(text))
    assert "sort" not in [each.form for each in cost_of(checked, "main", {"n": 5, "m": 300}).kernels]


needs_gxx = pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")


@cache
def made(name: str, dtype: str, mode: str, order: int) -> CudaExecutable:
    return CudaExecutable(module(name, dtype), mode, EmulatedDevice(order))


def exact(name: str, dtype: str, mode: str, order: int, n: int, m: int) -> None:
    x = array(name, dtype, n, m, n + m)
    if name in ("best", "least") and m < 3:
        return
    wanted = rr.compile(module(name, dtype), mode="bits").run("main", x)
    found = made(name, dtype, mode, order).run("main", x)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert same_bits(wanted.value, found.value), (name, dtype, order, n, m)


@needs_gxx
@pytest.mark.thorough
@pytest.mark.parametrize("fits", [True, False])
@pytest.mark.parametrize("name", SORTS)
def test_sorts_are_exact_in_every_order(name: str, fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not fits:
        monkeypatch.setattr(geometry, "SHARED", 0)
    for order, (n, m) in enumerate([(3, 37), (1, 300), (2, 1), (0, 5), (2, 64)]):
        exact(name, "float32", "fast", order % 3, n, m)


@needs_gxx
@pytest.mark.thorough
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int8", "uint8", "int32", "int64", "bool"])
def test_sorts_of_other_dtypes(dtype: str) -> None:
    for mode, name in (("fast", "sort"), ("bits", "places"), ("bits", "down")):
        exact(name, dtype, mode, 2, 3, 19)


@needs_gxx
@pytest.mark.thorough
@pytest.mark.parametrize("name", SCANS)
def test_scans_of_integers_are_exact(name: str) -> None:
    for mode, order, (n, m) in (
        ("fast", 0, (3, 37)),
        ("bits", 1, (1, 600)),
        ("fast", 2, (2, 256)),
        ("fast", 1, (2, 0)),
    ):
        for dtype in ("int32", "int64"):
            exact(name, dtype, mode, order, n, m)


@needs_gxx
@pytest.mark.thorough
@pytest.mark.parametrize("name", SCANS)
def test_scans_of_floats_are_exact(name: str) -> None:
    """In the order of the loops, which is the only one that they permit."""
    for mode, order, (n, m) in (
        ("fast", 0, (3, 37)),
        ("bits", 1, (1, 200)),
        ("fast", 2, (40, 70)),
        ("fast", 1, (2, 0)),
    ):
        for dtype in ("float32", "float16", "bfloat16", "float64"):
            exact(name, dtype, mode, order, n, m)


def test_forms_of_scans() -> None:
    for mode in ("bits", "fast"):
        for dtype, form in (("float32", "scan in turn"), ("int32", "scan")):
            found = cost_of(module("sums", dtype), "main", {"n": 40, "m": 9}, mode).kernels
            assert [(each.form, each.blocks) for each in found] == [(form, 40 if form == "scan" else 2)]


FUSED = {
    "s = R.sort(x, axis=1); out = R.add(s, s)": 1,
    "a = R.exp(x); s = R.sort(a, axis=1); out = R.add(s, x)": 1,
    'i = R.argsort(x, axis=-1, dtype="int32"); f = R.astype(i, "float32"); out = R.multiply(x, f)': 1,
    't = R.topk(x, k=3, axis=-1, ret_type="both"); v = t[0]; f = R.astype(t[1], "float32"); out = R.multiply(v, f)': 2,
    "s = R.cumsum(x, axis=1); a = R.exp(s); out = R.add(a, s)": 1,
}


@needs_gxx
@pytest.mark.thorough
@pytest.mark.parametrize("body", FUSED)
def test_what_is_fused_with_something_is_one_still(body: str) -> None:
    lines = "\n".join(f"            {line}" for line in body.split("; "))
    text = f"""n, m = TypeVar("n"), TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, m), "float32")):
        with R.dataflow():
{lines}
            R.output(out)
        return out
"""
    checked = lower(rr.check(rr.parse(text)), pipeline="kernels").module
    forms = [each.form for each in cost_of(checked, "main", {"n": 3, "m": 50}).kernels]
    assert sum(form in ("sort", "scan in turn") for form in forms) == FUSED[body]
    assert not {"row program", "fold"} & set(forms)
    compiled = CudaExecutable(checked, "bits", EmulatedDevice(1))
    x = np.random.default_rng(0).standard_normal((3, 50)).astype(np.float32)
    wanted, found = rr.compile(checked, mode="bits").run("main", x), compiled.run("main", x)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert same_bits(wanted.value, found.value)


NAMES = """order, count = TypeVar("order"), TypeVar("count")
@I.ir_module
class Module:
    @R.function
    def main(order_1: R.Tensor((count, order), "float32"), keys: R.Tensor((count, order), "int32")):
        with R.dataflow():
            near = R.sort(order_1, axis=1)
            far = R.argsort(keys, axis=0, dtype="int64")
            row = R.cumsum(keys, axis=1)
            fits = R.cumprod(order_1, axis=1, exclusive=1)
            R.output(near, far, row, fits)
        return (near, far, row, fits)
"""


@needs_gxx
@pytest.mark.thorough
@pytest.mark.parametrize("pipeline", ["kernels", "default"])
def test_names_of_the_program_are_no_names_of_ours(pipeline: str) -> None:
    checked = rr.check(rr.parse(NAMES))
    compiled = CudaExecutable(lower(checked, pipeline=pipeline).module, "fast", EmulatedDevice(2))
    call, r = compiled.resident("main"), np.random.default_rng(1)
    for sizes in ((3, 50), (1, 1), (0, 3), (2, 0), (3, 50)):
        args = r.standard_normal(sizes).astype(np.float32), r.integers(-5, 5, sizes).astype(np.int32)
        wanted = rr.compile(checked, mode="bits")["main"](*args)
        for found in (compiled["main"](*args), call(*args), call(*args)):
            assert all(np.array_equal(a, b) for a, b in zip(wanted, found, strict=True))


@pytest.mark.thorough
@needs_gxx
def test_a_zero_that_is_summed_is_positive() -> None:
    for name in ("sums", "before"):
        found = made(name, "float32", "fast", 0)["main"](np.full((1, 3), -0.0, np.float32))
        assert not np.signbit(found).any()


@needs_gxx
@pytest.mark.thorough
@settings(max_examples=15)
@given(st.integers(1, 4), st.integers(0, 90), st.integers(0, 3))
def test_any_size(n: int, m: int, order: int) -> None:
    for name in ("sort", "columns"):
        exact(name, "float32", "fast", order, n, m)
    exact("sums", "int32", "fast", order, n, m)
    exact("before", "float32", "fast", order, n, m)


@pytest.mark.thorough
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
def test_nvrtc_takes_them(architecture: str) -> None:
    try:
        nvrtc.library()
    except nvrtc.NotInstalled as absent:
        pytest.skip(str(absent))
    dtype = {"sm_80": "float32", "sm_90": "bfloat16", "sm_100": "int64"}[architecture]
    for name in ("sort", "columns", "best", "sums", "before"):
        assert nvrtc.compile_source(cuda_source(module(name, dtype), "fast"), "fast", architecture)
