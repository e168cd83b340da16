"""Calls that TVM's printer spells in a way that its reader takes for something else: ours are read by both."""

from __future__ import annotations

import pytest

import refrelax as rr

HEAD = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32"), i: R.Tensor((2,), "int64")) -> R.Any:
        y = {}
        return y
"""
TENSOR = 'R.Tensor((3,), "float32")'
TYPES = 'ty_args=(R.Tensor((3,), dtype="float32"),)'


@pytest.mark.parametrize(("call", "written"), [
    # one argument for each, where TVM prints a tuple, which its reader takes for a single argument
    (f'R.call_py_func("f", (x, i), out_ty={TENSOR})', 'R.call_py_func(R.str("f"), x, i, out_ty='),
    (f'R.call_py_func("f", x, out_ty={TENSOR})', 'R.call_py_func(R.str("f"), x, out_ty='),
    (f'R.call_py_func("f", ((x, i),), out_ty={TENSOR})', 'R.call_py_func(R.str("f"), ((x, i),), out_ty='),
    # a bare True would be an int64
    (f'R.call_pure_packed("f", x, True, 3, {TYPES})', f'R.call_pure_packed("f", x, R.prim_value(True), 3, {TYPES})'),
    (f'R.call_packed("f", True, x, {TYPES})', f'R.call_packed("f", R.prim_value(True), x, {TYPES})'),
    # a list of one type is that type
    (f'R.call_dps_packed("f", (x,), out_ty=R.Tuple({TENSOR}))', 'R.call_dps_packed("f", (x,), out_ty=R.Tuple('),
    (f'R.call_py_func("f", x, out_ty=R.Tuple({TENSOR}))', 'R.call_py_func(R.str("f"), x, out_ty=R.Tuple('),
    (f'R.call_dps_packed("f", (x,), out_ty=[{TENSOR}])', 'R.call_dps_packed("f", (x,), out_ty=R.Tensor('),
    ('R.call_dps_packed("f", (x,), out_ty=[])', 'R.call_dps_packed("f", (x,), out_ty=[])'),
    # no such keyword
    ('R.grad.take_backward(x, x, i, axis=0, mode="fast")', "R.grad.take_backward(x, x, i, axis=0)"),
    ('R.grad.take_backward(x, x, i, axis=0, mode="clip")', 'R.grad.take_backward(x, x, i, axis=0, mode="clip")'),
])  # fmt: skip
def test_calls(call: str, written: str) -> None:
    module = rr.parse(HEAD.format(call))
    text = rr.print_module(module)
    assert f"y = {written}" in text
    assert rr.parse(text) == module


MIXED = """
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(a: T.Buffer((3,), "float32"), b: T.Buffer((3,), "float32")):
        T.func_attr({"tirx.noalias": True})
        z: T.let[T.int32] = 1
        for k in range(3):
            with T.sblock("b"):
                v = T.axis.spatial(3, k)
                b[v] = a[v] + T.Cast("float32", z)

    @R.function
    def main(x: R.Tensor((3,), dtype="float32")) -> R.Object:
        cls = Module
        y = R.call_tir(cls.f, (x,), SIGN=R.Tensor((3,), dtype="float32"))
        return y
"""


def test_the_graph_level_of_025_beside_the_loop_level_of_027() -> None:
    """As TVM 0.25 prints; the same module as today's spelling gives."""
    assert rr.parse(MIXED.replace("SIGN", "out_sinfo")) == rr.parse(MIXED.replace("SIGN", "out_ty"))
    with pytest.raises(rr.Malformed, match="one-edition"):
        rr.parse(MIXED.replace("SIGN", "out_ty").replace("T.sblock", "T.block").replace("tirx.", "tir."))
