"""A bool beside another dtype: the type rule lets it pass, so the value rule has to know it."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor({0}, "{2}"), y: R.Tensor({1}, "{3}"), t: R.Tensor((2,), "int64")):
        z = {4}
        return z
"""

CALLS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "R.nn.cross_entropy_with_logits(x, y)": ((3,), (3,)),
    'R.nn.nll_loss(x, t, y, reduction="sum")': ((2, 3), (3,)),
    "R.matmul(x, y)": ((2, 3), (3, 4)),
    "R.nn.conv1d(x, y)": ((1, 2, 5), (3, 2, 2)),
    "R.ewise_fma(x, y, x)": ((3,), (3,)),
    "R.outer(x, y)": ((3,), (2,)),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("a", "b"), [("bool", "float32"), ("float32", "bool"), ("bool", "int32"), ("int32", "bool")])
def test_it_is_converted_to_the_dtype_of_the_first(call: str, a: str, b: str) -> None:
    text = MODULE.format(*(f"({', '.join(map(str, each))},)" for each in CALLS[call]), a, b, call)
    try:
        checked = rr.check(rr.parse(text))
    except rr.Rejection:
        return
    args = [np.ones(each).astype(dtype) for each, dtype in zip(CALLS[call], (a, b), strict=True)]
    found = rr.run(checked, args=[*args, np.array([0, 1])])
    assert isinstance(found, rr.Returned)
    compiled = rr.compile(checked, mode="bits").run("main", *args, np.array([0, 1]))
    assert isinstance(compiled, rr.Returned) and compiled.value == found.value
