"""An operand that is multiplied by 0 may be poison: where operators become loops it is not lost, or a proof that reads
the loops of the second program says too much."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.claims import Ledger
from refrelax.lower.legalize import run

TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "int32"), f: R.Tensor((n,), "float32")):
        c = R.astype(f, "int32")
        r = {}
        return r
"""
ZEROS = 'R.zeros((n,), "int32")'
NOTHING = (
    'R.multiply(c, R.const(0, "int32"))',
    'R.multiply(R.const(0, "int32"), c)',
    'R.floor_mod(c, R.const(1, "int32"))',
    'R.floor_divide(R.const(0, "int32"), x)',
)
TRUTHS = 'R.logical_and(R.const(False, "bool"), R.less(c, x))'


def module(result: str) -> rr.Module:
    return rr.parse(TEXT.format(result))


@pytest.mark.parametrize("result", NOTHING)
def test_nothing_of_poison_is_poison(result: str) -> None:
    assert rr.validate(module(ZEROS), module(result)).word != "PROVED"


@pytest.mark.parametrize("result", NOTHING[:3])
def test_poison_of_the_first_program_may_be_nothing(result: str) -> None:
    assert rr.validate(module(result), module(ZEROS)).word == "PROVED"


@pytest.mark.parametrize("result", (*NOTHING, TRUTHS))
def test_the_loops_have_the_operand_in_print_as_well(result: str) -> None:
    lowered = run(rr.check(module(result)), Ledger())
    assert rr.structural_equal(rr.parse(rr.print_module(lowered)), lowered)


def test_a_sum_times_nothing() -> None:
    arrays = [np.array([3, 4], "int32"), np.array([np.nan, 1], "float32")]
    first, second = module("R.sum(x)"), module('R.add(R.sum(x), R.multiply(R.sum(c), R.const(0, "int32")))')
    assert rr.validate(first, second).word != "PROVED"
    assert rr.validate(first, second, args=arrays).word == "REFUTED"
