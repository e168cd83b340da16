"""Dims of deduced types: their value is that of integers, at the wider dtype, and what is known is folded."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from refrelax.semantics.dims import value
from refrelax.semantics.ops import dims as D
from refrelax.syntax.scalars import Binary, Cast, Literal, PrimExpr, SymVar, as_int, int_imm

PLAIN: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b), "minimum": min, "maximum": max, "less": lambda a, b: int(a < b),
}  # fmt: skip
NUMBERS = (-3, 0, 1, 2, 5)


def forms(name: str, number: int) -> list[PrimExpr]:
    """An operand that is a number, in all ways that one is written."""
    return [form(name, number) for form in (
        lambda _, k: int_imm(k), lambda _, k: int_imm(k, "int32"),
        lambda n, _: SymVar(n, "int64"), lambda n, _: SymVar(n, "int32"),
    )]  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_is_that_of_integers(name: str) -> None:
    make: Any = getattr(D, name)
    for a, b in product(NUMBERS, repeat=2):
        if "div" in name and b <= 0:
            continue
        for x, y in product(forms("n", a), forms("m", b)):
            made = make(x, y)
            assert value(made, {"n": a, "m": b}) == PLAIN[name](a, b), (x, y)
            wide = "int64" if "int64" in (x.dtype, y.dtype) else "int32"
            assert made.dtype == ("bool" if name == "less" else wide), (x, y)
            if isinstance(x, Literal) and isinstance(y, Literal):
                assert isinstance(made, Literal), (x, y)


def test_units_are_not_written() -> None:
    n, m = SymVar("n", "int64"), SymVar("m", "int64")
    for made in (D.add(n, D.ZERO), D.add(D.ZERO, n), D.sub(n, D.ZERO), D.mul(n, D.ONE), D.mul(D.ONE, n)):
        assert made == n
    assert D.floordiv(n, D.ONE) == D.minimum(n, n) == D.maximum(n, n) == n
    assert D.mul(n, D.ZERO) == D.mul(D.ZERO, n) == D.ZERO
    assert D.sub(D.ZERO, n) == Binary("Sub", D.ZERO, n) and D.floordiv(D.ZERO, n) == Binary("FloorDiv", D.ZERO, n)
    assert D.floordiv(D.ONE, D.ZERO) == Binary("FloorDiv", D.ONE, D.ZERO)
    short = SymVar("k", "int32")
    assert D.add(n, short) == Binary("Add", n, Cast("int64", short))
    assert D.add(n, int_imm(2, "int32")) == Binary("Add", n, int_imm(2))
    assert D.product([]) == D.ONE and D.product([n, m]) == Binary("Mul", n, m)
    assert D.is_one(int_imm(1, "int32")) and not D.is_one(D.ZERO) and not D.is_one(n)
    assert (D.if_then_else(int_imm(1, "bool"), n, m), D.if_then_else(int_imm(0, "bool"), n, m)) == (n, m)


def test_how_many_steps_lie_before_an_end() -> None:
    symbols = SymVar("a", "int64"), SymVar("b", "int64"), SymVar("c", "int64")
    for begin, end, stride in product(range(-2, 5), range(-2, 5), (-3, -2, -1, 1, 2, 3)):
        wanted = len(range(begin, end, stride))
        known = D.steps(D.imm(begin), D.imm(end), D.imm(stride))
        assert as_int(known) == wanted
        at = dict(zip("abc", (begin, end, stride), strict=True))
        for one in (D.steps(*symbols), D.steps(symbols[0], symbols[1], D.imm(stride))):
            assert value(one, at) == wanted
