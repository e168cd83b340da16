"""Indices of texts as data: operations on numbers are numbers, comparisons of numbers and of equal expressions truths,
and a position beside the input the one that its padding shows."""

from __future__ import annotations

import operator
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from refrelax.semantics.ops.grid import _Axis
from refrelax.semantics.ops.meaning.indices import Ix
from refrelax.syntax.scalars import Binary, SymVar, as_int, int_imm

COMPARED = {
    operator.lt: "LT", operator.le: "LE", operator.gt: "GT", operator.ge: "GE", operator.eq: "EQ", operator.ne: "NE",
}  # fmt: skip
ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod)


@pytest.mark.parametrize("op", COMPARED, ids=COMPARED.values())
def test_a_comparison(op: Any) -> None:
    for a, b in product((-2, 0, 1, 2), repeat=2):
        for x, y in ((Ix(int_imm(a)), Ix(int_imm(b))), (Ix(int_imm(a)), b), (a, Ix(int_imm(b)))):
            assert op(x, y) is op(a, b), (a, b)
    n, m = Ix(SymVar("n")), Ix(SymVar("m"))
    assert op(n, n) is op(1, 1) and op(n + 1, n + 1) is op(1, 1)
    assert op(n, m).node == Binary(COMPARED[op], SymVar("n"), SymVar("m"))  # type: ignore[arg-type]
    assert op(n, 3).node == Binary(COMPARED[op], SymVar("n"), int_imm(3))  # type: ignore[arg-type]


@pytest.mark.parametrize("op", ARITHMETIC)
def test_arithmetic(op: Any) -> None:
    for a, b in product((-7, -2, 0, 1, 3), repeat=2):
        if b or op not in (operator.floordiv, operator.mod):
            for x, y in ((Ix(int_imm(a)), Ix(int_imm(b))), (Ix(int_imm(a)), b), (a, Ix(int_imm(b)))):
                assert as_int(op(x, y).node) == op(a, b), (a, b)
    assert as_int((-Ix(int_imm(4))).node) == -4


@pytest.mark.parametrize("corners", (False, True))
def test_a_position_beside_the_input(corners: bool) -> None:
    """Reflection goes to and fro between the first and the last element, or between their outer edges."""
    for size, k in product((1, 2, 5), range(-12, 13)):
        there = [*range(size)]
        period = (there + there[-2:0:-1] if size > 1 else [0]) if corners else there + there[::-1]
        for padding, wanted in (
            ("border", min(max(k, 0), size - 1)), ("reflection", period[k % len(period)]), ("zeros", k),
        ):  # fmt: skip
            axis: Any = SimpleNamespace(
                m=SimpleNamespace(least=min, most=max), size=size, corners=corners, padding=padding
            )
            assert _Axis.tap(axis, k, True) == wanted, (padding, size, k)
            assert _Axis.tap(axis, k, False) == k
