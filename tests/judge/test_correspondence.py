"""Entries that do not take the same: on request they are compared as far as they correspond, and it is said how."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.errors import UsageError

HEAD = """n = TypeVar('n')
@I.ir_module
class Module:
    @R.function
    def main({params}):
        r = {value}
        return r
"""
X, W, B = "x: R.Tensor((n, 2), 'float32')", "w: R.Tensor((2, 4), 'float32')", "b: R.Tensor((4,), 'float32')"
BUNDLE = "p: R.Tuple(R.Tensor((2, 4), 'float32'), R.Tensor((4,), 'float32'))"
WHOLE = "R.add(R.matmul(x, w), b)"
WEIGHT = np.arange(8, dtype="float32").reshape(2, 4)
CONSTANT = "metadata['ir.GenericConst'][{}]"


def module(params: str, value: str, *constants: Any) -> Any:
    read = rr.parse(HEAD.format(params=params, value=value))
    return rr.bind_constants(read, dict(enumerate(constants))) if constants else read


FIRST = module(f"{X}, {W}, {B}", WHOLE)
BOUND = module(f"{X}, {B}", WHOLE.replace("w)", CONSTANT.format(0) + ")"), WEIGHT)
TUPLE = module(f"{X}, {BUNDLE}", "R.add(R.matmul(x, p[0]), p[1])")
STATIC = module(f"{X}, {W}, {B}".replace("(n, 2)", "(7, 2)"), WHOLE)
UNUSED = module(f"{X}, {W}, {B}", "R.matmul(x, w)")


def how(answer: Any) -> list[str]:
    return [each.removeprefix("interface: ") for each in answer.report.trusts if each.startswith("interface")]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (FIRST, BOUND, "w is constant 0 of the second program"),
        (FIRST, TUPLE, "the fields of p are parameters of their own"),
        (TUPLE, FIRST, "the fields of p are parameters of their own"),
        (FIRST, STATIC, "n = 7"),
        (UNUSED, module(f"{X}, {W}", "R.matmul(x, w)"), "b is not taken by the second program"),
    ],
    ids=["bound", "bundled", "unbundled", "static", "dropped"],
)
def test_a_correspondence_is_found_and_said(first: Any, second: Any, said: str) -> None:
    assert isinstance(rr.validate(first, second), rr.NoVerdict)
    found = rr.validate(first, second, correspond=True)
    assert isinstance(found, rr.Equivalent)
    assert how(found) == [said]


@pytest.mark.parametrize(
    "second",
    [
        module(f"{X}, {BUNDLE}", "R.add(R.matmul(x, p[0]), R.add(p[1], p[1]))"),
        module(f"{X}, {W}, {B}".replace("(n, 2)", "(7, 2)"), "R.subtract(R.matmul(x, w), b)"),
        module(f"{X}, {W}", "R.matmul(x, w)"),
        module(f"{X}, {B}", WHOLE.replace("w)", f"R.add({CONSTANT.format(0)}, {CONSTANT.format(0)}))"), WEIGHT),
    ],
    ids=["bundled", "static", "dropped", "bound"],
)
def test_a_wrong_pass_is_refuted(second: Any) -> None:
    assert isinstance(rr.validate(FIRST, second, correspond=True), rr.Refuted)


def test_given_arrays_are_bound() -> None:
    found = rr.validate(FIRST, BOUND, bind={"w": WEIGHT})
    assert isinstance(found, rr.Equivalent)
    assert how(found) == ["w is given"]
    assert isinstance(rr.validate(FIRST, BOUND, bind={"w": WEIGHT + 1}), rr.Refuted)


def test_arrays_of_another_type_are_refused() -> None:
    with pytest.raises(UsageError, match="do not fit"):
        rr.validate(FIRST, BOUND, bind={"w": np.zeros((3, 4), "float32")})


def test_constants_of_one_type_are_taken_in_order_or_not_at_all() -> None:
    two = "R.add(R.matmul(x, w), R.matmul(x, v))"
    first = module(f"{X}, {W}, {W.replace('w:', 'v:')}", two)
    constants = two.replace("w)", CONSTANT.format(0) + ")").replace("v)", CONSTANT.format(1) + ")")
    found = rr.validate(first, module(X, constants, WEIGHT, WEIGHT + 1), correspond=True)
    assert isinstance(found, rr.Equivalent)
    more = rr.bind_constants(module(X, constants, WEIGHT, WEIGHT + 1), {2: WEIGHT})
    assert not isinstance(rr.validate(first, more, correspond=True), rr.Equivalent)


@pytest.mark.parametrize(("value", "proved"), [("R.zeros", True), ("R.ones", False)])
def test_extents_of_a_shape_that_is_given_become_numbers(value: str, proved: bool) -> None:
    first = module("s: R.Shape([n, 4])", "R.zeros(R.shape([n, 4]), 'float32')")
    found = rr.validate(first, module("s: R.Shape([3, 4])", f"{value}(R.shape([3, 4]), 'float32')"), correspond=True)
    assert isinstance(found, rr.Equivalent) is proved
    assert not proved or how(found) == ["n = 3"]


def test_other_extents_of_a_shape_are_no_numbers_of_it() -> None:
    first = module("s: R.Shape([n, n])", "R.zeros(R.shape([n]), 'float32')")
    second = module("s: R.Shape([3, 4])", "R.zeros(R.shape([3]), 'float32')")
    assert not isinstance(rr.validate(first, second, correspond=True), rr.Equivalent)


def test_one_constant_for_one_of_two_parameters_is_for_the_caller_to_say() -> None:
    """Which of two parameters of one type a constant is, nobody said: that they are not needed would be a guess, and
    what is refuted by it no fault of the pass."""
    first = module("x: R.Tensor((2, 4), 'float32'), w: R.Tensor((2, 4), 'float32')", "R.negative(w)")
    second = module("", f"R.negative({CONSTANT.format(0)})", WEIGHT)
    assert rr.validate(first, second, correspond=True).word == "NO-VERDICT"
    given = {"x": WEIGHT, "w": WEIGHT}
    assert rr.validate(first, second, bind=given).word == "PROVED"
    assert rr.validate(first, module("", "R.negative(R.zeros((2, 4), 'float32'))"), correspond=True).word == "REFUTED"
