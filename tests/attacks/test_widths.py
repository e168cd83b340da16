"""Integers of widths that no machine has."""

from __future__ import annotations

import pytest

import refrelax as rr
from tests.attacks.one_call import checked


@pytest.mark.parametrize("dtype", ["int3", "uint17", "int21", "int33", "int48", "uint56", "uint63"])
def test_integers_of_any_width_have_bytes(dtype: str) -> None:
    greatest = (1 << int(dtype.lstrip("uint")) - dtype.startswith("int")) - 1
    x = rr.Tensor.of([1, 0, greatest], dtype)
    assert rr.Tensor.of_bytes(dtype, (3,), x.tobytes()) == x
    out = rr.run(checked("R.add(a, b)", (3, dtype), (3, dtype)), args=[x, [1, 0, 1]])
    assert isinstance(out, rr.Returned)
    assert out.value.tolist() == [2, 0, 0 if dtype.startswith("u") else -greatest - 1]
