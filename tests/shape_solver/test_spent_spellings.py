"""An expression whose normal form takes the whole fuel has no shorter spelling, and that is no error (``sh/fuel``)."""

from __future__ import annotations

import pytest

from refrelax.semantics.dims import atoms
from refrelax.shape_solver.pointwise.terms import Terms
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar


def products(count: int) -> PrimExpr:
    e: PrimExpr = SymVar("n", "int64")
    for k in range(count):
        e = Binary("Add", e, Binary("Mul", SymVar(f"i{k}", "int64"), SymVar(f"n{k}", "int64")))
    return e


@pytest.mark.parametrize("work", [10, 100, 1_000, 2_000, 2_100, 2_200, 2_500, 3_000, 10_000])
def test_an_index_that_is_too_long_to_be_spelled_stays(work: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """TVM's FuseTIR on the paper's llava ended in a fault of ours: the normal form had left too little for its
    spelling."""
    monkeypatch.setattr(atoms, "MAX_WORK", work)
    e = products(40)
    tidied = Terms().tidied(e)
    assert tidied == e or work >= 2_000
