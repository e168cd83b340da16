"""What ``simplify`` gives back for scalars of a program means the same there: its own steps wrap, or stay in range."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import Proved, prove, simplify
from refrelax.syntax.scalars import Binary, BinaryOp, Cast, PrimExpr, SymVar, int_imm

X, Y, Z = (SymVar(name, "int32") for name in "xyz")
SMALL = [SymVar(name, "int8") for name in "xy"]


def op(name: BinaryOp, a: PrimExpr, b: PrimExpr | int) -> PrimExpr:
    return Binary(name, a, int_imm(b, a.dtype) if isinstance(b, int) else b)


def wide(e: PrimExpr) -> PrimExpr:
    return Cast("int64", e)


@pytest.mark.parametrize(
    "e",
    [
        op("Add", wide(SMALL[0]), wide(SMALL[0])),
        op("Mul", wide(SMALL[0]), wide(SMALL[1])),
        op("FloorDiv", op("Mul", wide(SMALL[0]), 4), 2),
        op("FloorDiv", op("Add", op("FloorDiv", wide(SMALL[0]), 2), 100), 3),
    ],
)
def test_a_wrapping_result_is_equal_as_it_is_written(e: PrimExpr) -> None:
    """``int64(x) + int64(x)`` became ``x * 2`` in int8, which wraps at 64."""
    bounds = [each for x in SMALL for each in (op("GE", x, 0), op("LE", x, 100))]
    found = simplify(e, bounds, arithmetic="wrap")
    assert found.dtype == e.dtype
    assert isinstance(prove(Binary("EQ", e, found), bounds, arithmetic="wrap"), Proved)


@pytest.mark.thorough
def test_a_wrapping_result_is_no_longer_than_what_was_given() -> None:
    e = op("FloorDiv", op("Add", op("FloorDiv", X, 1000), 3_000_000), 2)
    assert simplify(e, arithmetic="wrap") == e  # it became the same with each wrap written out


def test_no_number_of_a_program_leaves_its_dtype() -> None:
    e = op("FloorDiv", op("FloorDiv", X, 100_000), 100_000)
    assert simplify(e, arithmetic="no-overflow") == e  # it became x // 10000000000 in int32


@pytest.mark.parametrize("e", [op("Add", op("Sub", X, Y), Z), op("Add", op("Sub", Y, X), Z)])
def test_no_order_of_a_sum_leaves_its_dtype(e: PrimExpr) -> None:
    """``x - y + z`` became ``x + z - y``, of which ``x + z`` may overflow."""
    found = simplify(op("FloorDiv", op("Mul", e, 4), 4), arithmetic="no-overflow")
    assert found in (e, op("FloorDiv", op("Mul", e, 4), 4))


def test_numbers_have_the_dtype_of_their_program() -> None:
    e = op("FloorDiv", op("FloorDiv", X, 3), 5)
    assert simplify(e, arithmetic="no-overflow") == op("FloorDiv", X, 15)
