"""Poison that an operation on integers forgets: in a set, or where no factor of a product is taken."""

from __future__ import annotations

import pytest

import refrelax as rr

SHIFT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), s: R.Tensor((), "int32")):
        order = R.argsort(x)
        z = R.{op}({operands})
        return z
"""


@pytest.mark.parametrize("op", ["left_shift", "right_shift"])
@pytest.mark.parametrize(
    ("operands", "count"), [("order, s", -1), ("order, s", 32), ("s, R.subtract(order, order)", 1)]
)
def test_a_shift_of_a_set_that_gives_poison(op: str, operands: str, count: int) -> None:
    """A NaN among the items leaves every arrangement: each position is one of 0, 1, 2."""
    checked = rr.check(rr.parse(SHIFT.format(op=op, operands=operands)))
    found = rr.run(checked, "main", [1.0, float("nan"), 0.5], count, numerics="enclosure")
    assert isinstance(found, rr.Returned)
    assert set(found.value.poison().values()) == {"num/shift-range"}
    assert len(found.value.poison()) == 3
