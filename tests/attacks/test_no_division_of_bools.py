"""Bools have no division (``num/no-operation``): no answer is held against what is computed with 0 and 1."""

from __future__ import annotations

import pytest

import refrelax as rr
from tests.attacks.one_call import checked

DIVISIONS = ["divide", "floor_divide", "mod", "floor_mod"]


class _Answer:
    """An implementation with one answer."""

    def __init__(self, value: list[bool]) -> None:
        self.value = rr.Tensor.of(value, "bool")

    def run(self, _module: object, _entry: str, _args: object) -> rr.Returned:
        return rr.Returned(self.value)


@pytest.mark.parametrize("name", DIVISIONS)
@pytest.mark.parametrize("divisor", [[True, True], [True, False]])
def test_a_division_of_bools_is_open(name: str, divisor: list[bool]) -> None:
    program = checked(f"R.{name}(a, b)", (2, "bool"), (2, "bool"))
    args = [[True, False], divisor]
    for numerics in ("ieee", "enclosure"):
        out = rr.run(program, args=args, numerics=numerics)
        assert isinstance(out, rr.Unspecified) and out.rule == "num/no-operation"
    for answer in ([True, False], [False, True]):
        verdict = rr.diff(program, "main", args, impl=_Answer(answer))
        assert isinstance(verdict, rr.NoVerdict) and verdict.word == "OPEN"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("add", [True, True]), ("subtract", [False, True]), ("multiply", [True, False]), ("power", [True, False])],
)
def test_other_arithmetic_of_bools_is_that_of_0_and_1(name: str, expected: list[bool]) -> None:
    out = rr.run(checked(f"R.{name}(a, b)", (2, "bool"), (2, "bool")), args=[[True, False], [True, True]])
    assert isinstance(out, rr.Returned) and out.value.tolist() == expected
