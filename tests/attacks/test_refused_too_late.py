"""A refusal that a budget does not reach is no difference: a budget that ran out says nothing.

Spec: ``va/refinement``, ``va/interface``.
"""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Refuted
from refrelax.judge.pairs import Pair
from refrelax.semantics.budget import Budget

TYPED = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def long(C: T.Buffer((), "int32")):
        C[()] = 0
        for i in range(2000):
            C[()] = C[()] + 1
    @R.function
    def main(x: R.Tensor((n,), "int32")):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a = R.call_tir(cls.long, (), out_ty=R.Tensor((), "int32"))
        return a
"""
CONTEXT = 'R.str("loc=param[0], annotation=R.Tensor((n,), dtype=\\"int32\\")")'
CHECK = f"""
        c = R.call_packed(
            "vm.builtin.check_tensor_info", x, 1, R.dtype("int32"), {CONTEXT}, ty_args=(R.Tuple,)
        )
        return a
"""
LATE = TYPED.replace('x: R.Tensor((n,), "int32")', "x: R.Any").replace("\n        return a\n", CHECK)
NEVER = TYPED.replace('x: R.Tensor((n,), "int32")', "x: R.Any")


def found(second: str, steps: int) -> Refuted | None:
    modules = [rr.check(rr.parse(each)) for each in (TYPED, second)]
    return Pair(*modules, "main", {}, ("n",), budget=Budget(steps=steps, elements=10_000)).bad_calls(0)


@pytest.mark.parametrize("steps", [1_000, 100_000])
def test_a_late_check_is_no_difference(steps: int) -> None:
    assert found(LATE, steps) is None


def test_no_check_is_one() -> None:
    refuted = found(NEVER, 100_000)
    assert refuted is not None and refuted.counterexample is not None
    assert isinstance(refuted.counterexample.after, rr.Returned)
