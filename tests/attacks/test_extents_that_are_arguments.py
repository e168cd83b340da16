"""An operator whose scalar argument is also the extent of its result, where the extent is no symbol alone."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

CALLS = (
    'R.arange(0, m + 1, 1, dtype="int32")',
    'R.arange(0, m * n, 1, dtype="float32")',
    'R.arange(m, m + 3, 1, dtype="int32")',
    'R.arange(n, n + m, 2, dtype="int32")',
    'R.eye(m + 1, n * 2, m, dtype="int32")',
)


@pytest.mark.parametrize("call", CALLS)
def test_it_is_legalized(call: str) -> None:
    text = f"""
m = TypeVar("m")
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Shape([m, n])):
        y = {call}
        return y
"""
    checked = rr.check(rr.parse(text))
    lowered = lower(checked, passes=["legalize"]).module
    for dims in ((2, 3), (0, 1), (1, 0)):
        wanted, found = (rr.run(each, "main", dims) for each in (checked, lowered))
        assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), (wanted, found)
        assert found.value.numpy().tolist() == wanted.value.numpy().tolist()
