"""A function with ``relax.force_pure`` may call a library function that keeps what it is given; of its calls those in
destination form are taken to keep nothing."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.judge.outcomes import Reference, copies
from refrelax.lower.memory_sizes import planned_bytes
from refrelax.lower.pipeline import lower
from refrelax.semantics.budget import Budget
from refrelax.syntax.scalars import as_int

V = 'R.Tensor((3,), "float32")'
PURE = 'R.func_attr({"relax.force_pure": True})'
ARRAY = 'T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(3), 0, 1, T.Cast("float32", 0), 0)'
TEXT = f"""
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        for i in range(3):
            B[i] = A[i] + T.float32(1)

    @T.prim_func(private=True)
    def called(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        T.evaluate(T.call_packed("lib.keep", {ARRAY}))
        for i in range(3):
            B[i] = A[i] * T.float32(2)

    @T.prim_func(private=True)
    def calls(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        Module.called(A.data, B.data)

    @R.function(private=True)
    def keeps(q: {V}) -> {V}:
        {PURE}
        _ = R.call_packed("lib.keep", q, ty_args=R.Tuple)
        return R.zeros(R.shape([3]), dtype="float32")

    @R.function(private=True)
    def asks(q: {V}) -> {V}:
        return Module.keeps(q)

    @R.function
    def main(x: {V}, y: {V}):
        {PURE}
        cls = Module
        a = R.call_tir(cls.bump, (x,), out_ty={V})
        KEEP
        b = R.call_tir(cls.bump, (y,), out_ty={V})
        c = R.call_tir(cls.bump, (b,), out_ty={V})
        d = R.call_tir(cls.bump, (c,), out_ty={V})
        g = R.call_packed("lib.give", ty_args={V})
        return (d, g)
"""
LOCAL = f"""@R.function
        def local(q: {V}) -> {V}:
            R.func_attr({{"relax.force_pure": True}})
            _ = R.call_packed("lib.keep", q, ty_args=R.Tuple)
            return R.zeros(R.shape([3]), dtype="float32")
        u = local(a)"""
KEEP = {
    "by itself": '_ = R.call_packed("lib.keep", a, ty_args=R.Tuple)',
    "as a value": 'f = R.ExternFunc("lib.keep"); _ = f(a)',
    "by a function that is called": "u = cls.keeps(a)",
    "by a function that such a one calls": "u = cls.asks(a)",
    "by a closure": f"f = R.make_closure(cls.keeps, R.tuple()); u = R.invoke_pure_closure(f, (a,), ty_args={V})",
    "by a loop program": f"u = R.call_tir(cls.called, (a,), out_ty={V})",
    "by a loop program that another one calls": f"u = R.call_tir(cls.calls, (a,), out_ty={V})",
    "by a local function": LOCAL,
    "behind what is allocated": """o = R.builtin.alloc_tensor(R.shape([3]), R.dtype("float32"), 0, R.str("global"))
        _ = cls.bump(x, o)
        _1 = R.call_packed("lib.keep", a, o, ty_args=R.Tuple)""",
}


def externs() -> dict[str, Any]:
    kept: list[Any] = []
    return {"lib.keep": lambda *given: kept.extend(given), "lib.give": lambda: kept[-1]}


@pytest.mark.parametrize("passes", [("to_destinations", "plan_memory"), ("to_destinations", "plan_memory", "capture")])
@pytest.mark.parametrize("name", KEEP)
def test_what_is_kept_is_not_overwritten(name: str, passes: tuple[str, ...]) -> None:
    checked = rr.check(rr.parse(TEXT.replace("KEEP", KEEP[name].replace("; ", "\n        "))))
    lowered = lower(checked, passes=passes).module
    args = [[1.0, -2.0, 5.0], [10.0, 20.0, 40.0]]
    reference = Reference(checked, "main", args, externs(), Budget())
    wanted = reference.outcome
    assert isinstance(wanted, rr.Returned) and isinstance(wanted.value, tuple)
    ended = rr.run(lowered, "main", *copies(args), externs=externs())
    assert isinstance(ended, rr.Returned), ended
    assert [each.tolist() for each in ended.value] == [each.tolist() for each in wanted.value]


def test_what_a_destination_is_given_is_not_kept() -> None:
    call = 'R.call_dps_packed("lib.f", ({},), out_ty=R.Tensor((3,), "float32"))'
    lines = "".join(f"        {b} = {call.format(a)}\n" for a, b in zip("xabcd", "abcde", strict=True))
    text = f"@I.ir_module\nclass Module:\n    @R.function\n    def main(x: {V}):\n{lines}        return e\n"
    planned = lower(rr.check(rr.parse(text)), passes=("to_destinations", "plan_memory")).module.module
    before, after = map(as_int, planned_bytes(planned))
    assert before is not None and after is not None and after < before
