"""Constants that a term head computes are those of the definition."""

from __future__ import annotations

import pytest

from refrelax.semantics.numbers import reading
from refrelax.shape_solver.pointwise.constants import same_number
from refrelax.shape_solver.pointwise.elements import _unchanged, apply
from refrelax.shape_solver.pointwise.terms import Number, Terms
from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import int_imm

FLOATS = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn")
INTEGERS = [0, 1, -1, 7, 100, 65504, 65520, -65536, *((1 << k) + 1 for k in (24, 53, 62)), (1 << 63) - 1, -(1 << 63)]


@pytest.mark.parametrize("dtype", FLOATS)
def test_an_integer_literal_as_a_float_is_rounded_once(dtype: str) -> None:
    terms, f = Terms(), reading("ieee").at(dtype)
    for n in INTEGERS:
        found = apply(terms, "Cast", dtype, (terms.integer(int_imm(n)),))
        assert isinstance(found, Number)
        wanted = f.to_bits(f.cast(n, "int64"))
        assert same_number(dtype, found.bits, wanted), n


@pytest.mark.parametrize("dtype", [*FLOATS, "float8_e8m0fnu", "float8_e4m3fnuz"])
def test_an_operand_that_is_dropped_changes_no_bit(dtype: str) -> None:
    """``x op c`` read as ``x``: for every 8-bit pattern, and some of wider dtypes."""
    terms, f = Terms(), reading("ieee").at(dtype)
    width = dtypes.bits(dtype)
    patterns = (
        range(1 << width) if width <= 8 else [bits.encode(dtype, v) for v in (0.0, -0.0, 1.5, -3.0, float("inf"))]
    )
    constants = [terms.number(dtype, bits.encode(dtype, c)) for c in (0.0, -0.0, 1.0, 2.0)]
    ops = {"Add": f.add, "Sub": f.sub, "Mul": f.mul, "Div": f.div}
    for op, evaluate in ops.items():
        for constant in constants:
            for pattern in patterns:
                x = terms.number(dtype, pattern)
                for left, right in ((x, constant), (constant, x)):
                    kept = _unchanged(op, dtype, (left, right))
                    if isinstance(kept, Number) and isinstance(left, Number) and isinstance(right, Number):
                        value = evaluate(f.from_bits(left.bits), f.from_bits(right.bits))
                        wanted = f.to_bits(value)
                        number = bits.decode(dtype, wanted)
                        assert wanted == kept.bits or number != number, (op, left, right)
