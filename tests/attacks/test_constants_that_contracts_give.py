"""A library function whose contract gives a constant of the module: what is stored there changes its next result."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")

import refrelax as rr  # noqa: E402
from refrelax.judge.bindings import judged_alone, simple_bindings  # noqa: E402

FOUR = 'R.Tensor((4,), dtype="float32")'
SOURCE = f"""@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def double(held: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("double"):
                v = T.axis.spatial(4, i)
                held[v] = held[v] * T.float32(2)

    @R.function(private=True)
    def contract(x: {FOUR}) -> {FOUR}:
        R.func_attr({{"Contract": "lib.given"}})
        k = metadata["ir.GenericConst"][0]
        return k

    @R.function(pure=False)
    def main(x: {FOUR}):
        cls = Module
        a: {FOUR} = R.call_pure_packed("lib.given", x, ty_args=({FOUR},))
        out = R.call_tir_inplace(cls.double, (a,), out_ty={FOUR}, inplace_indices=[0])
        b: {FOUR} = R.call_pure_packed("lib.given", x, ty_args=({FOUR},))
        z = R.add(b, x)
        return z
"""


def test_its_calls_are_not_judged_by_what_the_module_says_of_the_constant() -> None:
    """A right implementation diverged."""
    given = np.arange(4, dtype="float32")
    checked = rr.check(rr.bind_constants(rr.parse(SOURCE), {0: given}))
    alone = judged_alone(checked)
    held = {name for (path, name), each in simple_bindings(checked).items() if path == "main" and alone(each)}
    assert held == {"out", "z"}
    one = rr.run(checked, "main", [1.0] * 4)
    assert isinstance(one, rr.Returned) and one.value.tolist() == [1.0, 3.0, 5.0, 7.0]
    assert rr.diff(checked, "main", [np.ones(4, "float32")], "numpy").word != "DIVERGE"
