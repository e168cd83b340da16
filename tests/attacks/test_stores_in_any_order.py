"""`R.index_put` of equal positions gave the value that was stored last; TVM stores from several threads
(``op.index_put/one-value``)."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr

TEXT = """
@R.function
def main(x: R.Tensor(("n",), "{0}"), i: R.Tensor(("k",), "int64"), v: R.Tensor(("k",), "{0}")):
    return R.index_put(x, (i,), v, accumulate={1})
"""


def put(dtype: str, positions: list[int], values: list[float], accumulate: bool = False) -> rr.Tensor:
    checked = rr.check(rr.parse(TEXT.format(dtype, accumulate)))
    args = [rr.Tensor.of([9, 9, 9], dtype), rr.Tensor.of(positions, "int64"), rr.Tensor.of(values, dtype)]
    outcome = rr.run(checked, "main", args=args)
    assert isinstance(outcome, rr.Returned)
    assert isinstance(outcome.value, rr.Tensor)
    return outcome.value


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64"])
@given(st.lists(st.tuples(st.integers(-3, 2), st.integers(0, 2)), min_size=1, max_size=4))
def test_what_every_order_gives(dtype: str, stores: list[tuple[int, int]]) -> None:
    """An element is defined where all orders of the stores give it the same value, and has that value."""
    ends = set()
    for order in permutations(stores):
        row = [9, 9, 9]
        for position, value in order:
            row[position] = value
        ends.add(tuple(row))
    found = put(dtype, *map(list, zip(*stores, strict=True)))
    for k, choices in enumerate(zip(*ends, strict=True)):
        assert ((k,) in found.poison()) == (len(set(choices)) > 1)
        if (k,) not in found.poison():
            assert found.tolist()[k] == choices[0]


def test_of_nan_and_zeros() -> None:
    nan = float("nan")
    found = put("float32", [0, 0, 1, 1, 2, 2], [nan, nan, 0.0, -0.0, nan, 1.0])
    assert set(found.poison()) == {(2,)}
    found = put("float32", [0, 0], [1.0, nan])
    assert set(found.poison()) == {(0,)}
    assert not put("float32", [0], [nan]).poison()


def test_sums_are_what_they_were() -> None:
    assert put("float32", [0, 0, -3], [1, 2, 3], accumulate=True).tolist() == [15.0, 9.0, 9.0]


@pytest.mark.parametrize(("extents", "open_"), [("(1,)", False), ("()", False), ("(2, 1)", True), ("(1, 3)", True)])
def test_one_value_that_is_computed_agrees_with_itself(extents: str, open_: bool) -> None:
    """Its set has several members; two computed values may differ, the same one does not differ from itself."""
    checked = rr.check(rr.parse(f"""
@R.function
def main(x: R.Tensor((4,), "float32"), i: R.Tensor((2, 3), "int64"), a: R.Tensor({extents}, "float32")):
    v = R.exp(a)
    return R.index_put(x, (i,), v)
"""))  # fmt: skip
    shape = tuple(int(each) for each in extents.strip("()").split(",") if each.strip())
    value = np.full(shape, 0.3, "float32")
    outcome = rr.run(checked, args=[[0.0] * 4, [[1, 1, 2], [2, 1, 2]], value], numerics="enclosure")
    assert isinstance(outcome, rr.Returned)
    assert bool(outcome.poison) is open_
