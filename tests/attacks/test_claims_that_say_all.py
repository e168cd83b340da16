"""What is said of a claim is all of it."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.signatures import signature
from refrelax.lower.claims import Ledger, le
from refrelax.shape_solver.pointwise import NotRead
from refrelax.syntax.scalars import Binary, SymVar, int_imm


def test_steps_that_must_fit() -> None:
    """``REFUTED  0 <= n * 4 given n >= 0`` was said of a claim that fails only in that a step leaves int64."""
    ledger = Ledger()
    n = SymVar("n", "int64")
    given = (le(int_imm(0), n),)
    assert not ledger.holds(le(int_imm(0), Binary("Mul", n, int_imm(4))), "lo/size-fits", "main", given, "int64")
    assert str(ledger.claims[0]).startswith("REFUTED  main: 0 <= n * 4, every step in int64  given ")


def test_a_parameter_that_is_not_read() -> None:
    """It did not say which."""
    source = (
        "@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(x: R.Tensor((3,), 'float32'), z: R.Tensor(dtype='float32')):\n        return R.abs(x)\n"
    )
    with pytest.raises(NotRead, match=r"the parameter z of type R\.Tensor\("):
        signature(rr.check(rr.parse(source)).module.functions["main"])
