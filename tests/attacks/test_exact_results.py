"""The exact result of an operator, rounded once, is permitted, also where a step leaves the numbers of the format."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr

PROGRAM = """
@I.ir_module
class Module:
    @R.function
    def main({params}):
        y = {value}
        return y
"""
POOL = "R.nn.avg_pool1d(x, pool_size=[3], strides=[3])"
ENTROPY = "R.nn.cross_entropy_with_logits(x, w)"
OVERFLOWS = {
    "average pool": ("float16", (1, 1, 3), [30000.0] * 3, POOL, 30000.0),
    "adaptive pool": ("float16", (1, 1, 4), [-60000.0] * 4, "R.nn.adaptive_avg_pool1d(x, output_size=[1])", -60000.0),
    "mean without a wider range": ("bfloat16", (5,), [2.0**127] * 5, "R.mean(x, axis=[0])", 2.0**127),
    "mean without a wider format": ("float64", (5,), [1.5e308] * 5, "R.mean(x, axis=[0])", 1.5e308),
    "cross entropy": ("float16", (2, 1), [40000.0, 40000.0], ENTROPY, -40000.0),
}


def run(dtype: str, shape: tuple[int, ...], numbers: list[float], value: str) -> Any:
    params = ", ".join(f'{name}: R.Tensor({shape}, "{dtype}")' for name in ("x", "w"))
    checked = rr.check(rr.parse(PROGRAM.format(params=params, value=value)))
    x = rr.Tensor.of(np.array(numbers).reshape(shape).tolist(), dtype)
    ones = rr.Tensor.of(np.ones(shape).tolist(), dtype)
    return rr.run(checked, "main", x, ones, numerics="enclosure").value.core.payloads()  # type: ignore[union-attr]


def holds(payload: Any, exact: float) -> bool:
    return payload == exact if isinstance(payload, float) else payload.lo <= exact <= payload.hi


@pytest.mark.parametrize("name", OVERFLOWS)
def test_a_sum_that_is_divided_may_be_kept_in_a_wider_format(name: str) -> None:
    *given_, exact = OVERFLOWS[name]
    (found,) = run(*given_)
    assert holds(found, exact)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-65504, 65504), min_size=3, max_size=3))
def test_of_every_average_of_float16(numbers: list[int]) -> None:
    held = [float(np.float16(n)) for n in numbers]
    with np.errstate(over="ignore"):
        exact = float(np.float16(float(sum(map(Fraction, held), Fraction(0)) / 3)))
    (found,) = run("float16", (1, 1, 3), held, POOL)
    assert holds(found, exact)


def test_the_rest_of_a_momentum_is_no_binary64() -> None:
    """``1 - 0.1`` of the binary64 nearest to 0.1 is no binary64, which shows where the two means cancel."""
    norm = "R.nn.batch_norm(x, g, g, m, v, axis=1, momentum=0.1)"
    dims = {"x": (1, 1, 1), "g": (1,), "m": (1,), "v": (1,)}
    params = ", ".join(f'{name}: R.Tensor({shape}, "float64")' for name, shape in dims.items())
    checked = rr.check(rr.parse(PROGRAM.format(params=params, value=norm)))
    args = [np.full((1, 1, 1), -9.0), np.ones(1), np.ones(1), np.ones(1)]
    mean = rr.run(checked, "main", *args, numerics="enclosure").value[1]  # type: ignore[union-attr]
    (found,) = mean.core.payloads()
    assert holds(found, float(1 - 10 * Fraction(0.1)))
