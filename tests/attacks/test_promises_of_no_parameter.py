"""A promise about a symbol that no parameter defines is none: a lowering does not rest on it."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

TEXT = """
n = TypeVar("n")
k = TypeVar("k")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor(dtype="float32", ndim=1)):
        R.func_attr({"tir_var_upper_bound": {"n": 4, "k": 4}})
        u = R.match_cast(y, R.Tensor((k,), "float32"))
        a = R.cumsum(u, axis=0)
        b = R.cumsum(a, axis=0)
        c = R.cumsum(b, axis=0)
        return c
"""


@pytest.mark.by_day(8)
@pytest.mark.parametrize("pipeline", ["default", "build", "paper"])
@pytest.mark.parametrize("size", [0, 1, 3, 40])
def test_planned_memory_holds_what_is_larger(pipeline: str, size: int) -> None:
    checked = rr.check(rr.parse(TEXT))
    args = [[1.0, 2.0], [1.0] * size]
    wanted, found = (rr.run(each, "main", *args) for each in (checked, lower(checked, pipeline).module))
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), found
    assert found.value.numpy().tolist() == wanted.value.numpy().tolist()
