"""A product that an operator adds may be added without being rounded (``num/any-order-sum``).

TVM computes a product of bfloat16 in float32 and adds it before it is rounded: where products cancel, all that is left
is what the rounding of one of them left out.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

import refrelax as rr
from refrelax.errors import Returned
from refrelax.semantics.numbers.enclosure import enclose
from refrelax.semantics.numbers.intervals import Interval
from refrelax.syntax import bits


def text(dtype: str, reduction: str) -> str:
    return f"""
@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((3, 2), "{dtype}"), t: R.Tensor((3,), "int32"), w: R.Tensor((2,), "{dtype}")):
        y = R.nn.nll_loss(p, t, w, reduction="{reduction}", ignore_index=1)
        return y
"""


@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize(
    ("dtype", "weight", "prediction"), [("float32", 1 / 3, 2.5), ("bfloat16", 0.00099945, 2.5), ("float16", 1 / 3, 0.7)]
)
def test_losses_that_cancel_leave_what_rounding_left_out(
    dtype: str, weight: float, prediction: float, reduction: str
) -> None:
    checked = rr.check(rr.parse(text(dtype, reduction)))
    w = rr.Tensor.of([weight, 1.0], dtype)
    p = rr.Tensor.of([[1.0, 1.0], [prediction, 1.0], [-prediction, 1.0]], dtype)
    factor, chosen = (Fraction(float(bits.decode(dtype, x.patterns()[k] or 0))) for x, k in ((w, 0), (p, 2)))
    rounded = Fraction(float(bits.decode(dtype, bits.encode(dtype, float(factor * chosen)))))
    fused = rounded - factor * chosen
    assert fused != 0
    if reduction == "mean":
        fused /= 2 * factor
    outcome = rr.run(checked, "main", p, rr.Tensor.of([1, 0, 0], "int32"), w, numerics="enclosure")
    assert isinstance(outcome, Returned)
    (payload,) = outcome.value.core.payloads()
    held = enclose(payload, dtype)
    assert isinstance(held, Interval)
    assert held.lo <= fused <= held.hi


def test_an_ignored_position_is_zero_whatever_is_there() -> None:
    checked = rr.check(rr.parse(text("float32", "none")))
    nan, inf = float("nan"), float("inf")
    p = rr.Tensor.of([[1.0, nan], [2.0, inf], [inf, nan]], "float32")
    outcome = rr.run(checked, "main", p, rr.Tensor.of([1, 1, 0], "int32"), rr.Tensor.of([2.0, nan], "float32"))
    assert isinstance(outcome, Returned)
    assert [bits.decode("float32", each or 0) for each in outcome.value.patterns()] == [0.0, 0.0, -inf]
