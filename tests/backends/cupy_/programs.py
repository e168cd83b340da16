"""Loop programs for every form of a kernel, one module: `KERNELS[name]` gives arguments for the function `name`."""

# ruff: noqa: E501

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

import refrelax as rr
from refrelax.semantics.types.checked import CheckedModule

MODULE = """
from tvm.script import ir as I, tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def broadcast_f16(a: T.handle, b: T.handle, c: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, T.int64(1)), "float16")
        B = T.match_buffer(b, (T.int64(1), m), "float16")
        C = T.match_buffer(c, (n, m), "float16")
        for i, j in T.grid(n, m):
            with T.sblock("mix"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, T.int64(0)] * B[T.int64(0), vj] + A[vi, T.int64(0)] / B[T.int64(0), vj]

    @T.prim_func(s_tir=True)
    def chain_bf16(A: T.Buffer((7, 3), "bfloat16"), B: T.Buffer((7, 3), "bfloat16"), C: T.Buffer((7, 3), "bfloat16")):
        for i, j in T.grid(7, 3):
            with T.sblock("chain"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.max(A[vi, vj] - B[vi, vj], T.min(T.exp(A[vi, vj]), B[vi, vj] * A[vi, vj]))

    @T.prim_func(s_tir=True)
    def casts(A: T.Buffer((9,), "float64"), B: T.Buffer((9,), "float16"), C: T.Buffer((9,), "bfloat16"), D: T.Buffer((9,), "float32"), E: T.Buffer((9,), "bool")):
        for i in range(9):
            with T.sblock("casts"):
                v = T.axis.spatial(9, i)
                B[v] = T.Cast("float16", A[v])
                C[v] = T.Cast("bfloat16", A[v])
                D[v] = T.Cast("float32", B[v]) + T.Cast("float32", C[v])
                E[v] = T.Cast("bool", A[v])

    @T.prim_func(s_tir=True)
    def integers(A: T.Buffer((8,), "int64"), B: T.Buffer((8,), "int8"), C: T.Buffer((8,), "uint16"), D: T.Buffer((8,), "float16"), E: T.Buffer((8,), "bfloat16")):
        for i in range(8):
            with T.sblock("integers"):
                v = T.axis.spatial(8, i)
                B[v] = T.Cast("int8", A[v]) * T.int8(7) + T.int8(100)
                C[v] = T.bitwise_xor(T.shift_left(T.Cast("uint16", A[v]), T.uint16(3)), T.uint16(21845))
                D[v] = T.Cast("float16", A[v])
                E[v] = T.Cast("bfloat16", A[v])

    @T.prim_func(s_tir=True)
    def quotients(A: T.Buffer((6,), "int32"), B: T.Buffer((6,), "int32"), C: T.Buffer((6, 4), "int32")):
        for i in range(6):
            with T.sblock("quotients"):
                v = T.axis.spatial(6, i)
                C[v, 0] = A[v] // B[v]
                C[v, 1] = A[v] % B[v]
                C[v, 2] = T.Div(A[v], B[v])
                C[v, 3] = T.truncmod(A[v], B[v])

    @T.prim_func(s_tir=True)
    def functions(A: T.Buffer((11,), "float32"), B: T.Buffer((11, 9), "float32")):
        for i in range(11):
            with T.sblock("functions"):
                v = T.axis.spatial(11, i)
                B[v, 0] = T.exp(A[v])
                B[v, 1] = T.tanh(A[v])
                B[v, 2] = T.erf(A[v])
                B[v, 3] = T.sqrt(A[v] * A[v])
                B[v, 4] = T.sigmoid(A[v])
                B[v, 5] = T.log(A[v])
                B[v, 6] = T.floor(A[v]) + T.round(A[v])
                B[v, 7] = T.pow(A[v], T.float32(2.5))
                B[v, 8] = T.rsqrt(A[v])

    @T.prim_func(s_tir=True)
    def row_sum(a: T.handle, b: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i, k in T.grid(n, m):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk] * A[vi, vk]

    @T.prim_func(s_tir=True)
    def row_max_f16(a: T.handle, b: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m), "float16")
        B = T.match_buffer(b, (n,), "float16")
        for i, k in T.grid(n, m):
            with T.sblock("max"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.min_value("float16")
                B[vi] = T.max(B[vi], A[vi, vk])

    @T.prim_func(s_tir=True)
    def total_i32(a: T.handle, B: T.Buffer((), "int32")):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m), "int32")
        for i, k in T.grid(n, m):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("RR", [i, k])
                with T.init():
                    B[()] = 0
                B[()] = B[()] + A[vi, vk]

    @T.prim_func(s_tir=True)
    def matmul(a: T.handle, b: T.handle, c: T.handle):
        n, m, l = T.int64(), T.int64(), T.int64()
        A = T.match_buffer(a, (n, l), "float32")
        B = T.match_buffer(b, (m, l), "float32")
        C = T.match_buffer(c, (n, m), "float32")
        for i, j, k in T.grid(n, m, l):
            with T.sblock("matmul"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]

    @T.prim_func(s_tir=True)
    def batched_f16(A: T.Buffer((2, 5, 20), "float16"), B: T.Buffer((2, 20, 18), "float16"), C: T.Buffer((2, 18, 5), "float32")):
        for b, j, i, k in T.grid(2, 18, 5, 20):
            with T.sblock("matmul"):
                vb, vj, vi, vk = T.axis.remap("SSSR", [b, j, i, k])
                with T.init():
                    C[vb, vj, vi] = T.float32(0)
                C[vb, vj, vi] = C[vb, vj, vi] + T.Cast("float32", A[vb, vi, vk]) * T.Cast("float32", B[vb, vk, vj])

    @T.prim_func(s_tir=True)
    def conv(A: T.Buffer((2, 3, 7, 6), "float32"), W: T.Buffer((4, 3, 3, 2), "float32"), C: T.Buffer((2, 4, 5, 5), "float32")):
        for n, o, y, x, c, r, s in T.grid(2, 4, 5, 5, 3, 3, 2):
            with T.sblock("conv"):
                vn, vo, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, o, y, x, c, r, s])
                with T.init():
                    C[vn, vo, vy, vx] = T.float32(0)
                C[vn, vo, vy, vx] = C[vn, vo, vy, vx] + A[vn, vc, vy + vr, vx + vs] * W[vo, vc, vr, vs]

    @T.prim_func(s_tir=True)
    def running_sum(a: T.handle, b: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n, m), "float32")
        for i, j in T.grid(n, m):
            with T.sblock("scan"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.if_then_else(vj == T.int64(0), T.float32(0), B[vi, vj - T.int64(1)]) + A[vi, vj]

    @T.prim_func(s_tir=True)
    def argmax(A: T.Buffer((5, 8), "float32"), I: T.Buffer((5,), "int64"), V: T.Buffer((5,), "float32")):
        for i, k in T.grid(5, 8):
            with T.sblock("argmax"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    I[vi] = T.int64(-1)
                    V[vi] = T.min_value("float32")
                if A[vi, vk] > V[vi]:
                    I[vi] = T.Cast("int64", vk)
                    V[vi] = A[vi, vk]

    @T.prim_func(s_tir=True)
    def gather(A: T.Buffer((6, 5), "float32"), I: T.Buffer((4,), "int64"), B: T.Buffer((4, 5), "float32")):
        for i, j in T.grid(4, 5):
            with T.sblock("gather"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[I[vi], vj]

    @T.prim_func(s_tir=True)
    def scatter_add(A: T.Buffer((7, 3), "float32"), I: T.Buffer((7,), "int64"), B: T.Buffer((4, 3), "float32")):
        for i, j in T.grid(7, 3):
            with T.sblock("scatter"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[I[vi], vj] = B[I[vi], vj] + A[vi, vj]

    @T.prim_func(s_tir=True)
    def where_inside(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i, j in T.grid((n + T.int64(3)) // T.int64(4), T.int64(4)):
            with T.sblock("tail"):
                v = T.axis.spatial(n, i * T.int64(4) + j)
                T.where(i * T.int64(4) + j < n)
                B[v] = A[v] + T.float32(1)

    @T.prim_func(s_tir=True)
    def triangle(A: T.Buffer((6,), "float32"), B: T.Buffer((6, 6), "float32")):
        for i in range(6):
            for j in range(i + 1):
                with T.sblock("triangle"):
                    vi = T.axis.spatial(6, i)
                    vj = T.axis.spatial(6, j)
                    B[vi, vj] = A[vi] - A[vj]

    @T.prim_func(s_tir=True)
    def newton(A: T.Buffer((5,), "float32"), B: T.Buffer((5,), "float32")):
        for i in range(5):
            with T.sblock("newton"):
                v = T.axis.spatial(5, i)
                x: T.float32 = A[v]
                steps: T.int32 = 0
                while steps < 6:
                    x = (x + A[v] / x) * T.float32(0.5)
                    steps = steps + 1
                B[v] = x

    @T.prim_func(s_tir=True)
    def local_window(A: T.Buffer((9,), "float32"), B: T.Buffer((7,), "float32")):
        for i in range(7):
            with T.sblock("window"):
                v = T.axis.spatial(7, i)
                W = T.sblock_alloc_buffer((3,), "float32")
                for k in range(3):
                    W[k] = A[v + k] * T.float32(2)
                B[v] = T.max(W[0], T.max(W[1], W[2]))

    @T.prim_func(s_tir=True)
    def concat(A: T.Buffer((4, 3), "int32"), B: T.Buffer((4, 5), "int32"), C: T.Buffer((4, 8), "int32")):
        for i, j in T.grid(4, 8):
            with T.sblock("concat"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.if_then_else(3 <= vj, B[vi, vj - 3], A[vi, vj])

    @T.prim_func(s_tir=True)
    def let_and_select(A: T.Buffer((6,), "float32"), s: T.float32, k: T.int64, B: T.Buffer((6,), "float32")):
        for i in range(6):
            with T.sblock("let"):
                v = T.axis.spatial(6, i)
                x: T.let[T.float32] = A[v] * s
                B[v] = T.Select(x > T.float32(0) and T.Cast("int64", v) < k, x, -x - T.Cast("float32", k))

    @T.prim_func(s_tir=True)
    def half_scalar(A: T.Buffer((4,), "float16"), s: T.float16, B: T.Buffer((4,), "float16")):
        for i in range(4):
            with T.sblock("scale"):
                v = T.axis.spatial(4, i)
                B[v] = A[v] * s

    @T.prim_func(s_tir=True)
    def in_place(A: T.Buffer((6, 4), "float32")):
        for i, j in T.grid(6, 4):
            with T.sblock("double"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = A[vi, vj] * T.float32(2) - T.float32(1)

    @T.prim_func(s_tir=True)
    def checked_store(I: T.Buffer((3,), "int64"), B: T.Buffer((4,), "float32")):
        for i in range(3):
            B[I[i]] = T.float32(1)

    @T.prim_func(s_tir=True)
    def asserted(A: T.Buffer((3,), "int32"), B: T.Buffer((3,), "int32")):
        for i in range(3):
            assert A[i] > 0, "positive"
            B[i] = A[i]
"""

FLOAT16, BFLOAT16 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)


def normal(seed: int, shape: tuple[int, ...], dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def out(shape: tuple[int, ...], dtype: Any = np.float32) -> Any:
    return np.zeros(shape, dtype)


SPECIAL = [0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 1e-40, 3e38, 0.5, -1.0]

KERNELS: dict[str, list[list[Any]]] = {
    "broadcast_f16": [
        [normal(1, (n, 1), np.float16), normal(2, (1, m), np.float16), out((n, m), np.float16)]
        for n, m in ((3, 5), (1, 4), (0, 2), (4, 0))
    ],
    "chain_bf16": [[normal(3, (7, 3), BFLOAT16), normal(4, (7, 3), BFLOAT16), out((7, 3), BFLOAT16)]],
    "casts": [
        [
            np.array([1 + 2**-8 + 2**-40, 65519.9, 65520.0, -(2.0**-25), 2**-24 * 1.5, np.inf, np.nan, 1e300, 1 + 2**-11]),
            out((9,), FLOAT16), out((9,), BFLOAT16), out((9,)), out((9,), np.bool_),
        ]
    ],
    "integers": [
        [
            np.array([0, 1, -1, 127, 128, (1 << 62) + (1 << 38) + 1, -(1 << 63), 2049]),
            out((8,), np.int8), out((8,), np.uint16), out((8,), np.float16), out((8,), BFLOAT16),
        ]
    ],
    "quotients": [
        [
            np.array([7, -7, 7, -7, -(1 << 31), 0], np.int32), np.array([2, 2, -2, -2, -1, 3], np.int32),
            out((6, 4), np.int32),
        ]
    ],
    "functions": [[np.array(SPECIAL, np.float32), out((11, 9))], [normal(5, (11,)), out((11, 9))]],
    "row_sum": [[normal(6, (n, m)), out((n,))] for n, m in ((3, 257), (2, 5), (1, 64), (4, 1), (0, 7))],
    "row_max_f16": [[normal(7, (n, m), np.float16), out((n,), np.float16)] for n, m in ((3, 300), (1, 2))],
    "total_i32": [[np.random.default_rng(8).integers(-(1 << 31), 1 << 31, (n, m)).astype(np.int32), out((), np.int32)]
                  for n, m in ((9, 70), (1, 1))],
    "matmul": [[normal(9, (n, k)), normal(10, (m, k)), out((n, m))] for n, m, k in ((17, 33, 20), (1, 2, 3), (0, 3, 2))],
    "batched_f16": [[normal(11, (2, 5, 20), np.float16), normal(12, (2, 20, 18), np.float16), out((2, 18, 5))]],
    "conv": [[normal(13, (2, 3, 7, 6)), normal(14, (4, 3, 3, 2)), out((2, 4, 5, 5))]],
    "running_sum": [[normal(15, (n, m)), out((n, m))] for n, m in ((3, 6), (1, 0))],
    "argmax": [[normal(16, (5, 8)), out((5,), np.int64), out((5,))]],
    "gather": [[normal(17, (6, 5)), np.array([5, 0, 3, 3]), out((4, 5))]],
    "scatter_add": [[normal(18, (7, 3)), np.array([0, 3, 1, 1, 0, 2, 3]), out((4, 3))]],
    "where_inside": [[normal(19, (n,)), out((n,))] for n in (1, 7, 8, 0)],
    "newton": [[np.abs(normal(20, (5,))) + np.float32(0.1), out((5,))]],
    "local_window": [[normal(21, (9,)), out((7,))]],
    "concat": [[np.arange(12, dtype=np.int32).reshape(4, 3), -np.arange(20, dtype=np.int32).reshape(4, 5),
                out((4, 8), np.int32)]],
    "let_and_select": [[normal(22, (6,)), 1.25, 4, out((6,))]],
    "half_scalar": [[normal(25, (4,), np.float16), 0.1, out((4,), np.float16)]],
    "in_place": [[normal(23, (6, 4))]],
    "triangle": [[normal(24, (6,)), out((6, 6))]],
}  # fmt: skip
"""Arguments of every function that returns, outputs included (zeros: what a kernel does not write stays)."""


@cache
def module() -> CheckedModule:
    return rr.check(rr.parse(MODULE, "programs.py"))


def arguments(name: str, k: int) -> list[Any]:
    """Fresh copies."""
    return [np.array(a) if isinstance(a, np.ndarray) else a for a in KERNELS[name][k]]


CALLS = [(name, k) for name, calls in KERNELS.items() for k in range(len(calls))]
