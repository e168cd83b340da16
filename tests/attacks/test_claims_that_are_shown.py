"""The statement of a claim is shown as one writes it, also between numbers, which a reader of programs would fold."""

from __future__ import annotations

import pytest

from refrelax.lower.claims import Ledger, lt
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, int_imm

N = SymVar("n", "int64")


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (lt(int_imm(4), int_imm(5)), "4 < 5"),
        (Binary("LE", int_imm(0), Binary("Mul", int_imm(4), int_imm(16))), "0 <= 4 * 16"),
        (Binary("LE", int_imm(0), Binary("Mul", N, int_imm(0))), "0 <= n * 0"),
    ],
)
def test_a_statement_between_numbers(statement: PrimExpr, said: str) -> None:
    ledger = Ledger("normal")
    assert ledger.holds(statement, "lo/reuse-disjoint", "main/a")
    assert str(ledger.claims[0]) == f"PROVED  main/a: {said}  [lo/reuse-disjoint]"
