"""A function that runs again while it runs has no memory that is kept: it may come to itself by a value."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr

V = 'R.Tensor((4,), "float32")'
Q = 'R.Tensor((), "int64")'
PROGRAM = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def triple(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] * T.float32(3)
    @T.prim_func(private=True)
    def minus(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            C[i] = A[i] - B[i]
    @R.function(private=True)
    def f(x: V, q: Q, g: R.Any) -> V:
        R.func_attr({"relax.force_pure": True})
        cls = Module
        s = R.memory.alloc_storage(R.shape([16]), 0, "global", "float32")
        a = R.memory.alloc_tensor(s, 0, R.shape([4]), "float32")
        u = R.memory.alloc_storage(R.shape([16]), 0, "global", "float32")
        b = R.memory.alloc_tensor(u, 0, R.shape([4]), "float32")
        _ = cls.triple(x, a)
        _1 = cls.triple(a, b)
        t = R.greater(q, R.const(0, "int64"))
        d = R.subtract(q, R.const(1, "int64"))
        if t:
            w = AGAIN
        else:
            w = x
        out = R.builtin.alloc_tensor(R.shape([4]), "float32", 0, "global")
        _2 = cls.minus(b, w, out)
        return out
    @R.function
    def main(x: V, q: Q) -> V:
        R.func_attr({"relax.force_pure": True})
        cls = Module
        START
        return r
"""
AGAIN = {
    "machine": "R.call_pure_packed('vm.builtin.invoke_closure', g, x, d, g, ty_args=[V])",
    "pure": "R.invoke_pure_closure(g, (x, d, g), ty_args=[V])",
    "impure": "R.invoke_closure(g, (x, d, g), ty_args=[V])",
    "constant": "R.multiply(x, x)",
}
START = {
    "function": "r = cls.f(x, q, cls.f)",
    "name": "h = cls.f\n        r = h(x, q, h)",
    "local": f"""@R.function
        def h(z: {V}, k: {Q}, g: R.Any) -> {V}:
            e = cls.f(z, k, g)
            return e
        r = cls.f(x, q, h)""",
}


def program(again: str, start: str) -> rr.CheckedModule:
    text = PROGRAM.replace("AGAIN", AGAIN[again]).replace("START", START[start])
    return rr.check(
        rr.parse(
            text.replace(": V", f": {V}").replace("-> V", f"-> {V}").replace("[V]", f"[{V}]").replace(": Q", f": {Q}")
        )
    )


@pytest.mark.parametrize("start", START)
@pytest.mark.parametrize("again", ["machine", "pure", "impure"])
def test_a_function_that_comes_to_itself_by_a_value_keeps_nothing(again: str, start: str) -> None:
    checked = program(again, start)
    given = (np.array([1, 2, 3, 5], "float32"), np.array(2))
    captured = rr.lower(checked, passes=["capture"]).module
    outcome = rr.run(checked, "main", *given)
    assert isinstance(outcome, rr.Returned) and outcome == rr.run(captured, "main", *given)
    assert not any("cuda_graph" in name for name in captured.module.functions)


def test_one_that_calls_no_value_does() -> None:
    captured = rr.lower(program("constant", "function"), passes=["capture"]).module
    assert any("cuda_graph" in name for name in captured.module.functions)
