"""A buffer of ``n * m`` elements fits the address space, whatever ends ``n`` and ``m`` have by themselves: a promise of
``n, m <= 2**32`` took that away, and plans of programs that promise it were not proved."""

from __future__ import annotations

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.lower import lower
from refrelax.shape_solver.pointwise.fits import Sizes
from refrelax.syntax.scalars import Binary, SymVar, int_imm

N, M = SymVar("n"), SymVar("m")
AT_MOST = [Binary(op, v, int_imm(k)) for v in (N, M) for op, k in (("GE", 0), ("LE", 1 << 32))]  # type: ignore[arg-type]

TEXT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n", "m"), "float32"):
        R.func_attr({{"tir_var_upper_bound": {{"n": {most}, "m": {most}}}}})
        a = R.exp(x)
        c = R.negative(a)
        d = R.exp(c)
        return d
"""


def test_the_least_of_several_bounds_counts() -> None:
    sizes = Sizes(lambda name: None)
    for v in (N, M):
        sizes.extents.add(v.name)
    sizes.exists((N, M), "float32")
    elements = Binary("Mul", N, M)
    assert sizes.fits(elements, "int64", AT_MOST)
    assert sizes.fits(Binary("Mul", elements, int_imm(4)), "int64", AT_MOST)
    assert not sizes.fits(Binary("Mul", elements, int_imm(8)), "int64", AT_MOST)
    assert not sizes.fits(elements, "int32", AT_MOST)


def test_a_plan_of_a_program_that_promises_little_is_proved() -> None:
    for most in (1 << 32, 1 << 62):
        before = lower(rr.check(rr.parse(TEXT.format(most=most))), passes=("legalize", "to_destinations")).module
        after = lower(before, passes=("plan_memory",)).module
        assert isinstance(attempt(before, after, "main"), Proved)
