"""Attention that is written out is one launch, and gives what its parts give, in every order of threads."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_ import emulate, nvrtc
from refrelax.backends.cupy_.compile import CudaExecutable, cost_of
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.cupy_.joined import joined
from refrelax.judge import diff
from refrelax.lower.pipeline import lower

SCORES = """kt = R.permute_dims(k, axes=[0, 2, 1])
s0 = R.matmul(q, kt)
s = R.multiply(s0, R.const(0.5, "float32"))"""

APART = """i = R.arange(0, n, 1, dtype="int64")
row = R.expand_dims(i, axis=[1])
apart = R.subtract(row, i)"""

ENDING = """w = R.nn.softmax(hidden, axis=-1)
out = R.matmul(w, v)"""

BODIES = {
    "plain": [SCORES, "hidden = R.add(s, s)", ENDING],
    "window": [
        SCORES, APART, 'past = R.greater_equal(apart, R.const(0, "int64"))',
        'near = R.less(apart, R.const(4, "int64"))\nseen = R.logical_and(past, near)',
        'hidden = R.where(seen, s, R.const(float("-inf"), "float32"))', ENDING,
    ],
    "alibi": [
        SCORES, APART, 'past = R.greater_equal(apart, R.const(0, "int64"))\nnear = R.astype(apart, "float32")',
        'biased = R.subtract(s, near)\nhidden = R.where(past, biased, R.const(float("-inf"), "float32"))', ENDING,
    ],
    "twice": [SCORES, "hidden = R.add(s, s)", ENDING, "more = R.matmul(w, v)", "R.output(out, more)"],
    "shown": [SCORES, "hidden = R.add(s, s)", ENDING, "R.output(out, hidden)"],
}  # fmt: skip
"""The last two: scores that something else needs."""


@cache
def module(name: str) -> Any:
    lines = "\n".join(BODIES[name]).splitlines()
    if not lines[-1].startswith("R.output"):
        lines.append("R.output(out)")
    body = "\n".join(f"            {line}" for line in lines)
    result = lines[-1].removeprefix("R.output")
    heads = ", ".join(f'{p}: R.Tensor((3, n, 5), "float32")' for p in "qkv")
    text = f"""n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main({heads}):
        with R.dataflow():
{body}
        return {result}
"""
    return lower(rr.check(rr.parse(text)), pipeline="kernels").module


@pytest.mark.parametrize("name", ["plain", "window", "alibi"])
def test_one_launch_that_reads_nothing_between(name: str) -> None:
    n = 40
    found = cost_of(module(name), "main", {"n": n})
    assert [each.form for each in found.kernels] == ["attention"]
    assert (found.read, found.written) == (4 * 3 * (n * 5 + 2 * 3 * n * 5), 4 * 3 * n * 5)


@pytest.mark.parametrize("name", ["twice", "shown"])
def test_what_something_else_needs_stays(name: str) -> None:
    checked = module(name)
    assert joined(checked) is checked
    assert joined(joined(module("plain"))) is not module("plain")


needs_gxx = pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")


@needs_gxx
@pytest.mark.thorough
@pytest.mark.parametrize("name", BODIES)
def test_permitted_in_every_order(name: str) -> None:
    for order, n in enumerate((19, 16, 1)):
        made = CudaExecutable(module(name), "fast", EmulatedDevice(order))
        r = np.random.default_rng(n)
        args = [r.standard_normal((3, n, 5)).astype(np.float32) for _ in "qkv"]

        class It:
            def run(self, _module: Any, entry: str, given: Any, made: CudaExecutable = made) -> Any:
                return made.run(entry, *given)

        verdict = diff(module(name), "main", args, impl=It())
        assert not isinstance(verdict, rr.Divergence), verdict
        assert verdict.report.outside == 0
    empty = np.zeros((3, 0, 5), np.float32)
    assert isinstance(made.run("main", empty, empty, empty), rr.Returned)


@pytest.mark.thorough
@needs_gxx
def test_bindings_are_seen_where_somebody_looks() -> None:
    made = CudaExecutable(module("plain"), "fast", EmulatedDevice())
    args = [np.ones((3, 2, 5), np.float32)] * 3
    seen = made.observe("main", *args)
    assert isinstance(seen.outcome, rr.Returned)
    assert {"w", "out"} <= {frame.name for frame in seen.frames}


@pytest.mark.thorough
def test_nvrtc_takes_it() -> None:
    try:
        nvrtc.library()
    except nvrtc.NotInstalled as absent:
        pytest.skip(str(absent))
    for architecture in ("sm_80", "sm_90", "sm_100"):
        source = CudaExecutable(module("window"), "fast", Source()).source
        assert b"fused_transpose" in nvrtc.compile_source(source, "fast", architecture)


class Source(EmulatedDevice):
    """Takes a source text and runs none."""

    def load(self, *_: Any) -> Any:
        return None
