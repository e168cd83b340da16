# ruff: noqa: E501  (programs as the machine has them)
"""Capture takes numbers that nothing else in the module has."""

from __future__ import annotations

import numpy as np

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.lower.pipeline import lower

CAPTURED_TWICE = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), c: T.Buffer((4,), "float32")):
        for i in range(4):
            c[i] = a[i] + b[i]
    @T.prim_func(private=True)
    def half(b: T.Buffer((4,), "float32")):
        for i in range(4):
            b[i] = T.float32(0.5)
    @T.prim_func(private=True)
    def two(b: T.Buffer((4,), "float32")):
        for i in range(4):
            b[i] = T.float32(2)

    @R.function(private=True)
    def rooms() -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        m = R.memory.alloc_storage(R.shape([16]), 0, R.str("global"), R.dtype("uint8"))
        return (m,)

    @R.function(private=True)
    def launches(m: R.Any) -> R.Tuple(R.Tensor((4,), "float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a: R.Tensor((4,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([4]), R.dtype("float32"), 0)
        cls.half(a)
        return (a,)

    @R.function(private=True)
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        kept = R.call_builtin_with_ctx("vm.builtin.cuda_graph.get_cached_alloc", (cls.rooms, 0), ty_args=(R.Tuple(R.Any),))
        m = kept[0]
        graph = R.call_builtin_with_ctx("vm.builtin.cuda_graph.run_or_capture", (cls.launches, (m,), 0), ty_args=(R.Tuple(R.Tensor((4,), "float32")),))
        a = graph[0]
        y: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), 0, R.str("global"))
        cls.add(x, a, y)
        return y

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        s = R.memory.alloc_storage(R.shape([16]), 0, R.str("global"), R.dtype("uint8"))
        t: R.Tensor((4,), "float32") = R.memory.alloc_tensor(s, 0, R.shape([4]), R.dtype("float32"), 0)
        cls.two(t)
        w = cls.other(x)
        y: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), 0, R.str("global"))
        cls.add(w, t, y)
        return y
"""


def test_capture_takes_numbers_that_nothing_else_has() -> None:
    module = rr.check(rr.parse(CAPTURED_TWICE))
    x = np.arange(4, dtype="float32")
    captured = lower(module, passes=("capture",)).module
    assert isinstance(attempt(module, captured, "main"), Proved)
    found = rr.run(captured, "main", x)
    assert isinstance(found, rr.Returned) and found.value.numpy().tolist() == [2.5, 3.5, 4.5, 5.5]
