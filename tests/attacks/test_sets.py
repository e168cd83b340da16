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


POWER = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "{dtype}"), i: R.Tensor((3,), "int64"), y: R.Tensor((3,), "{dtype}")):
        taken = R.take(x, i, axis=0, mode="fast")
        z = R.power(taken, y)
        return z
"""


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "float32"])
def test_poison_to_the_power_of_nothing(dtype: str) -> None:
    """Poison in an operand is poison of the result, also where no factor of the product is taken."""
    checked = rr.check(rr.parse(POWER.format(dtype=dtype)))
    for numerics in ("ieee", "enclosure"):
        found = rr.run(checked, "main", [2, 3, 5], [0, 7, -1], [0, 0, 1], numerics=numerics)
        assert isinstance(found, rr.Returned)
        assert set(found.value.poison()) == {(1,), (2,)}, numerics
