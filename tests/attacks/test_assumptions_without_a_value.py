"""What a caller assumes may have no value at some extents: these are none that it allows."""

import pytest

import refrelax as rr

FIRST = """n = TypeVar("n")

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), "int32")):
        y = R.add(x, x)
        return y
"""
SECOND = FIRST.replace("R.add(x, x)", 'R.multiply(x, R.const(2, "int32"))')
OTHER = FIRST.replace("R.add(x, x)", 'R.multiply(x, R.const(3, "int32"))')


@pytest.mark.parametrize("claim", ["8 // n >= 1", "8 % n < 8", "1 << (n - 2) <= 64"])
def test_extents_without_a_value_are_left_out(claim: str) -> None:
    first = rr.parse(FIRST)
    assert isinstance(rr.validate(first, rr.parse(SECOND), assume=[claim]), rr.Equivalent)
    found = rr.validate(first, rr.parse(OTHER), assume=[claim])
    assert isinstance(found, rr.Refuted) and found.model["n"] > 0


@pytest.mark.by_day(3)
@pytest.mark.parametrize("claim", ["n % 0 == 0", "n < 0", "n == 99999999999999999999"])
@pytest.mark.parametrize("second", [SECOND, OTHER])
def test_assumptions_that_nothing_satisfies_say_nothing(claim: str, second: str) -> None:
    found = rr.validate(rr.parse(FIRST), rr.parse(second), assume=[claim])
    assert isinstance(found, rr.NoVerdict) and "no small extents satisfy the assumptions" in str(found)
