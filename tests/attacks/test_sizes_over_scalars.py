"""The bytes of a tensor whose extents a scalar decides: the scalar may be negative, an extent of a tensor never is."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.memory_sizes import planned_bytes
from refrelax.lower.pipeline import lower
from refrelax.semantics.dims import value

MODULE = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fill(b: T.handle):
        n = T.int64()
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            B[i] = T.float32(2)
    @T.prim_func(private=True)
    def copy(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            B[i] = A[i]
    @R.function
    def main(k: R.Prim("int64")) -> R.Any:
        {attrs}
        cls = Module
        a = R.call_tir(cls.fill, R.tuple(), out_ty=R.Tensor(({dim},), "float32"))
        b = R.call_tir(cls.copy, (a,), out_ty=R.Tensor(({dim},), "float32"))
        c = R.call_tir(cls.copy, (b,), out_ty=R.Tensor(({dim},), "float32"))
        return c
"""
DIMS = ["T.max(0 - k // 2, 0)", "0 - T.min(k // 2, 0)", "T.if_then_else(k // 2 < 0, 5, 1)", "T.max(k // 2, 0)"]


@pytest.mark.by_day(3)
@pytest.mark.parametrize("attrs", ['R.func_attr({"a": 1})', 'R.func_attr({"tir_var_upper_bound": {"k": 100}})'])
@pytest.mark.parametrize("dim", DIMS)
def test_what_is_planned_holds_what_it_is_for(dim: str, attrs: str) -> None:
    first = rr.check(rr.parse(MODULE.format(dim=dim, attrs=attrs)))
    planned = lower(first, passes=["to_destinations", "plan_memory"]).module
    for k in (-10, 0, 1, 10):
        results = [rr.run(each, "main", k) for each in (first, planned)]
        one, two = (np.asarray(each.value) for each in results if isinstance(each, rr.Returned))
        assert one.shape == two.shape and (one == two).all()
    assert not isinstance(rr.validate(first, planned), rr.Refuted)


@pytest.mark.parametrize("dim", DIMS)
def test_what_is_told_of_a_plan_is_what_it_takes(dim: str) -> None:
    first = rr.check(rr.parse(MODULE.format(dim=dim, attrs='R.func_attr({"a": 1})')))
    planned = lower(first, passes=["to_destinations", "plan_memory"]).module
    before, after = planned_bytes(planned.module)
    for k in (-10, 0, 1, 10):
        result = rr.run(planned, "main", k)
        assert isinstance(result, rr.Returned)
        size = 4 * len(np.asarray(result.value))
        assert value(before, {"k": k}) == 3 * size and value(after, {"k": k}) >= size
