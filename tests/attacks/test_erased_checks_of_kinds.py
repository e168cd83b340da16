"""Checks of kinds and of numbers of fields that are left out of a built program, each alone: all are refuted.

``match_shape`` takes a shape where a tensor is meant and the other way round, and a field is taken of a tuple of any
length, so that nothing else in the program asks.

Spec: ``va/interface``, ``lo/check-spelled``.
"""

from __future__ import annotations

import re

import pytest

import refrelax as rr

PROGRAM = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main({0}) -> R.Shape([n, m]):
        s = R.shape([n, m])
        return s
"""
SHAPE = 'x: R.Tensor((n, m, 5), "float32"), s: R.Shape([m, n])'
TENSOR = 'x: R.Tensor((n, m)), s: R.Shape(["n", "m"])'
TUPLE = 't: R.Tuple(R.Tensor((n, m, 5), "float32"), R.Shape([m, n]))'
NESTED = 't: R.Tuple(R.Tuple(R.Tensor((n, 5), "float32")), R.Shape(["m"]))'
EMPTY = 'e: R.Tuple(), s: R.Shape(["n", "m"])'


@pytest.mark.parametrize(
    ("params", "check", "count"),
    [
        (SHAPE, "check_shape_info", 1),
        (TENSOR, "check_tensor_info", 1),
        (TUPLE, "check_tuple_info", 1),
        (NESTED, "check_tuple_info", 1),
        (NESTED, "check_tuple_info", 2),
        (EMPTY, "check_tuple_info", 1),
    ],
)
def test_one_check_less(params: str, check: str, count: int) -> None:
    typed = rr.check(rr.parse(PROGRAM.format(params)))
    text = rr.print_module(rr.lower(typed, pipeline="build").module.module)
    lines = [k for k, line in enumerate(text.splitlines()) if f"vm.builtin.{check}" in line and "loc=param" in line]
    place = lines[count - 1]
    left = "\n".join(line for k, line in enumerate(text.splitlines()) if k != place)
    assert re.search(r"loc=param", text.splitlines()[place])
    verdict = rr.validate(typed, rr.check(rr.parse(left)))
    assert isinstance(verdict, rr.Refuted) and verdict.counterexample, verdict
    assert isinstance(verdict.counterexample.before, rr.Trapped)
