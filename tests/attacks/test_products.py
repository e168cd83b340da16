"""Products in any order: what some order gives is inside, and nothing that is off by more than their roundings."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

import refrelax as rr
from refrelax.semantics.numbers.products import product_end
from refrelax.syntax import bits
from tests.attacks.one_call import checked

PRECISION = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def _permitted(call: str, items: list[float], dtype: str) -> rr.Tensor:
    out = rr.run(checked(call, (len(items), dtype)), args=[items], numerics="enclosure")
    assert isinstance(out, rr.Returned)
    return out.value  # type: ignore[no-any-return]


def _next(x: float, dtype: str, steps: int) -> float:
    return float(bits.decode(dtype, bits.encode(dtype, x) + steps))


@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("call", ["R.prod(a)", "R.take(R.cumprod(a, axis=0), R.const(3, 'int64'), axis=0)"])
def test_a_product_whose_bits_fit_is_one_number(dtype: str, call: str) -> None:
    permitted = _permitted(call, [3.0, -5.0, 0.25, 7.0], dtype)
    exact = -26.25
    assert permitted.contains(exact)
    for off in (_next(exact, dtype, 1), _next(exact, dtype, -1)):
        assert not permitted.contains(rr.Tensor.of(off, dtype).numpy())


def test_a_float64_product_in_float32_is_outside() -> None:
    items = [1.1, 1.7, 2.3]
    exact = math.prod(map(Fraction, items))
    permitted = _permitted("R.prod(a)", items, "float64")
    for order in ([0, 1, 2], [2, 1, 0], [0, 2, 1]):
        assert permitted.contains(rr.Tensor.of(math.prod(items[k] for k in order), "float64").numpy())
    assert not permitted.contains(rr.Tensor.of(float(exact) * (1 + 2.0**-40), "float64").numpy())
    assert not permitted.contains(rr.Tensor.of(float(exact) * (1 - 2.0**-24), "float64").numpy())


@pytest.mark.parametrize("dtype", PRECISION)
def test_every_order_is_inside(dtype: str) -> None:
    rng = random.Random(dtype)
    for _ in range(20):
        items = [_next(rng.uniform(0.6, 1.6), dtype, 0) * rng.choice([1, -1]) for _ in range(rng.randint(1, 7))]
        permitted = _permitted("R.prod(a)", items, dtype)
        for _ in range(5):
            left = list(items)
            while len(left) > 1:  # any tree: two of what is left are multiplied, rounded once
                rng.shuffle(left)
                left.append(_next(left.pop() * left.pop(), dtype, 0))
            assert permitted.contains(rr.Tensor.of(left[0], dtype).numpy())


@pytest.mark.parametrize("precision", [4, 11, 24, 53])
@pytest.mark.parametrize("roundings", [0, 1, 5, 40])
def test_the_ends_hold_the_roundings_and_are_tight(precision: int, roundings: int) -> None:
    factors = [1.1, 5e-324, 1.7e308, 3.0, 0.7]
    exact = math.prod(map(Fraction, factors))
    grown = (1 + Fraction(1, 2**precision)) ** roundings
    low = Fraction(product_end(factors, roundings, precision, up=False))
    high = Fraction(product_end(factors, roundings, precision, up=True))
    assert low <= exact / grown and exact * grown <= high
    slack = (1 + Fraction(2, 2**precision)) ** (2 * roundings) * (1 + Fraction(1, 2**50))
    assert high <= exact * slack and low >= exact / slack


def test_the_ends_at_infinity_and_zero() -> None:
    assert product_end([1e308, 1e308], 0, 53, up=True) == math.inf
    assert product_end([1e308, 1e308], 0, 53, up=False) < math.inf
    assert product_end([1e-308, 1e-308], 0, 53, up=True) == 5e-324
    assert product_end([1e-308, 1e-308], 0, 53, up=False) == 0.0
    assert product_end([0.0, 2.0], 3, 24, up=True) == product_end([0.0, 2.0], 3, 24, up=False) == 0.0
    assert product_end([0.0, math.inf], 1, 24, up=True) == math.inf
