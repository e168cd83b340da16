"""A program may end the life of a name itself: no pass uses it afterwards, be it for another name of its memory, and
none kills it again."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.pipeline import PIPELINES, lower

MODULE = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def two(a: T.handle, b: T.handle):
        k = T.int64()
        A = T.match_buffer(a, (k,), "float32")
        B = T.match_buffer(b, (k,), "float32")
        for i in range(k):
            with T.sblock("b"):
                v = T.axis.spatial(k, i)
                A[v] = A[v] + T.float32(1)
                B[v] = B[v] + T.float32(2)
    @R.function(pure=False)
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")):
        cls = Module
        a = R.add(x, y)
        b = R.add(x, x)
        {body}
        return c
"""
TWO = "R.call_tir_inplace(cls.two, (a, b), inplace_indices=[0, 1], out_ty=[{t}, {t}])".format(
    t='R.Tensor((n,), "float32")'
)
KILL = "_ = R.memory.kill_tensor(a)"
BODIES = {
    "field of a tuple": f"t = (a, y); {KILL}; c = t[0]",
    "output in place": f"t = {TWO}; {KILL}; c = t[0]",
    "other name": f"d = a; {KILL}; c = R.add(d, d)",
    "after its last use": f"c = R.add(a, a); {KILL}",
    "not used": f"{KILL}; c = R.add(x, x)",
}


@pytest.mark.by_day(4)
@pytest.mark.parametrize("pipeline", ["default", "paper"])
@pytest.mark.parametrize("what", BODIES)
def test_the_program_goes_on(what: str, pipeline: str) -> None:
    checked = rr.check(rr.parse(MODULE.format(body=BODIES[what].replace("; ", "\n        "))))
    args = np.ones(2, "float32"), np.full(2, 3, "float32")
    wanted = rr.run(checked, "main", *args)
    assert isinstance(wanted, rr.Returned)
    for _ in range(2):  # (planned once, its tensors are killed as well)
        for step in lower(checked, passes=[p for p in PIPELINES[pipeline] if p not in ("capture", "build")]).steps:
            checked = step.module
            found = rr.run(checked, "main", *args)
            assert isinstance(found, rr.Returned), step.name
            assert found.value.tolist() == wanted.value.tolist(), step.name
