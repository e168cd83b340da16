"""What was captured is replayed for the extents that it was recorded at: those of its arguments, too."""

import numpy as np
import pytest

import refrelax as rr
from refrelax.semantics.session import Session

PROGRAM = """
m = TypeVar("m")
p = TypeVar("p")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def more(A: T.Buffer((p,), "float32"), C: T.Buffer((p,), "float32")):
        for i in range(p):
            C[i] = A[i] + T.float32(3)

    @T.prim_func(private=True)
    def total(A: T.Buffer((p,), "float32"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            C[i] = T.float32(0)
        for i, j in T.grid(4, p):
            C[i] = C[i] + A[j]

    @R.function
    def main(x: R.Tensor((m,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"tir_var_upper_bound": {"m": 8}})
        cls = Module
        a = R.call_tir(cls.more, (x,), out_ty=R.Tensor((m,), "float32"))
        c = R.call_tir(cls.total, (a,), out_ty=R.Tensor((4,), "float32"))
        d = R.call_tir(cls.more, (c,), out_ty=R.Tensor((4,), "float32"))
        return d
"""


@pytest.mark.parametrize("pipeline", ["build", "paper"])
def test_extents_of_arguments_are_in_the_key(pipeline: str) -> None:
    lowered = rr.lower(rr.check(rr.parse(PROGRAM)), pipeline).module
    session = Session()
    for extent in (3, 5, 0, 8, 3):
        outcome = rr.run(lowered, "main", args=[np.ones(extent, "float32")], session=session)
        assert isinstance(outcome, rr.Returned), outcome


def test_captured_functions_declare_their_symbols() -> None:
    module = rr.lower(rr.check(rr.parse(PROGRAM)), passes=("to_destinations", "plan_memory", "capture")).module.module
    assert rr.structural_equal(module, rr.parse(rr.print_module(module)))


TRUTHS = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(i: R.Prim("int64"), b: R.Prim("bool")):
        c = R.prim_value(T.And(b, i < 3))
        _ = R.print(c, format="{}")
        return (R.prim_value(i < 10), c, R.prim_value(T.Not(b)), R.prim_value(b))
"""


def test_a_comparison_of_scalars_is_a_truth() -> None:
    """It was the integer 1 in the definition, and the backends were blamed for ``True``."""
    checked = rr.check(rr.parse(TRUTHS))
    ends = [rr.run(checked, args=[2, True]), rr.compile(checked).run("main", 2, True)]
    for each in ends:
        assert isinstance(each, rr.Returned) and isinstance(each.value, tuple)
        assert all(type(v) is bool for v in each.value)
    assert ends[0] == ends[1]  # effects included: surface values, as the results are
