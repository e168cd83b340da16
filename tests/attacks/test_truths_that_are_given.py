"""A truth that an entry is given is no tensor: a proof takes it for one where it is branched on, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from tests.attacks.rare_branch import checked

RARE = """
if c:
    w = R.const(True, "bool")
else:
    w = R.const(False, "bool")
v = {value}
"""


def _rare(value: str) -> rr.CheckedModule:
    return checked('c: R.Prim("bool"), x: R.Tensor((n,), "float32")', RARE.format(value=value), "v = c")


def test_a_tensor_at_one_shape_is_not_the_truth() -> None:
    truth, tensor = map(_rare, ("c", "w"))
    x = np.ones(777, "float32")
    assert isinstance(rr.run(truth, "main", True, x).value, bool)
    assert not isinstance(rr.run(tensor, "main", True, x).value, bool)
    for first, second in ((truth, tensor), (tensor, truth)):
        assert not isinstance(attempt(first, second, "main"), Proved)
        assert not isinstance(rr.validate(first, second), rr.Equivalent)


BRANCH = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(c: R.Prim("bool"), x: R.Tensor((n,), "float32")):
        {attrs}
        if c:
            v = R.add(x, x)
        else:
            v = R.multiply(x, x)
        return {result}
"""
PROMISES = 'R.func_attr({"tir_var_upper_bound": {"c": 0}})'


def _branch(attrs: str = 'R.func_attr({"a": 1})', result: str = "v") -> rr.CheckedModule:
    return rr.check(rr.parse(BRANCH.format(attrs=attrs, result=result)))


def test_a_truth_that_decides_is_read() -> None:
    assert isinstance(attempt(_branch(), _branch('R.func_attr({"b": 1})'), "main"), Proved)


@pytest.mark.parametrize("one", ['R.func_attr({"a": 1})', PROMISES])
def test_what_the_second_program_promises_of_a_truth_is_not_forgotten(one: str) -> None:
    first, second = _branch(one), _branch(PROMISES)
    assert isinstance(rr.run(second, "main", True, np.ones(3, "float32")), rr.Unspecified)
    found = rr.validate(first, second)
    assert isinstance(found, rr.Equivalent) == (one == PROMISES)
