"""A shape that binds a symbol to a negative number leaves the run open: a check that is made of it, or a call of a
function that takes it, is not nothing."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

MODULE = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function(private=True)
    def given(s: R.Shape((m,))) -> R.Any:
        return s
    @R.function(private=True)
    def made(s: R.Shape((m, 4))) -> R.Shape((m,)):
        t = R.shape([m])
        return t
    @R.function(private=True)
    def packed(s: R.Tuple(R.Shape((m,)))) -> R.Shape((m,)):
        t = R.shape([m])
        return t
    @R.function
    def main({params}) -> R.Any:
        cls = Module
        {body}
        return v
"""
RANK = "s: R.Shape(ndim=1)"
SHAPE = "s: R.Shape((n,))"
SCALAR = 'k: R.Prim("int64")'
TENSOR = 'x: R.Tensor((n,), "float32")'


def _checked(params: str, body: str) -> rr.CheckedModule:
    lines = body.replace("; ", "\n        ")
    return rr.check(rr.parse(MODULE.format(params=params, body=lines)))


OPEN: dict[str, tuple[str, str, str, Any]] = {
    "cast": (RANK, "v = s", "v = R.match_cast(s, R.Shape((m,)))", (-1,)),
    "cast of a scalar": (
        SCALAR,
        "v = R.shape([k // 2 + 1000])",
        "t = R.shape([k // 2 + 1000]); v = R.match_cast(t, R.Shape((m,)))",
        -4000,
    ),
    "call": (SCALAR, "v = R.shape([k // 2 + 1000])", "v = cls.given(R.shape([k // 2 + 1000]))", -4000),
    "call that makes a shape": (
        SCALAR,
        "v = R.shape([k // 2 + 1000])",
        "v = cls.made(R.shape([k // 2 + 1000, 4]))",
        -4000,
    ),
    "call of a tuple": (SCALAR, "v = R.shape([k])", "v = cls.packed((R.shape([k]),))", -1),
    "difference": (TENSOR, "v = R.shape([n - 70])", "v = cls.given(R.shape([n - 70]))", [0.0]),
}


@pytest.mark.parametrize("what", OPEN)
def test_the_second_program_opens_a_run(what: str) -> None:
    params, one, two, arg = OPEN[what]
    first, second = _checked(params, one), _checked(params, two)
    assert isinstance(rr.run(first, "main", arg), rr.Returned)
    assert isinstance(rr.run(second, "main", arg), rr.Unspecified)
    assert not isinstance(attempt(first, second, "main"), Proved)


@pytest.mark.parametrize("what", [each for each in OPEN if "tuple" not in each])
def test_the_first_program_may(what: str) -> None:
    params, one, two, _ = OPEN[what]
    first, second = _checked(params, two), _checked(params, one)
    assert isinstance(attempt(first, second, "main"), Proved)
    again = _checked(params, two + "; _ = v")
    assert isinstance(attempt(first, again, "main"), Proved)


@pytest.mark.parametrize(
    ("params", "one", "two"),
    [
        (TENSOR, "v = R.shape([n + 1])", "v = cls.given(R.shape([n + 1]))"),
        (TENSOR, "v = R.shape([n])", "v = cls.given(R.shape([n]))"),
        (TENSOR, "v = R.shape([7])", "v = cls.made(R.shape([7, 4]))"),
        (SHAPE, "v = R.shape([n])", "v = cls.given(s)"),
        (SHAPE, "v = s", "v = R.match_cast(s, R.Shape((m,)))"),
    ],
)
def test_extents_that_are_seen_not_to_be_negative(params: str, one: str, two: str) -> None:
    assert isinstance(attempt(_checked(params, one), _checked(params, two), "main"), Proved)
