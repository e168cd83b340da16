"""One step of a proof each, where what it must not forget makes the difference: asked of the prover alone.

``validate`` runs what it proved, and would hide a wrong proof.
"""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

GRAPH = """n = TypeVar("n")

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "{dtype}"), y: R.Tensor((n,), "{dtype}")):
        r = {value}
        return r
"""
LOOPS = """n = TypeVar("n")

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((n,), "int32"), y: T.Buffer((n,), "int32")):
        for i in range(n):
            {body}
"""
PICKED = """y[i] = 0
            for r in range({extent}):
                y[i] = y[i] + x[r] * T.if_then_else(r == i, 1, 0)"""


def proved(first: str, second: str) -> bool:
    before, after = (rr.check(rr.parse(text)) for text in (first, second))
    return isinstance(attempt(before, after, "main"), Proved)


def of_values(first: str, second: str, dtype: str = "float32") -> bool:
    return proved(*(GRAPH.format(dtype=dtype, value=value) for value in (first, second)))


def test_nothing_times_what_lies_outside_is_poison() -> None:
    copied = LOOPS.format(body="y[i] = x[i]")
    whole, longer = (LOOPS.format(body=PICKED.format(extent=extent)) for extent in ("n", "n + 1"))
    assert proved(copied, whole) and proved(whole, copied)
    assert not proved(copied, longer)


def test_products_in_pieces_start_from_one() -> None:
    both = "R.multiply(R.prod(x), R.prod(y))"
    assert of_values("R.prod(R.concat((x, y), axis=0))", both, "int32")
    assert not of_values("R.prod(R.concat((x, y), axis=0))", "R.add(R.prod(x), R.prod(y))", "int32")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e5m2"])
def test_what_a_narrower_format_cuts_off_stays_cut_off(dtype: str) -> None:
    there_and_back = f'R.astype(R.astype(x, "{dtype}"), "float32")'
    assert not of_values("x", there_and_back) and not of_values(there_and_back, "x")
    assert of_values("x", f'R.astype(R.astype(x, "float32"), "{dtype}")', dtype)


def test_bfloat16_and_float16_have_not_each_others_values() -> None:
    for one, other in (("float16", "bfloat16"), ("bfloat16", "float16")):
        assert not of_values("x", f'R.astype(R.astype(x, "{other}"), "{one}")', one)


def test_twice_a_number_is_the_sum_of_no_other_two() -> None:
    twice = 'R.multiply(x, R.const(2.0, "float32"))'
    assert of_values(twice, "R.add(x, x)") and of_values("R.add(x, x)", twice)
    for other in ("R.add(x, y)", "R.add(y, x)", "R.add(y, y)"):
        assert not of_values(twice, other) and not of_values(other, twice)
    assert not of_values('R.multiply(x, R.const(3.0, "float32"))', "R.add(x, x)")


def test_a_product_of_negatives_is_still_a_product() -> None:
    assert of_values("R.prod(R.negative(x))", "R.prod(R.multiply(x, R.const(-1.0, 'float32')))")
    assert not of_values("R.prod(R.negative(x))", "R.negative(R.prod(x))")
