"""What `strict` says of the sign of a zero that several operations lead to."""

from __future__ import annotations

import pytest

import refrelax as rr
from tests.attacks.one_call import checked


@pytest.mark.parametrize(
    ("call", "items"),
    [
        ("R.prod(a, axis=[0])", [-0.0, 2.0, 1.5]),
        ("R.prod(a, axis=[0])", [-1.0, 0.0, 3.0]),
        ("R.cumprod(a, axis=0)", [3.5, -0.0, 3.0]),
        ("R.cumprod(a, axis=0)", [-3.5, 0.0, 3.0]),
    ],
)
def test_strict_leaves_the_sign_of_a_products_zero_open(call: str, items: list[float]) -> None:
    """Several operations lead to it; what ``ieee`` gives is permitted in any case (``num/strict``)."""
    c = checked(call, (3, "float32"))
    strict, canonical = rr.run(c, args=[items], numerics="enclosure", strict=True), rr.run(c, args=[items])
    assert isinstance(strict, rr.Returned)
    assert isinstance(canonical, rr.Returned)
    assert isinstance(strict.value.judge(canonical.value), rr.Inside)
    assert str(rr.diff(c, "main", [items], impl="numpy", mode="bits", strict=True)).startswith("AGREE")


@pytest.mark.parametrize(
    ("call", "other"),
    [
        ("R.floor_divide(a, R.exp(b))", 1.25),
        ("R.ceil(R.cumprod(R.sign(a), axis=0))", 1.0),
        ("R.sqrt(R.cumprod(a, axis=0))", 1.0),
        ("R.sin(R.multiply(a, R.exp(b)))", 1.25),
    ],
)
def test_a_function_of_a_zero_of_open_sign_leaves_it_open(call: str, other: float) -> None:
    c = checked(call, (3, "float32"), (3, "float32"))
    args = [[1.0, -0.0, 0.0], [other] * 3]
    strict, canonical = rr.run(c, args=args, numerics="enclosure", strict=True), rr.run(c, args=args)
    assert isinstance(strict, rr.Returned)
    assert isinstance(canonical, rr.Returned)
    assert not isinstance(strict.value.judge(canonical.value), rr.Outside)
