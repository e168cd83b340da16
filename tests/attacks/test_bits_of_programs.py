"""``~`` of an unsigned scalar of a program turns its bits around (``sh/value``): the prover read it as ``-1 - x``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.semantics.dims import value
from refrelax.shape_solver import Proved, Refuted, prove
from refrelax.syntax.scalars import Binary, BinaryOp, Intrinsic, Literal, SymVar

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        a = R.match_cast(x, R.Tensor((T.Cast("int64", T.bitwise_not(T.Cast("uint8", n))) - 1,), "float32"))
        return a
"""


def _claim(op: BinaryOp, dtype: str, bound: int) -> Binary:
    return Binary(op, Intrinsic("bitwise_not", (SymVar("n", dtype),), dtype), Literal(dtype, bound))


@pytest.mark.parametrize("dtype", ["uint8", "uint32", "uint64"])
def test_the_complement_of_an_unsigned_scalar_is_not_negative(dtype: str) -> None:
    given_ = [Binary("GE", SymVar("n", dtype), Literal(dtype, 0))]
    assert isinstance(prove(_claim("LT", dtype, 0), given_, arithmetic="no-overflow"), Refuted)


@given(st.sampled_from(["LT", "LE", "EQ", "NE", "GE", "GT"]), st.integers(0, 7), st.integers(0, 7))
def test_what_is_proved_of_a_program_holds_in_its_runs(op: BinaryOp, n: int, bound: int) -> None:
    claim, here = _claim(op, "uint3", bound), Binary("EQ", SymVar("n", "uint3"), Literal("uint3", n))
    answer = prove(claim, [here], arithmetic="no-overflow")
    assert isinstance(answer, Proved) == bool(value(claim, {"n": n}))


def test_an_equality_that_holds_at_127_is_not_said_to_hold_nowhere() -> None:
    (found,) = rr.remarks(rr.check(rr.parse(MODULE)))
    assert found.verdict != "never"
