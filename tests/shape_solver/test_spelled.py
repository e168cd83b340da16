"""What a claim is printed as is read back: the same claim up to the dtypes of literals."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.errors import Malformed
from refrelax.shape_solver import Proved, parse_claim, prove
from refrelax.shape_solver.evaluate import TooLarge, Undefined, compiled
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Let, PrimExpr, SymVar, int_imm
from refrelax.syntax.write.scalars import expression
from tests.shape_solver.test_soundness import claim as random_claim

N, X = SymVar("n", "int64"), SymVar("x", "int64")


@given(st.integers(0, 10**9))
def test_random_claims_are_read_back(seed: int) -> None:
    random = Random(seed)
    e = parse_claim(random_claim(random, 3))
    again = parse_claim(expression(e))
    first, second = compiled(e), compiled(again)
    for _ in range(20):
        env = {name: random.randint(-9, 20) for name in ("n", "m", "k")}
        values = []
        for run in (first, second):
            try:
                values.append(run(env))
            except (Undefined, TooLarge):
                values.append(-1)
        assert values[0] == values[1], expression(e)


@pytest.mark.parametrize(
    "e",
    [
        Binary("LE", int_imm(0), int_imm(0)),
        Binary("EQ", Binary("Add", N, int_imm(0)), N),
        Binary("LT", int_imm(3, "int32"), int_imm(4)),
        Binary("EQ", Binary("Div", N, int_imm(1)), Binary("FloorDiv", N, int_imm(1))),
        Binary("NE", Binary("LE", int_imm(2), int_imm(1)), Binary("GE", int_imm(1), int_imm(0))),
        Binary("EQ", Intrinsic("bitwise_not", (Cast("int32", int_imm(7)),), "int64"), int_imm(-8)),
        Binary("GE", Let(X, Binary("Mul", N, N), Binary("Sub", Binary("Mul", X, int_imm(2)), X)), int_imm(0)),
    ],
)
def test_what_is_printed_is_read(e: PrimExpr) -> None:
    text = expression(e)
    assert isinstance(prove(text), Proved) and isinstance(prove(e), Proved), text
    assert expression(parse_claim(text)).replace("T.int32", "").count("T.LE") == text.count("T.LE")


@pytest.mark.parametrize(
    "text",
    ["T.Let(n + 1, where={x: 1})", "T.Let(n > 0, x=1)", "T.Max(n > 0, where={x: 1})", "T.LE(n, 1, 2)", "~(n > 0) == 1"],
)
def test_what_is_no_claim(text: str) -> None:
    with pytest.raises(Malformed, match="expected"):
        parse_claim(text)
