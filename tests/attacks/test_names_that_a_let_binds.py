"""A name that a ``T.Let`` binds is no symbol of the function; one that is free beside it is."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower
from refrelax.lower.symbols import symbols_in
from refrelax.syntax.graph import ShapeExpr
from refrelax.syntax.scalars import Binary, Let, SymVar

V = 'R.Tensor((n,), "float32")'

KERNELS = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(a: T.handle, b: T.handle):
        p = T.int64()
        A = T.match_buffer(a, (p,), "float32")
        B = T.match_buffer(b, (p,), "float32")
        for i in range(p):
            B[i] = A[i] + T.float32(1)

    @T.prim_func(private=True)
    def plus(a: T.handle, k: T.int64, b: T.handle):
        p = T.int64()
        A = T.match_buffer(a, (p,), "float32")
        B = T.match_buffer(b, (p,), "float32")
        for i in range(p):
            B[i] = A[i] + T.Cast("float32", k)
"""

PROGRAMS = {
    "recorded": f"""
    @R.function
    def main(x: {V}, k: R.Prim("int64")):
        R.func_attr({{"tir_var_upper_bound": {{"n": 16}}}})
        a = R.call_tir(Module.bump, (x,), out_ty={V})
        b = R.call_tir(Module.plus, (a, R.prim_value(T.Let(m * 2, where={{m: n + 1}}))), out_ty={V})
        c = R.call_tir(Module.bump, (b,), out_ty={V})
        return R.call_tir(Module.bump, (c,), out_ty={V})
""",
    "fused, free beside it": f"""
    @R.function
    def main(x: {V}, k: R.Prim("int64")):
        with R.dataflow():
            a = R.call_tir(Module.bump, (x,), out_ty={V})
            b = R.call_tir(Module.plus, (a, R.prim_value(k + T.Let(k * 2, where={{k: n}}))), out_ty={V})
            c = R.call_tir(Module.bump, (b,), out_ty={V})
            R.output(c)
        return c
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_pipeline_tells_them_apart(name: str) -> None:
    checked = rr.check(rr.parse(KERNELS + PROGRAMS[name]))
    after = lower(checked, "paper").module
    for args in ([[1.0, 2.0], 5], [[], 1]):
        one, two = rr.run(checked, "main", *args), rr.run(after, "main", *args)
        assert isinstance(one, rr.Returned) and isinstance(two, rr.Returned)
        assert one.value == two.value


def test_what_is_free_around_a_let() -> None:
    n, m, v = (SymVar(name, "int64") for name in "nmv")
    let = Let(v, Binary("Add", n, v), Binary("Mul", v, m))
    assert list(symbols_in(ShapeExpr((let,)))) == [n, v, m]
    assert list(symbols_in(ShapeExpr((m, Let(v, m, v))))) == [m, m]
