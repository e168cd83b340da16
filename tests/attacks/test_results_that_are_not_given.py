"""A loop program that ends without the number that it declares leaves the run open: it is none that another one is."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

PROGRAM = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def k(A: T.Buffer((4,), "float32"), O: T.Buffer((4,), "float32")){result}:
        for i in range(4):
            O[i] = A[i]

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        gv = R.call_tir(cls.k, (x,), out_ty=R.Tensor((4,), "float32"))
        return gv
"""


@pytest.mark.parametrize("entry", ["k", "main"])
def test_a_result_that_is_not_given_is_not_proved(entry: str) -> None:
    plain, declares = (rr.check(rr.parse(PROGRAM.format(result=each))) for each in ("", " -> T.int32"))
    args = ([1.0] * 4, [0.0] * 4)[: 2 if entry == "k" else 1]
    assert getattr(rr.run(declares, entry, *args), "rule", "") == "ev/prim-func-result"
    assert not isinstance(attempt(plain, declares, entry), Proved)
    assert isinstance(attempt(plain, plain, entry), Proved)
