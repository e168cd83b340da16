"""A store whose index is out of range names no element where no instance of it runs, and a narrow norm that a loop
program writes down is rounded where the program says so."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

FIRST = """n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(a: T.Buffer((n, m), "float32"), out: T.Buffer((n, {k}), "float32")):
        for i, j in T.grid(n, m):
            with T.sblock("s"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    out[vi, 0] = T.float32(0)
                out[vi, 0] = out[vi, 0] + a[vi, vj]
    @R.function
    def main(x: R.Tensor((n, m), "float32")):
        cls = Module
        r = R.call_tir(cls.f, (x,), out_ty=R.Tensor((n, {k}), dtype="float32"))
        return r
"""


@pytest.mark.parametrize("mode", ["fast", "bits"])
@pytest.mark.parametrize(("n", "m", "k"), [(0, 3, 0), (2, 0, 0), (2, 3, 1)])
def test_an_element_that_no_instance_names(mode: str, n: int, m: int, k: int) -> None:
    f = rr.compile(rr.check(rr.parse(FIRST.replace("{k}", str(k)))), mode=mode)["main"]
    found = f(np.ones((n, m), np.float32))
    assert found.shape == (n, k) and (not found.size or found.tolist() == [[3.0], [3.0]])


NORM = """@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float16"), g: R.Tensor((3,), "float16"), b: R.Tensor((3,), "float16")):
        with R.dataflow():
            r = R.nn.layer_norm(x, g, b, axes=[-1])
            R.output(r)
        return r
"""


def test_each_rounding_of_a_narrow_norm() -> None:
    module = lower(rr.check(rr.parse(NORM)), pipeline="kernels").module
    turn = np.random.default_rng(3)
    for _ in range(20):
        x, g, b = (turn.normal(size=s).astype(np.float16) for s in ((2, 3), (3,), (3,)))
        assert not isinstance(rr.diff(module, "main", [x, g, b]), rr.Divergence)
