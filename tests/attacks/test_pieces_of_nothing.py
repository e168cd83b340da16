"""Slices whose bounds are fewer than their axes, and pieces that are long and empty: open or quick, and no fault."""

from __future__ import annotations

import pytest

import refrelax as rr

HEAD = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((6,), "int32"), e: R.Tensor((1, 0), "int32")):
"""


def ended(body: str) -> object:
    text = HEAD + "".join(f"        {line}\n" for line in body.splitlines())
    return rr.run(rr.check(rr.parse(text)), "main", [0, 1, 2, 3, 4, 5], [[]])


@pytest.mark.parametrize(
    "bounds", ["a, n, b", "a, b, n", "n, a, b", "a, b, b, n", "a, b, b, d", "d, b, b", "n, b, b, n", "a, d, d, d"]
)
def test_bounds_of_another_length(bounds: str) -> None:
    tuples = "a = (0,)\nb = (2,)\nd = (0, 1)\nn = R.tuple()\n"
    found = ended(f"{tuples}y = R.strided_slice(x, {bounds}, assume_inbound=False)\nreturn y")
    assert isinstance(found, rr.Unspecified)
    assert found.rule == "op.common/fits-run"


def test_bounds_of_one_length() -> None:
    found = ended("a = (0,)\nb = (2,)\ny = R.strided_slice(x, a, b, (5,), assume_inbound=False)\nreturn y")
    assert isinstance(found, rr.Returned)
    assert found.value.tolist() == [2, 3, 4]


def test_pieces_without_elements() -> None:
    found = ended('z = R.zeros(R.shape([2000000000, 0]), dtype="int32")\ny = R.concat((e, z, e), axis=0)\nreturn y')
    assert isinstance(found, rr.Returned)
    assert found.value.shape == (2000000002, 0)


def test_pieces_in_order() -> None:
    found = ended("y = R.concat((x, R.const([], 'int32'), x, R.const([9], 'int32')), axis=0)\nreturn y")
    assert isinstance(found, rr.Returned)
    assert found.value.tolist() == [*range(6), *range(6), 9]
