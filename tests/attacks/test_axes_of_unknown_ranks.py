"""An axis that the rank of the argument does not have, where the rank is known late, or the dims are not."""

from __future__ import annotations

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main(a: {type}, b: R.Tensor((1,), "int32")):
        gv = {call}
        return gv
"""

ONE_HOT = "R.one_hot(a, T.int32(1), T.int32(0), 3, axis={})"
TAKE = "R.grad.take_backward(b, a, b, axis={})"
CALLS = [
    (ONE_HOT, 2, "op.one_hot/axis-range"),
    (ONE_HOT, -3, "op.one_hot/axis-range"),
    (TAKE, 1, "op.common/axis-range"),
    (TAKE, -2, "op.common/axis-range"),
]


def _checked(call: str, of: str) -> rr.CheckedModule:
    return rr.check(rr.parse(MODULE.format(type=of, call=call)))


@pytest.mark.parametrize(("call", "axis", "rule"), CALLS)
@pytest.mark.parametrize("of", ['R.Tensor(dtype="int32", ndim=1)', 'R.Tensor(("n",), "int32")'])
def test_a_known_rank_refuses_it(call: str, axis: int, rule: str, of: str) -> None:
    with pytest.raises(rr.IllTyped, match=rule):
        _checked(call.format(axis), of)


@pytest.mark.parametrize(("call", "axis", "rule"), [*CALLS, (ONE_HOT, 5, "op.one_hot/axis-range")])
@pytest.mark.parametrize("extents", [[0], []])
def test_an_unknown_rank_leaves_the_run_open(call: str, axis: int, rule: str, extents: list[int]) -> None:
    a = rr.Tensor.of([0], "int32") if extents else rr.Tensor.of(0, "int32")
    ended = rr.run(_checked(call.format(axis), 'R.Tensor(dtype="int32")'), "main", a, rr.Tensor.of([0], "int32"))
    assert isinstance(ended, rr.Unspecified) and ended.rule == rule, ended


@pytest.mark.parametrize(("call", "axis"), [(ONE_HOT, 1), (ONE_HOT, -2), (TAKE, 0), (TAKE, -1)])
def test_an_axis_that_there_is(call: str, axis: int) -> None:
    for of in ('R.Tensor(dtype="int32")', 'R.Tensor(dtype="int32", ndim=1)', 'R.Tensor((1,), "int32")'):
        one = rr.Tensor.of([0], "int32")
        assert isinstance(rr.run(_checked(call.format(axis), of), "main", one, one), rr.Returned)
