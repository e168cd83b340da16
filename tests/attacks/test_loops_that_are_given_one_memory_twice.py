"""A loop program that stores in what it reads under another name keeps its workspace, whatever its attributes say."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

MODULE = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def rev(a: T.handle, o: T.handle):
        T.func_attr({{"tirx.noalias": True}})
        k = T.int64()
        A = T.match_buffer(a, (k,), "float32")
        O = T.match_buffer(o, (k,), "float32")
        with T.sblock("root"):
            W = T.sblock_alloc_buffer((k,), "float32")
            for i in range(k):
                with T.sblock("b"):
                    v = T.axis.spatial(k, i)
                    W[v] = A[k - 1 - v]
            for i in range(k):
                with T.sblock("c"):
                    v = T.axis.spatial(k, i)
                    O[v] = W[v]
    @R.function(private=True)
    def helper(a: R.Tensor((n,), "float32"), b: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        cls = Module
        z = {inplace}(cls.rev, (a, b), inplace_indices=[1], out_ty=R.Tensor((n,), "float32"))
        return z
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        cls = Module
        y = R.add(x, x)
        t = {t}
        z = {z}
        return z
"""
INPLACE = "R.call_tir_inplace"
CALL = INPLACE + '(cls.rev, ({}), inplace_indices=[1], out_ty=R.Tensor((n,), "float32"))'
X = np.arange(4, dtype="float32")


def _lowered(t: str, z: str) -> tuple[rr.CheckedModule, rr.CheckedModule]:
    first = rr.check(rr.parse(MODULE.format(inplace=INPLACE, t=t, z=z)))
    return first, lower(first, "kernels").module


@pytest.mark.parametrize(
    ("t", "z"),
    [
        ("y", CALL.format("y, y")),
        ("y", CALL.format("y, t")),
        ("y", "cls.helper(y, t)"),
        ("(y,)", "cls.helper(y, t[0])"),
    ],
)
def test_the_workspace_stays(t: str, z: str) -> None:
    first, second = _lowered(t, z)
    for each in (first, second):
        found = rr.run(each, "main", X)
        assert isinstance(found, rr.Returned) and found.value.tolist() == [6, 4, 2, 0]


CONST = 'metadata["ir.GenericConst"][0]'
GIVES = """
    @R.function(private=True)
    def gives() -> R.Tensor((4,), "float32"):
        c = CONST
        return c
    @R.function(private=True)
    def takes(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        z = INPLACE(cls.rev, (a, CONST), inplace_indices=[1], out_ty=R.Tensor((4,), "float32"))
        return z
"""


@pytest.mark.parametrize(
    ("t", "z"),
    [
        (CONST, CALL.format(f"t, {CONST}")),
        (CONST, CALL.format(f"{CONST}, t")),
        ("y", CALL.format(f"{CONST}, {CONST}")),
        ("cls.gives()", CALL.format(f"{CONST}, t")),
        (f"R.stop_lift_params({CONST})", CALL.format(f"{CONST}, t")),
        (CONST, "cls.takes(t)"),
        (f"(y, {CONST})", CALL.format(f"{CONST}, t[1]")),
    ],
)
def test_a_constant_is_one_memory(t: str, z: str) -> None:
    text = MODULE.format(inplace=INPLACE, t=t, z=z).replace('R.Tensor((n,), "float32")', 'R.Tensor((4,), "float32")')
    more = GIVES.replace("CONST", CONST).replace("INPLACE", INPLACE)
    text = text.replace("    @R.function\n", f"{more.lstrip(chr(10))}    @R.function\n")
    first = rr.check(rr.bind_constants(rr.parse(text), {0: np.array([0, 2, 4, 6], "float32")}))
    for each in (first, lower(first, "kernels").module):
        found = rr.run(each, "main", X)
        assert isinstance(found, rr.Returned) and found.value.tolist() == [6, 4, 2, 0]


def test_what_is_apart_is_fused() -> None:
    text = MODULE.format(inplace=INPLACE, t="R.negative(y)", z=CALL.format("y, t"))
    start, end = text.index("    @R.function(private=True)"), text.index("    @R.function\n")
    second = lower(rr.check(rr.parse(text[:start] + text[end:])), "kernels").module
    assert "alloc" not in rr.print_module(second.module)
    found = rr.run(second, "main", X)
    assert isinstance(found, rr.Returned) and found.value.tolist() == [6, 4, 2, 0]
