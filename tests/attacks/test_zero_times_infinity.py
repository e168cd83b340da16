"""0 · inf is NaN, and so is a sum or a product with it in every order: a number for it was judged to be inside."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.semantics.numbers.intervals import INF, Interval
from refrelax.semantics.numbers.readings import reading

F = reading("enclosure").at("float32")
NUMBERS = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=4)


def only_nan(x: object) -> bool:
    return (isinstance(x, Interval) and x.empty and x.nan) or (isinstance(x, float) and math.isnan(x))


@given(ROWS, ROWS, st.sampled_from([INF, -INF]))
def test_a_dot_with_zero_times_infinity_is_nan(before: list, after: list, infinity: float) -> None:  # type: ignore[type-arg]
    left, right = zip(*before, (0.0, infinity), *after, strict=True)
    assert only_nan(F.dot(left, right, "float32")) and only_nan(F.dot(right, left, "float32"))


@given(st.lists(NUMBERS, max_size=4), st.sampled_from([INF, -INF]))
def test_a_product_with_both_is_nan(items: list[float], infinity: float) -> None:
    assert only_nan(F.reduce("mul", [0.0, *items, infinity]))


def test_what_may_be_zero_may_be_a_number() -> None:
    found = F.dot([Interval(0.0, 1.0), 1.0], [INF, 2.0], "float32")
    assert isinstance(found, Interval) and found.nan and not found.empty


@pytest.mark.parametrize("what", ["R.matmul(a, b)", 'R.einsum((a, b), "ij,jk->ik")'])
def test_an_answer_that_skips_zeros_is_not_inside(what: str) -> None:
    text = f"""
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((1, 3), "float32"), b: R.Tensor((3, 1), "float32")):
        y = {what}
        return y
"""
    checked = rr.check(rr.parse(text))
    args = rr.Tensor.of([[INF, 1.0, 2.0]], "float32"), rr.Tensor.of([[0.0], [1.0], [1.0]], "float32")
    found = rr.run(checked, "main", *args, numerics="enclosure")
    assert isinstance(found, rr.Returned)
    assert not found.value.contains(rr.Tensor.of([[3.0]], "float32"))
    assert found.value.contains(rr.Tensor.of([[math.nan]], "float32"))
