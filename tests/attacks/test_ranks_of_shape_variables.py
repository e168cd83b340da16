"""A tensor over a shape variable has that variable's rank where it is held against a value's type, as TVM has it."""

from __future__ import annotations

import pytest

import refrelax as rr

MODULE = """@I.ir_module
class Module:
    @R.function
    def main(s: R.Shape({}), x: R.Tensor({}dtype="float32")):
        y{} = {}
        return y
"""
CAST = ("", 'R.match_cast(x, R.Tensor(s, "float32"))', "ty/match-cast-impossible")
CALL = (': R.Tensor(s, "float32")', "R.nn.relu(x)", "ty/annotation-impossible")
PAIR = ("", 'R.match_cast((x, x), R.Tuple(R.Tensor("float32"), R.Tensor(s, "float32")))', "ty/match-cast-impossible")


@pytest.mark.parametrize("shape", ["ndim=2", "[2, 3]"])
@pytest.mark.parametrize(("annotation", "value", "rule"), [CAST, CALL, PAIR])
def test_another_rank_is_seen(shape: str, annotation: str, value: str, rule: str) -> None:
    with pytest.raises(rr.IllTyped) as refused:
        rr.check(rr.parse(MODULE.format(shape, "ndim=3, ", annotation, value)))
    assert [each.rule for each in refused.value.diagnostics] == [rule]


@pytest.mark.parametrize(("shape", "ndim"), [("ndim=2", "ndim=2, "), ("ndim=-1", "ndim=3, "), ("ndim=2", "")])
@pytest.mark.parametrize(("annotation", "value"), [CAST[:2], CALL[:2], PAIR[:2]])
def test_a_rank_that_may_be_is_accepted(shape: str, ndim: str, annotation: str, value: str) -> None:
    rr.check(rr.parse(MODULE.format(shape, ndim, annotation, value)))


def test_a_result_that_says_the_same_shape_needs_no_check() -> None:
    text = MODULE.format("ndim=2", "", CALL[0], 'R.call_pure_packed("f", x, ty_args=(R.Tensor(s, "float32"),))')
    assert not rr.check(rr.parse(text)).promises
