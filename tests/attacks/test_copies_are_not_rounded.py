"""What is stored, not combined, was widened by a unit in narrow formats, and at NaN and subnormal numbers:
1.25 passed for a copied 1 (``num/accuracy-of-operators``)."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.conformance.suite.values import permitted_to_json

PUT = "R.index_put(x, (i,), v, accumulate={})"
ELEMENTS = "R.scatter_elements(x, i, v, reduction={!r})"
ND = "R.scatter_nd(x, R.reshape(i, R.shape([2, 1])), v, reduction={!r})"
COPIES = [PUT.format(False), *(form.format(by) for form in (ELEMENTS, ND) for by in ("update", "min", "max"))]
SUMS = [PUT.format(True), *(form.format(by) for form in (ELEMENTS, ND) for by in ("add", "mul"))]
TEXT = """
@R.function
def main(x: R.Tensor((3,), "{0}"), i: R.Tensor((2,), "int64"), v: R.Tensor((2,), "{0}")):
    return {1}
"""
SUBNORMAL = 2.0**-149


def elements(body: str, dtype: str, row: list[float]) -> list[Any]:
    text = TEXT.format(dtype, body)
    args = [rr.Tensor.of(row, dtype), rr.Tensor.of([0, 1], "int64"), rr.Tensor.of(row[:2], dtype)]
    found = rr.run(rr.check(rr.parse(text)), "main", args=args, numerics="enclosure")
    assert isinstance(found, rr.Returned)
    return permitted_to_json(found.value)["permitted"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("body", COPIES)
@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"])
def test_of_a_narrow_format(body: str, dtype: str) -> None:
    assert all(isinstance(each, str) for each in elements(body, dtype, [1.0, 2.0, 4.0]))


@pytest.mark.parametrize("body", COPIES)
def test_beside_a_subnormal_number(body: str) -> None:
    assert all(isinstance(each, str) for each in elements(body, "float32", [SUBNORMAL, 2.0, 3 * SUBNORMAL]))


@pytest.mark.parametrize("body", SUMS)
def test_of_what_is_combined_a_unit_more_is_permitted(body: str) -> None:
    assert not all(isinstance(each, str) for each in elements(body, "float8_e4m3fn", [1.0, 2.0, 4.0]))
