"""A loop program that stores in what it reads under another name: the backends do as the definition does, and a binding
whose arguments are not seen to be apart is not judged by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def rev(a: T.handle, o: T.handle):
        k = T.int64()
        A = T.match_buffer(a, (k,), "float32")
        O = T.match_buffer(o, (k,), "float32")
        for i in range(k):
            with T.sblock("c"):
                v = T.axis.spatial(k, i)
                O[v] = A[k - 1 - v]
    @T.prim_func(private=True, s_tir=True)
    def inc(o: T.handle):
        k = T.int64()
        O = T.match_buffer(o, (k,), "float32")
        for i in range(k):
            with T.sblock("c"):
                v = T.axis.spatial(k, i)
                O[v] = O[v] + T.float32(1)
    @R.function(private=True)
    def same(a: {v4}) -> {v4}:
        return a
    @R.function(private=True)
    def two(a: {v4}, b: {v4}) -> {v4}:
        cls = Module
        w = {inplace}(cls.rev, (a, b), inplace_indices=[1], out_ty={v4})
        return w
    @R.function
    def main(x: {v4}, c: R.Tensor((), "bool")):
        cls = Module
        y = R.add(x, x)
        {body}
        return (y, z)
"""
V4 = 'R.Tensor((4,), "float32")'
INPLACE = "R.call_tir_inplace"
CALL = f"z = {INPLACE}(cls.rev, ({{}}), inplace_indices=[1], out_ty={V4})"
WRITTEN = 'R.const([1.0, 2.0, 3.0, 4.0], "float32")'
BODIES = {
    "one name": CALL.format("y, y"),
    "two names": f"v = y; {CALL.format('y, v')}",
    "a match": f"v = R.match_cast(y, {V4}); {CALL.format('y, v')}",
    "a tuple": f"t = (x, y); v = t[1]; {CALL.format('y, v')}",
    "a call": f"v = cls.same(y); {CALL.format('y, v')}",
    "parameters": "z = cls.two(y, y)",
    "a view": f'v = R.memory.view(y, R.shape([4]), R.dtype("float32"), R.prim_value(0)); {CALL.format("y, v")}',
    "an operator that gives what it is given": f"v = R.stop_lift_params(y); {CALL.format('y, v')}",
    "apart": f"v = R.add(y, y); {CALL.format('y, v')}",
    "written down": CALL.format(f"{WRITTEN}, {WRITTEN}"),
    "written down alone": f"z = {INPLACE}(cls.inc, ({WRITTEN},), inplace_indices=[0], out_ty={V4})",
    "a branch": "if c:\n            v = y\n        else:\n            v = R.negative(y)\n        "
    + CALL.format("y, v"),
}
ARGS: list[Any] = [np.arange(4, dtype="float32"), np.array(True)]


@pytest.mark.by_day(7)
@pytest.mark.parametrize("impl", ["numpy", "cuda-emulated"])
@pytest.mark.parametrize("how", BODIES)
def test_backends_do_as_the_definition(impl: str, how: str) -> None:
    text = MODULE.format(v4=V4, inplace=INPLACE, body=BODIES[how].replace("; ", "\n        "))
    verdict = rr.diff(rr.check(rr.parse(text)), "main", ARGS, impl=impl)
    assert isinstance(verdict, rr.Agreement), verdict


@pytest.mark.parametrize("impl", ["numpy", "cuda-emulated"])
def test_a_library_function_gives_what_it_is_given(impl: str) -> None:
    call = f'v = R.call_packed("lib.same", y, ty_args=({V4},)); {CALL.format("y, v")}'
    text = MODULE.format(v4=V4, inplace=INPLACE, body=call.replace("; ", "\n        "))
    text = text.replace("    @R.function\n    def main", "    @R.function(pure=False)\n    def main")
    checked = rr.check(rr.parse(text))
    externs = {"lib.same": lambda a: a}
    wanted = rr.run(checked, "main", *ARGS, externs=externs)
    found = rr.compile(checked, backend=impl).run("main", *ARGS, externs=externs)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert [each.tolist() for each in found.value] == [each.tolist() for each in wanted.value] == [[6, 4, 4, 6]] * 2
