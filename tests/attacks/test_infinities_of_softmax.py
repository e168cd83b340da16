"""An infinite argument of a softmax has one outcome, NaN, and not every number beside it."""

from __future__ import annotations

import pytest

import refrelax as rr

TEXT = """
@R.function
def main(x: R.Tensor((3,), "{dtype}")):
    y = R.nn.{op}(x)
    return y
"""


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("x", [[float("inf"), 1.0, 2.0], [float("-inf")] * 3, [float("inf"), float("inf"), 0.0]])
@pytest.mark.parametrize("op", ["softmax", "log_softmax"])
def test_infinity_less_infinity_is_no_number(op: str, x: list[float], dtype: str) -> None:
    checked = rr.check(rr.parse(TEXT.format(op=op, dtype=dtype)))
    out = rr.run(checked, "main", x, numerics="enclosure")
    assert isinstance(out, rr.Returned) and isinstance(out.value, rr.Tensor)
    assert list(out.value.lo) == [None] * 3 == list(out.value.hi)


def test_an_argument_below_all_others_is_nothing() -> None:
    checked = rr.check(rr.parse(TEXT.format(op="softmax", dtype="float32")))
    out = rr.run(checked, "main", [float("-inf"), 1.0, 2.0], numerics="enclosure")
    assert isinstance(out, rr.Returned) and isinstance(out.value, rr.Tensor)
    assert out.value.lo[0] <= 0.0 <= out.value.hi[0] < 1e-44
