"""What is simplified in a program is a scalar of that program: both operands of an operation have its dtype, and a
variable is the one that was given."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import simplify
from refrelax.shape_solver.door import Arithmetic
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, PrimExpr, Select, SymVar, int_imm, walk

n, m = SymVar("n", "int32"), SymVar("m", "uint8")
FOUR = int_imm(4, "int32")
BOUNDS = [Binary("GE", n, int_imm(0, "int32")), Binary("LT", n, int_imm(1000, "int32"))]


def same(e: PrimExpr) -> PrimExpr:
    """``e * 4 // 4``."""
    four = int_imm(4, e.dtype)
    return Binary("FloorDiv", Binary("Mul", e, four), four)


def bits(op: str, a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return Intrinsic(op, (a, b), a.dtype)


def well_typed(e: PrimExpr) -> bool:
    match e:
        case Binary(_, a, b):
            return a.dtype == b.dtype
        case Select(_, a, b):
            return a.dtype == b.dtype
        case Intrinsic("if_then_else", (_, a, b), dtype):
            return a.dtype == b.dtype == dtype
        case Intrinsic(_, args, dtype):
            return all(each.dtype == dtype for each in args)
        case _:
            return True


CASES: list[PrimExpr] = [
    bits("bitwise_and", same(n), Binary("Sub", FOUR, n)),
    bits("shift_left", Binary("Max", bits("bitwise_or", m, m), m), int_imm(2, "uint8")),
    Binary("Add", Cast("int32", Cast("int8", n)), same(n)),
    Binary("Max", Cast("int32", Binary("GT", Cast("int8", n), int_imm(3, "int8"))), same(n)),
    Select(Binary("LT", Cast("int8", n), int_imm(3, "int8")), same(n), FOUR),
    Cast("int64", Intrinsic("abs", (same(n),), "int32")),
    Intrinsic("bitwise_not", (Cast("uint16", same(n)),), "uint16"),
    Cast("int32", bits("shift_left", Cast("uint64", same(n)), int_imm(2, "uint64"))),
]


@pytest.mark.parametrize("arithmetic", ["no-overflow", "wrap"])
@pytest.mark.parametrize("e", CASES)
def test_operands_have_one_dtype(e: PrimExpr, arithmetic: Arithmetic) -> None:
    found = simplify(e, BOUNDS, "quick", arithmetic)
    assert found.dtype == e.dtype
    assert all(map(well_typed, walk(found))), found


def test_they_are_simplified() -> None:
    found = simplify(CASES[0], BOUNDS, "quick", "no-overflow")
    assert found == bits("bitwise_and", n, Binary("Sub", FOUR, n))
    found = simplify(CASES[2], BOUNDS, "quick", "wrap")
    assert found == Binary("Add", Cast("int32", Cast("int8", n)), n)


@pytest.mark.parametrize("arithmetic", ["exact", "no-overflow", "wrap"])
def test_a_variable_is_the_one_that_was_given(arithmetic: Arithmetic) -> None:
    said = ["n >= 0", "n < 100"]  # of a symbol whose dtype nobody said
    assert simplify(same(n), said, "quick", arithmetic) == n
    wide = simplify(same(Cast("int64", n)), said, "quick", arithmetic)
    assert wide == (n if arithmetic == "exact" else Cast("int64", n))


def test_steps_around_what_was_shorter_are_in_range_too() -> None:
    """They were made in a dtype that holds more, or others."""
    wide = Cast("int64", n)
    square = Binary("Mul", wide, wide)
    rest = Binary("FloorMod", Binary("Add", square, same(wide)), int_imm(7))
    e = Cast("int32", rest)
    assert simplify(e, [], "quick", "no-overflow") in (
        e,
        Cast("int32", Binary("FloorMod", Binary("Add", square, wide), int_imm(7))),
    )
    k = Cast("int8", m)  # 1 - 16 is no uint8
    below = Cast("uint8", Binary("Sub", k, Binary("Mul", k, int_imm(16, "int8"))))
    given = [Binary("GE", m, int_imm(1, "uint8")), Binary("LT", m, int_imm(5, "uint8"))]
    assert simplify(below, given, "quick", "no-overflow") == below
