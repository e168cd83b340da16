"""A promise of a function that is called is no less a promise where the call is read through."""

from __future__ import annotations

import refrelax as rr

TEXT = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function(private=True)
    def twice(a: R.Tensor((m,), dtype="float32")) -> R.Tensor((m,), dtype="float32"):
        ATTRS
        with R.dataflow():
            b = R.add(a, a)
            R.output(b)
        return b
    @R.function
    def main(x: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
        cls = Module
        with R.dataflow():
            y = cls.twice(x)
            R.output(y)
        return y
"""
PROMISE = 'R.func_attr({"tir_var_upper_bound": {"m": 3}})'


def test_a_callee_that_promises_more_is_no_refinement() -> None:
    first, second = (rr.check(rr.parse(TEXT.replace("ATTRS", each))) for each in ("pass", PROMISE))
    assert isinstance(rr.run(second, "main", [1.0] * 4), rr.Unspecified)
    assert not isinstance(rr.validate(first, second), rr.Equivalent)


def test_a_callee_that_promises_less_is_one() -> None:
    first, second = (rr.check(rr.parse(TEXT.replace("ATTRS", each))) for each in (PROMISE, "pass"))
    assert not isinstance(rr.validate(first, second), rr.Refuted)
