"""Questions that the solver answered wrongly, or not at all: one test for each cause."""

from __future__ import annotations

import sys

import pytest

from refrelax.shape_solver import Proved, Refuted, Unknown, bounds, disjoint, prove, simplify
from refrelax.syntax.scalars import Binary, Cast, PrimExpr, SymVar, int_imm

RING = [*(f"x{i} <= x{i + 1}" for i in range(12)), "x12 <= x0"]
"""A chain that makes thirteen symbols equal."""


@pytest.mark.parametrize(
    "claim",
    [
        "x0 == x12 and y != 12345678",
        "x0 == x5 and y*y != 1522756",
        "x0 == x12 and (y < 987654321 or z < 5)",
        "x0 == x5 and x0 == x4 and y != 12345678 and z*z != 1522756",
    ],
)
def test_a_part_that_is_no_inequality_does_not_follow_from_a_chain(claim: str) -> None:
    assert not isinstance(prove(claim, RING), Proved)


def test_equalities_and_orders_follow_from_a_chain() -> None:
    assert isinstance(prove("x0 == x12 and x3 <= x2 and x1 < x7 + 1", RING), Proved)


HASH = "((((n ^ (n >> 7)) * 40503) & 65535) ^ (((n ^ (n >> 9)) * 30011) & 65535))"


@pytest.mark.thorough
def test_a_word_holds_what_a_shift_down_leaves() -> None:
    full = 2**40 - 1
    claim = f"{HASH} != 12345 or (({full} >> (40*t)) - {full}) * (({full} >> (40*t)) - {full}) <= 0"
    given = ["0 <= n", "n < 2**32", "0 <= t", "t <= 1"]  # it fails at n == 23803, t == 1
    assert not isinstance(prove(claim, given), Proved)


def test_the_range_of_a_shift_holds_its_values() -> None:
    from refrelax.shape_solver.vectors import _bit

    ends = [(a, b) for a in range(-9, 10) for b in range(a, 10)]
    for op, shift in (("shift_left", int.__lshift__), ("shift_right", int.__rshift__)):
        for a in ends:
            for b in ((0, 0), (0, 3), (1, 2), (2, 5)):
                found = _bit(op, a, b)
                assert found is not None
                values = [shift(x, k) for x in range(a[0], a[1] + 1) for k in range(b[0], b[1] + 1)]
                assert found[0] <= min(values) and max(values) <= found[1], (op, a, b)


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("T.Let(n == n, where={x: 300})", Refuted),
        ("T.Let(n, where={x: -129}) == n", Refuted),
        ("n > 3 or T.Let(n <= 3, where={x: 128})", Refuted),
        ("T.Let(n == n, where={x: 127})", Proved),
    ],
)
def test_a_number_that_is_bound_and_not_used_is_a_step(claim: str, right: type) -> None:
    assert isinstance(prove(claim, fits="int8"), right)


def number(name: str, dtype: str) -> PrimExpr:
    return SymVar(name, dtype)


def test_regions_of_wrapping_arithmetic_are_counted_exactly() -> None:
    a, m, b = (number(name, "uint8") for name in "amb")
    at = [Binary("EQ", x, int_imm(value, "uint8")) for x, value in ((a, 250), (m, 10), (b, 252))]
    found = disjoint((a, m), (b, 1), at, arithmetic="wrap")  # 250 + 10 is 4 in uint8, and 252 lies between
    assert isinstance(found, Refuted) and found.model == {"a": 250, "m": 10, "b": 252}
    apart = Binary("LT", b, a)
    assert isinstance(disjoint((a, m), (b, 1), [apart], arithmetic="wrap"), Proved)
    assert isinstance(disjoint(a, b, [apart], arithmetic="wrap"), Proved)


@pytest.mark.thorough
@pytest.mark.parametrize(("e", "given"), [("1//0", []), ("n", ["n*n == 2"]), ("n//m", ["m == 0"])])
def test_bounds_of_no_value_say_so(e: str, given: list[str]) -> None:
    assert bounds(e, given) == (1, 0)


def test_what_is_nested_too_deep_is_left_alone() -> None:
    e: PrimExpr = number("a", "int64")
    for _ in range(170):
        e = Binary("FloorDiv", number("b", "int64"), Binary("Add", e, int_imm(1)))
    assert bounds(e) == (None, None)
    assert simplify(e) is e
    assert isinstance(disjoint(e, e, arithmetic="wrap"), Unknown)


def test_a_mask_shows_only_its_bits() -> None:
    assert isinstance(prove("((n ^ m) & 255) >= 0"), Proved)
    assert isinstance(prove("((n ^ m) & 255) < 256"), Proved)
    assert isinstance(prove("((n ^ m) & 12) == (n & 12) + (m & 12) - 2 * (n & m & 12)"), Proved)
    assert isinstance(prove("((n ^ m) & 255) <= 254"), Refuted)
    assert isinstance(prove("((n ^ m) & -2) >= 0"), Refuted)


@pytest.mark.thorough
def test_many_steps_are_not_too_deep() -> None:
    claim = " and ".join(f"a // b{k % 7} >= {-k}" for k in range(120))
    given = ["a >= 0", *(f"b{k} >= 1" for k in range(7))]
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(1_001)  # what a program of somebody else starts from
        assert isinstance(prove(claim, given, fits="int32"), Proved)
    finally:
        sys.setrecursionlimit(max(limit, sys.getrecursionlimit()))


def test_what_is_simplified_keeps_its_dtype() -> None:
    n, m = (Cast("int64", number(name, "int32")) for name in "nm")
    product = Binary("Mul", n, m)  # it fits int64, and not int32
    four = int_imm(4)
    found = simplify(Binary("FloorDiv", Binary("Mul", product, four), four), arithmetic="no-overflow")
    assert found == product
    plain = Binary("Sub", Binary("Add", number("n", "int32"), number("m", "int32")), number("m", "int32"))
    assert simplify(plain, arithmetic="no-overflow") == number("n", "int32")
