"""Attention in one launch, emulated: permitted at all sizes and in every order of threads."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.cupy_ import emulate, geometry
from refrelax.backends.cupy_.compile import CudaExecutable, cost_of
from refrelax.backends.cupy_.emulate import EmulatedDevice, EmulatedProgram, build, entry
from refrelax.backends.cupy_.plan import prelude
from refrelax.errors import InternalError
from refrelax.judge import diff
from refrelax.lower.pipeline import lower
from refrelax.running.arrays import numpy_dtype

pytestmark = pytest.mark.thorough

PROGRAM = """
from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
"""

FUNCTIONS = {
    "plain": ("", "R.nn.attention(q, k, v)"),
    "causal": ("", 'R.nn.attention(q, k, v, causal_mask="TopLeft")'),
    "last": ("", 'R.nn.attention(q, k, v, causal_mask="BottomRight")'),
    "biased": (', bias: R.Tensor(("b", HEADS, "s", "t"), "DTYPE")', "R.nn.attention(q, k, v, bias, scale=0.5)"),
}


def text(dtype: str, heads: int, depth: int, width: int) -> str:
    lines = []
    for name, (more, call) in FUNCTIONS.items():
        shapes = ", ".join(
            f'{p}: R.Tensor(("b", "{n}", {heads}, {d}), "{dtype}")'
            for p, n, d in (("q", "s", depth), ("k", "t", depth), ("v", "t", width))
        )
        more = more.replace("HEADS", str(heads)).replace("DTYPE", dtype)
        lines += ["    @R.function", f"    def {name}({shapes}{more}):", "        with R.dataflow():"]
        lines += [f"            result = {call}", "            R.output(result)", "        return result"]
    return PROGRAM + "\n".join(lines)


@cache
def lowered(dtype: str, heads: int, depth: int, width: int) -> Any:
    return lower(rr.check(rr.parse(text(dtype, heads, depth, width))), pipeline="kernels").module


@cache
def executable(order: int, *shape: Any) -> CudaExecutable:
    return CudaExecutable(lowered(*shape), "fast", EmulatedDevice(order))


def permitted(name: str, sizes: dict[str, int], order: int, shape: tuple[Any, ...]) -> None:
    dtype, heads, depth, width = shape
    b, s, t = sizes["b"], sizes["s"], sizes["t"]
    r = np.random.default_rng(b + 3 * s + 7 * t)
    shapes = [(b, s, heads, depth), (b, t, heads, depth), (b, t, heads, width), (b, heads, s, t)]
    args = [r.standard_normal(each).astype(numpy_dtype(dtype)) for each in shapes[: 4 if name == "biased" else 3]]
    compiled = executable(order, *shape)

    class It:
        def run(self, _module: Any, entry: str, given: Any) -> Any:
            return compiled.run(entry, *given)

    verdict = diff(lowered(*shape), name, args, impl=It())
    assert not isinstance(verdict, rr.Divergence), verdict
    assert verdict.report.outside == 0


SMALL = ("float32", 2, 3, 5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_launch(name: str) -> None:
    """Queries are read once, keys and values once for every 16 of them, and nothing between goes through memory."""
    s, t = 40, 70
    found = executable(0, *SMALL).cost(name, b=3, s=s, t=t) if emulate.compiler() else None
    if found is None:
        pytest.skip("no g++ on this machine")
    assert [each.form for each in found.kernels] == ["attention"]
    bias = s * t * 2 * 3 if name == "biased" else 0
    assert found.read == 4 * (3 * 2 * (s * 3 + 3 * t * (3 + 5)) + bias)
    assert found.written == 4 * 3 * 2 * s * 5


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("shape", [(2, 3, 5), (8, 64, 64), (1, 128, 128), (4, 256, 16)])
def test_at_most_two_launches(dtype: str, shape: tuple[int, int, int]) -> None:
    """Whatever the dtype, the features and the lengths are; a decoder asks for one query."""
    checked = lowered(dtype, *shape)
    most = 3 if dtype == "float64" and max(shape[1:]) > 64 else 2  # (tiles of such rows do not fit shared memory)
    for name in FUNCTIONS:
        for b, s, t in ((1, 1, 4096), (3, 40, 70), (2, 2048, 2048), (1, 17, 1)):
            assert cost_of(checked, name, {"b": b, "s": s, "t": t}).launches <= most


needs_gxx = pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")


@needs_gxx
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("fits", [True, False])
def test_permitted_in_every_order(name: str, fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not fits:
        monkeypatch.setattr(geometry, "SHARED", 0)
    for order, (b, s, t) in enumerate([(2, 5, 19), (1, 17, 16), (1, 1, 1)]):
        permitted(name, {"b": b, "s": s, "t": t}, order, SMALL)


@pytest.mark.thorough
@needs_gxx
def test_other_formats() -> None:
    permitted("causal", {"b": 1, "s": 18, "t": 18}, 2, ("float16", 1, 4, 4))
    permitted("plain", {"b": 1, "s": 3, "t": 5}, 1, ("float32", 1, 33, 18))


@needs_gxx
@settings(max_examples=10)
@given(st.sampled_from(sorted(FUNCTIONS)), st.integers(0, 2), st.integers(0, 20), st.integers(0, 20), st.integers(0, 2))
def test_permitted_at_any_size(name: str, b: int, s: int, t: int, order: int) -> None:
    permitted(name, {"b": b, "s": s, "t": t}, order, SMALL)


class _Without(EmulatedDevice):
    """An emulated device that loads one kernel, without one of its barriers."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def load(self, source: str, plans: Any, mode: str) -> EmulatedProgram:
        (kernel,) = plans["attention2"].kernels
        parts = kernel.source().split("SYNC();")
        assert len(parts) == 5
        parts[self.number : self.number + 2] = ["".join(parts[self.number : self.number + 2])]
        return EmulatedProgram(build("\n".join([prelude(), "SYNC();".join(parts), entry(kernel)])), 0)


@needs_gxx
@pytest.mark.parametrize("number", range(4))
def test_every_barrier_is_needed(number: int) -> None:
    args = [np.ones((1, n, 1, d), np.float32) for n, d in ((20, 2), (40, 2), (40, 3))]
    wrong = CudaExecutable(lowered("float32", 1, 2, 3), "fast", _Without(number))
    with pytest.raises(InternalError, match=r"race|uninitialised"):
        wrong.run("plain", *args)
