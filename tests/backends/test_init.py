"""``T.init`` where the predicate is false, nothing is reduced, or the reduction does not start first: what was in
memory before stays, in every backend and mode."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.cupy_ import emulate

FUNCTION = """
n = TypeVar("n")
m = TypeVar("m")

@T.prim_func(private=True, s_tir=True)
def main(A: T.Buffer((n, m), "float32"), B: T.Buffer((n,), "float32")):
    for i, k in T.grid(n, m):
        with T.sblock("b"):
            {axes}
            with T.init():
                B[vi] = T.float32({init})
            B[vi] = B[vi] + A[vi, vk]
"""

REMAP = 'vi, vk = T.axis.remap("SR", [i, k])'
AXES = {
    "no predicate": REMAP,
    "some elements": f"T.where(i < 3)\n            {REMAP}",
    "not at first": f"T.where(k > 0)\n            {REMAP}",
    "not in the end": f"T.where(k < 2)\n            {REMAP}",
    "a triangle": f"T.where(i + k < 4)\n            {REMAP}",
    "backwards": "vi = T.axis.spatial(n, i)\n            vk = T.axis.reduce(m, m - 1 - k)",
}

BACKENDS = [("numpy", "bits"), ("numpy", "fast"), ("cuda-emulated", "bits"), ("cuda-emulated", "fast")]


@pytest.mark.by_day(8)
@pytest.mark.parametrize("shape", [(5, 4), (1, 3), (5, 0), (0, 2)], ids=str)
@pytest.mark.parametrize("axes", AXES.values(), ids=AXES.keys())
@pytest.mark.parametrize(("backend", "mode"), BACKENDS)
def test_memory_that_init_does_not_reach(backend: str, mode: str, axes: str, shape: tuple[int, int]) -> None:
    if backend != "numpy" and emulate.compiler() is None:
        pytest.skip("no g++ on this machine")
    checked = rr.check(rr.parse(FUNCTION.format(axes=axes, init=2)))
    a = np.arange(shape[0] * shape[1], dtype="float32").reshape(shape)
    wanted = rr.run(checked, "main", a, np.full(shape[0], 9, "float32"))
    found = rr.compile(checked, backend=backend, mode=mode).run("main", a, np.full(shape[0], 9, "float32"))
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert found.arguments[1].tolist() == wanted.arguments[1].tolist()
