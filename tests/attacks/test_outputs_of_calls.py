"""A call of a loop program, or one that overwrites a parameter, fills the caller's arrays on every backend."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.errors import UsageError

MODULE = """
@I.ir_module
class Module:
    @T.prim_func
    def twice(x: T.Buffer((3,), "float32"), out: T.Buffer((3,), "float32")):
        for i in range(3):
            with T.sblock("b"):
                v = T.axis.spatial(3, i)
                out[v] = x[v] + x[v]
    @R.function
    def main(x: R.Tensor((3,), "float32"), y: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        R.func_attr({"relax.force_pure": True})
        z = R.call_tir_inplace(Module.twice, (x, y), inplace_indices=[1], out_ty=R.Tensor((3,), "float32"))
        return z
"""

BACKENDS = ("numpy", *(("cuda-emulated",) if emulate.compiler() else ()))


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_overwritten_is_the_callers(backend: str) -> None:
    made, x = rr.compile(rr.check(rr.parse(MODULE)), backend=backend), np.arange(3, dtype=np.float32)
    for entry in ("twice", "main"):
        rows = np.zeros((3, 2), np.float32)
        made[entry](x, rows[:, 1])
        assert rows.tolist() == [[0, 0], [0, 2], [0, 4]] and x.tolist() == [0, 1, 2], entry
        fixed = np.zeros(3, np.float32)
        fixed.flags.writeable = False
        with pytest.raises(UsageError):
            made[entry](x, fixed)
    with pytest.raises(UsageError):
        made["twice"](x, [0.0, 0.0, 0.0])
    with pytest.raises(UsageError):
        made["twice"](x, x)
    with pytest.raises(rr.RunError):
        made["twice"](x)
