"""The bytes of a tensor as a formula have the value that its extents give."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest

from refrelax.lower.memory_sizes import nbytes
from refrelax.semantics.dims import value
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import PrimExpr, SymVar, int_imm

N, M = SymVar("n"), SymVar("m")
DIMS: tuple[PrimExpr, ...] = (int_imm(0), int_imm(1), int_imm(2), int_imm(3), N, M)


@pytest.mark.parametrize("dtype", ("bool", "int8", "float16", "float32", "float64"))
def test_bytes(dtype: str) -> None:
    symbols = {"n": 7, "m": 5}
    for rank in range(4):
        for dims in product(DIMS, repeat=rank):
            assert value(nbytes(dims, dtype), symbols) == prod(value(d, symbols) for d in dims) * dtypes.itemsize(dtype)
