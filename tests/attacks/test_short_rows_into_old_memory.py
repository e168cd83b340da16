"""A step over short rows whose result goes into the memory of an operand."""

from __future__ import annotations

import numpy as np

import refrelax as rr

TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((n, 2), "float32"), k: R.Tensor((2, 3), "float32"), w: R.Tensor((1, 3), "float32")):
        s = R.matmul(q, k)
        y = R.add(s, w)
        return R.matmul(R.nn.softmax(y, axis=-1), R.const([[1.0], [2.0], [3.0]], "float32"))
"""


def test_a_step_into_an_operand() -> None:
    checked = rr.check(rr.parse(TEXT))
    args = [np.random.default_rng(3).standard_normal(e).astype(np.float32) for e in ((3, 2), (2, 3), (1, 3))]
    found = rr.compile(checked, backend="numpy", mode="fast")["main"](*args)
    assert np.allclose(found, rr.run(checked, "main", *args).value.numpy(), rtol=1e-5)
