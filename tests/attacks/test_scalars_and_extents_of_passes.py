"""Passes keep what types mention: a scalar among the outputs of a block, a symbol of what a recorded run is given."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

SCALAR = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), dtype="int32")) -> R.Tensor(dtype="int32", ndim=2):
        with R.dataflow():
            k: T.int64 = 2
            y = R.broadcast_to(x, R.shape([k, 3]))
            z = R.triu(y, 1)
            R.output(k, z)
        return z
"""
EXTENT = """
m = TypeVar("m")
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def rows(a: T.handle, b: T.handle):
        p = T.int64()
        q = T.int64()
        A = T.match_buffer(a, (p, q), "int32")
        B = T.match_buffer(b, (p,), "int32")
        for i in range(p):
            with T.sblock("b"):
                vi = T.axis.spatial(p, i)
                B[vi] = 2
    @R.function
    def main(x: R.Tensor(("n + 1",), "int32"), y: R.Tensor(("m + 1",), "int32"), z: R.Tensor((n, m), "int32")):
        R.func_attr({"tir_var_upper_bound": {"n": 3, "m": 3}})
        cls = Module
        a = R.outer(x, y)
        b = R.call_tir(cls.rows, (a,), out_ty=R.Tensor((n + 1,), "int32"))
        c = R.match_cast(b, R.Tensor((n + 1,), "int32"))
        return z
"""


def zeros(n: int, m: int) -> np.ndarray:
    return np.zeros((n, m), "int32")


@pytest.mark.parametrize("pipeline", ["default", "paper"])
def test_a_scalar_that_a_type_mentions_stays_an_output(pipeline: str) -> None:
    checked = rr.check(rr.parse(SCALAR))
    wanted, found = (rr.run(each, "main", [1, 2, 3]) for each in (checked, lower(checked, pipeline).module))
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), found
    assert found.value.numpy().tolist() == wanted.value.numpy().tolist()


def test_a_recorded_run_is_told_the_symbols_of_its_types() -> None:
    checked = rr.check(rr.parse(EXTENT))
    lowered = lower(checked, "paper").module
    for n, m in ((2, 3), (0, 1), (1, 0)):
        wanted, found = (rr.run(each, "main", [4] * (n + 1), [5] * (m + 1), zeros(n, m)) for each in (checked, lowered))
        assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), found
        assert found.value.numpy().tolist() == wanted.value.numpy().tolist()
