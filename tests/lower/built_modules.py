"""Typed modules for building, and how they print when they are built."""

from __future__ import annotations

from functools import cache

import refrelax as rr
from refrelax.lower.pipeline import lower

SHAPES = """
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def twice(A: T.handle, B: T.handle):
        p = T.int64()
        X = T.match_buffer(A, (p,), "float32")
        Y = T.match_buffer(B, (p,), "float32")
        for i in range(p):
            with T.sblock("b"):
                vi = T.axis.spatial(p, i)
                Y[vi] = X[vi] + X[vi]

    @T.prim_func(private=True, s_tir=True)
    def grown(A: T.handle, B: T.handle):
        p, q = T.int64(), T.int64()
        X = T.match_buffer(A, (p,), "float32")
        Y = T.match_buffer(B, (q,), "float32")
        for i in range(q):
            with T.sblock("b"):
                vi = T.axis.spatial(q, i)
                Y[vi] = T.if_then_else(vi < p, X[T.min(vi, p - 1)], T.float32(1))

    @R.function
    def main(
        x: R.Tensor((n,), "float32"),
        y: R.Tensor((n, 2), "float32"),
        s: R.Shape([m]),
        c: R.Tensor((), "bool"),
        z: R.Tensor((n + m,), "float32"),
        t: R.Tensor(dtype="float32", ndim=1),
    ) -> R.Tuple(R.Tensor((n + m,), "float32"), R.Shape(ndim=2)):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        k = T.int64()
        room = R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        a = R.memory.alloc_tensor(room, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _ = cls.twice(x, a)
        b = R.builtin.alloc_tensor(R.shape([n + m]), "float32", R.prim_value(0), "global")
        _1 = cls.grown(a, b)
        u = R.match_cast(t, R.Tensor((k,), "float32"))
        if c:
            d = R.builtin.alloc_tensor(R.shape([k + 1]), "float32", R.prim_value(0), "global")
            _2 = cls.grown(u, d)
            r = R.match_cast(d, R.Tensor((n + m,), "float32"))
        else:
            r = R.match_cast(b, R.Tensor((n + m,), "float32"))
        w = (r, R.shape([k, n * m]))
        return w
"""

STEPS = """
n = T.int64()

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def twice(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        for i in range(n):
            with T.sblock("b"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] + A[vi]

    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        cls = Module
        R.func_attr({"relax.force_pure": True, "tir_var_upper_bound": {"n": 16}})
        s = R.memory.alloc_storage(R.shape([64]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        a = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _ = cls.twice(x, a)
        t = R.memory.alloc_storage(R.shape([64]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        b = R.memory.alloc_tensor(t, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _1 = cls.twice(a, b)
        c = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _2 = cls.twice(b, c)
        d = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _3 = cls.twice(c, d)
        e = R.memory.alloc_tensor(t, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _4 = cls.twice(c, e)
        f = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _5 = cls.twice(e, f)
        return f
"""

RETURNS = """
n = T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(dtype="float32"), s: R.Shape([n])) -> R.Tensor((n, 2), "float32"):
        return x
"""

PASSES = {"SHAPES": ("build",), "RETURNS": ("build",), "STEPS": ("capture",), "STEPS_BUILT": ("capture", "build")}
TEXTS = {"SHAPES": SHAPES, "RETURNS": RETURNS, "STEPS": STEPS, "STEPS_BUILT": STEPS}


@cache
def typed(name: str) -> rr.CheckedModule:
    """The module before."""
    return rr.check(rr.parse(TEXTS[name]))


@cache
def printed(name: str) -> str:
    """The text of the module after its passes."""
    return rr.print_module(lower(typed(name), passes=PASSES[name]).module.module)
