"""Sums of products of long rows where there is no row."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr

PROGRAM = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 20000), "float32"), y: R.Tensor((n, 20000), "float32")):
        product = {product}
        gv = R.{op}(product, axis=[1], keepdims={keepdims})
        return gv
"""


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("product", ["R.multiply(x, y)", "R.square(x)"])
@pytest.mark.parametrize("op", ["sum", "mean"])
def test_no_rows(op: str, product: str, keepdims: bool) -> None:
    checked = rr.check(rr.parse(PROGRAM.format(op=op, product=product, keepdims=keepdims)))
    for rows in (0, 1, 2):
        x = np.ones((rows, 20000), np.float32)
        found = rr.compile(checked)["main"](x, x)
        assert found.shape == ((rows, 1) if keepdims else (rows,))
        assert (found == (20000 if op == "sum" else 1)).all()
