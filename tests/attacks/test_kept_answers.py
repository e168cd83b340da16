"""Answers that a prover keeps: to the same question only, and in its own names."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import Proved, Prover, Refuted, Unknown
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, SymVar, int_imm

LOAD = BufferLoad("A", (SymVar("i"),), "int64")
"""What is no integer arithmetic: opaque."""


def above(e: PrimExpr) -> PrimExpr:
    return Binary("GT", e, int_imm(5))


def square(e: PrimExpr) -> PrimExpr:
    return Binary("GE", Binary("Mul", e, e), int_imm(0))


@pytest.mark.parametrize("claim", [above, square])
@pytest.mark.parametrize("division", ["assume", "require"])
def test_an_opaque_term_is_no_symbol(claim: object, division: str) -> None:
    assert callable(claim)
    opaque_first, symbol_first = (Prover(division=division) for _ in range(2))  # type: ignore[arg-type]
    terms = (LOAD, SymVar("x"))
    found = [type(opaque_first.prove(claim(each))) for each in terms]
    assert [type(symbol_first.prove(claim(each))) for each in reversed(terms)] == found[::-1]
    wanted = Refuted if claim is above else Proved
    assert found == [Proved if wanted is Proved and division == "assume" else Unknown, wanted]


def test_a_kept_proof_names_its_own_symbols() -> None:
    prover = Prover()
    for name in ("x", "y"):
        answer = prover.prove(f"{name} * {name} + {name} * {name} >= 0")
        assert isinstance(answer, Proved) and answer.certificate.document()["names"] == [name]
    assert prover.hits == 1
