"""A fused function takes a symbol in a shape, where none may be negative: a scalar that may be is not passed so."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

MODULE = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(w: R.Tensor((n, m), "float32"), k: R.Prim("int64")):
        with R.dataflow():
            v = R.sum(w, axis=1)
            s = R.strided_slice(v, axes=[0], begin=[0], end=[T.min(k, n)])
            R.output(s)
        return s
"""


@pytest.mark.by_day(3)
@pytest.mark.parametrize("k", [-1, 0, 2, 9])
def test_a_scalar_may_be_negative(k: int) -> None:
    first = rr.check(rr.parse(MODULE))
    w = np.arange(6, dtype="float32").reshape(3, 2)
    wanted = rr.run(first, "main", w, k)
    assert isinstance(wanted, rr.Returned)
    for step in lower(first, "paper").steps:
        found = rr.run(step.module, "main", w, k)
        assert isinstance(found, rr.Returned), step.name
        assert found.value.tolist() == wanted.value.tolist(), step.name
