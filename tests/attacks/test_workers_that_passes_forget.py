"""What a pass sees on one worker it must not take for all of them."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.validate import validate
from refrelax.lower.pipeline import lower

V = 'R.Tensor((2,), "float32")'

OF_CONSTANTS = f"""
@I.ir_module
class Module:
    @R.function
    def main(x: {V}):
        s = R.ccl.allreduce(R.const([1.0, 2.0], "float32"))
        return R.add(s, x)
"""

IN_ONE_BRANCH = f"""
@I.ir_module
class Module:
    @R.function(private=True)
    def total(x: {V}) -> {V}:
        return R.ccl.allreduce(x)

    @R.function
    def main(c: T.bool, x: {V}):
        if c:
            with R.dataflow():
                s = CALL
                a = R.add(x, x)
                R.output(a)
            y = a
        else:
            b = R.ccl.allreduce(x)
            y = b
        return y
"""


@pytest.mark.parametrize(
    "passes", [("fold_constants",), ("fold_constants", "dead_code"), ("legalize", "fold_constants")]
)
def test_a_sum_over_workers_is_no_constant(passes: tuple[str, ...]) -> None:
    lowered = lower(rr.check(rr.parse(OF_CONSTANTS)), passes=passes).module
    found = rr.run_workers(lowered, "main", [[[1.0, 2.0]], [[3.0, 4.0]]])
    assert [each.value.tolist() for each in found if isinstance(each, rr.Returned)] == [[3, 6], [5, 8]]


@pytest.mark.parametrize("call", ["R.ccl.allreduce(x)", "Module.total(x)"])
def test_what_others_wait_for_is_not_dead(call: str) -> None:
    lowered = lower(rr.check(rr.parse(IN_ONE_BRANCH.replace("CALL", call))), passes=("dead_code",)).module
    found = rr.run_workers(lowered, "main", [[True, [1.0, 2.0]], [False, [3.0, 4.0]]])
    assert [each.value.tolist() for each in found if isinstance(each, rr.Returned)] == [[2, 4], [4, 6]]


ALONE = f"""
@I.ir_module
class Module:
    @R.function
    def main(x: {V}):
        s = VALUE
        return R.add(s, x)
"""


@pytest.mark.parametrize(
    ("value", "other"),
    [
        ('R.ccl.allreduce(R.const([1.0, 2.0], "float32"))', 'R.const([1.0, 2.0], "float32")'),
        ("R.ccl.broadcast_from_worker0(x)", "x"),
    ],
)
def test_what_holds_of_one_worker_is_not_proved(value: str, other: str) -> None:
    first, second = (rr.check(rr.parse(ALONE.replace("VALUE", each))) for each in (value, other))
    assert not str(validate(first, second, rounds=1)).startswith("PROVED")
