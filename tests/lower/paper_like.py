"""Programs like the paper's models, small, as somebody writes them who has not read this package: experts in branches,
workspaces, two caches, tuples of tuples, functions that call functions, weights of 3 bits, shapes as parameters."""

from __future__ import annotations

EXPERTS_IN_BRANCHES = """
n = TypeVar("n")

@I.ir_module
class Module:
    @R.function(private=True)
    def expert(
        x: R.Tensor((n, 8), "float32"), w: R.Tensor((8, 16), "float32"), v: R.Tensor((16, 8), "float32"),
    ) -> R.Tensor((n, 8), "float32"):
        with R.dataflow():
            h = R.matmul(x, w)
            a = R.nn.silu(h)
            o = R.matmul(a, v)
            R.output(o)
        return o

    @R.function
    def main(
        x: R.Tensor((n, 8), "float32"), g: R.Tensor((), "bool"), w0: R.Tensor((8, 16), "float32"),
        v0: R.Tensor((16, 8), "float32"), w1: R.Tensor((8, 16), "float32"), v1: R.Tensor((16, 8), "float32"),
    ) -> R.Tensor((n, 8), "float32"):
        cls = Module
        if g:
            y = cls.expert(x, w0, v0)
            z = R.add(y, x)
        else:
            y = cls.expert(x, w1, v1)
            z = R.add(x, y)
        r = R.nn.relu(z)
        return r
"""

SPLIT_K = """
n = TypeVar("n")
m = TypeVar("m")

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def split_k(A: T.Buffer((n, 16), "float32"), B: T.Buffer((16, m), "float32"), C: T.Buffer((n, m), "float32")):
        W = T.alloc_buffer((2, n, m), "float32", scope="global")
        for s, i, j in T.grid(2, n, m):
            W[s, i, j] = T.float32(0)
            for k in range(8):
                W[s, i, j] = W[s, i, j] + A[i, s * 8 + k] * B[s * 8 + k, j]
        for i, j in T.grid(n, m):
            C[i, j] = W[0, i, j] + W[1, i, j]

    @R.function
    def main(x: R.Tensor((n, 16), "float32"), w: R.Tensor((16, m), "float32")) -> R.Tensor((n, m), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 32, "m": 16}})
        cls = Module
        with R.dataflow():
            a = R.nn.relu(x)
            y = R.call_tir(cls.split_k, (a, w), out_ty=R.Tensor((n, m), "float32"))
            z = R.exp(y)
            R.output(z)
        return z
"""

TWO_CACHES = """
n = TypeVar("n")
t = TypeVar("t")

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def append(cache: T.Buffer((64, 8), "float32"), new: T.Buffer((n, 8), "float32"), at: T.int64):
        for i, j in T.grid(n, 8):
            cache[at + i, j] = new[i, j]

    @R.function
    def main(
        x: R.Tensor((n, 8), "float32"), k: R.Tensor((64, 8), "float32"), v: R.Tensor((64, 8), "float32"),
        s: R.Shape([t]), wk: R.Tensor((8, 8), "float32"), wv: R.Tensor((8, 8), "float32"),
    ) -> R.Tuple(R.Tensor((n, 8), "float32"), R.Tensor((64, 8), "float32"), R.Tensor((64, 8), "float32")):
        R.func_attr({"tir_var_upper_bound": {"n": 8, "t": 56}, "relax.force_pure": True})
        cls = Module
        kx = R.matmul(x, wk)
        vx = R.matmul(x, wv)
        k1 = R.call_tir_inplace(
            cls.append, (k, kx, R.prim_value(t)), out_ty=R.Tensor((64, 8), "float32"), inplace_indices=[0]
        )
        v1 = R.call_tir_inplace(
            cls.append, (v, vx, R.prim_value(t)), out_ty=R.Tensor((64, 8), "float32"), inplace_indices=[0]
        )
        q = R.matmul(x, R.permute_dims(k1))
        p = R.nn.softmax(q, axis=-1)
        o = R.matmul(p, v1)
        return (o, k1, v1)
"""

NESTED_TUPLES = """
b = TypeVar("b")
n = TypeVar("n")

@I.ir_module
class Module:
    @R.function(private=True)
    def qkv(
        x: R.Tensor((b, n, 12), "float32"), w: R.Tensor((12, 36), "float32"),
    ) -> R.Tuple(
        R.Tensor((b, n, 12), "float32"), R.Tuple(R.Tensor((b, n, 12), "float32"), R.Tensor((b, n, 12), "float32"))
    ):
        y = R.matmul(x, w)
        s = R.split(y, 3, axis=-1)
        q = s[0]
        k = s[1]
        v = s[2]
        return (q, (k, v))

    @R.function
    def main(
        x: R.Tensor((b, n, 12), "float32"), w: R.Tensor((12, 36), "float32"),
    ) -> R.Tuple(R.Tensor((b, n, 12), "float32"), R.Shape([b, n]), R.Tensor((), "int64")):
        cls = Module
        t = cls.qkv(x, w)
        q = t[0]
        kv = t[1]
        k = kv[0]
        v = kv[1]
        a = R.matmul(q, R.permute_dims(k, axes=[0, 2, 1]))
        p = R.nn.softmax(R.multiply(a, R.const(0.25, "float32")), axis=-1)
        o = R.matmul(p, v)
        c = R.const(3, "int64")
        return (o, R.shape([b, n]), c)
"""

FUNCTIONS_THAT_CALL = """
n = TypeVar("n")

@I.ir_module
class Module:
    @R.function(private=True)
    def norm(x: R.Tensor((n, 8), "float32"), g: R.Tensor((8,), "float32")) -> R.Tensor((n, 8), "float32"):
        y = R.nn.rms_norm(x, g, axes=[-1], epsilon=1e-5)
        return y

    @R.function(private=True)
    def mlp(
        x: R.Tensor((n, 8), "float32"), w: R.Tensor((8, 32), "float32"), v: R.Tensor((16, 8), "float32"),
    ) -> R.Tensor((n, 8), "float32"):
        h = R.matmul(x, w)
        s = R.split(h, 2, axis=-1)
        a = R.nn.silu(s[0])
        b = R.multiply(a, s[1])
        o = R.matmul(b, v)
        return o

    @R.function(private=True)
    def layer(
        x: R.Tensor((n, 8), "float32"), g: R.Tensor((8,), "float32"), w: R.Tensor((8, 32), "float32"),
        v: R.Tensor((16, 8), "float32"),
    ) -> R.Tensor((n, 8), "float32"):
        cls = Module
        a = cls.norm(x, g)
        b = cls.mlp(a, w, v)
        c = R.add(x, b)
        return c

    @R.function
    def main(
        x: R.Tensor((n, 8), "float32"), g: R.Tensor((8,), "float32"), w: R.Tensor((8, 32), "float32"),
        v: R.Tensor((16, 8), "float32"),
    ) -> R.Tensor((n, 8), "float32"):
        cls = Module
        a = cls.layer(x, g, w, v)
        b = cls.layer(a, g, w, v)
        c = cls.norm(b, g)
        return c
"""

THREE_BITS = """
n = TypeVar("n")

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def decode(W: T.Buffer((20, 4), "uint32"), S: T.Buffer((20, 2), "float16"), O: T.Buffer((20, 40), "float16")):
        for i, j in T.grid(20, 40):
            with T.sblock("decode"):
                vi, vj = T.axis.remap("SS", [i, j])
                O[vi, vj] = (
                    T.Cast(
                        "float16",
                        T.bitwise_and(T.shift_right(W[vi, vj // 10], T.Cast("uint32", vj % 10 * 3)), T.uint32(7)),
                    )
                    - T.float16(3)
                ) * S[vi, vj // 20]

    @R.function
    def main(
        x: R.Tensor((n, 40), "float16"), w: R.Tensor((20, 4), "uint32"), s: R.Tensor((20, 2), "float16"),
    ) -> R.Tensor((n, 20), "float16"):
        cls = Module
        with R.dataflow():
            d = R.call_tir(cls.decode, (w, s), out_ty=R.Tensor((20, 40), "float16"))
            t = R.permute_dims(d)
            y = R.matmul(x, t, out_dtype="float16")
            z = R.nn.gelu(y)
            R.output(z)
        return z
"""

ROTARY_BEHIND_A_CACHE = """
n = TypeVar("n")
t = TypeVar("t")

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, n, 2, 8), "float16"), pos: R.Shape([t])) -> R.Tensor((1, n, 2, 8), "float16"):
        with R.dataflow():
            p = R.arange(R.prim_value(t), R.prim_value(t + n), R.prim_value(1), dtype="float32")
            f = R.const([1.0, 0.1, 0.01, 0.001], "float32")
            a = R.multiply(R.reshape(p, R.shape([n, 1])), R.reshape(f, R.shape([1, 4])))
            c = R.reshape(R.cos(R.concat((a, a), axis=-1)), R.shape([1, n, 1, 8]))
            s = R.reshape(R.sin(R.concat((a, a), axis=-1)), R.shape([1, n, 1, 8]))
            sp = R.split(x, 2, axis=-1)
            neg = R.negative(sp[1])
            rot = R.concat((neg, sp[0]), axis=-1)
            xf = R.astype(x, "float32")
            rf = R.astype(rot, "float32")
            y = R.add(R.multiply(xf, c), R.multiply(rf, s))
            z = R.astype(y, "float16")
            R.output(z)
        return z
"""

NESTED_BRANCHES = """
n = TypeVar("n")

@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((n, 4), "float32"), a: R.Tensor((), "bool"), b: R.Tensor((), "bool"),
        w: R.Tensor((4, 4), "float32"),
    ) -> R.Tuple(R.Tensor((n, 4), "float32"), R.Tensor((n,), "float32")):
        if a:
            if b:
                y = R.matmul(x, w)
                z = R.exp(y)
            else:
                y = R.add(x, x)
                z = R.nn.relu(y)
            r = R.multiply(z, z)
        else:
            r = R.negative(x)
        q = R.sum(r, axis=[1])
        return (r, q)
"""

PREFILL_AND_DECODE = """
n = TypeVar("n")
m = TypeVar("m")

@I.ir_module
class Module:
    @R.function
    def prefill(
        x: R.Tensor((1, n, 16), "float32"), w: R.Tensor((16, 16), "float32"),
    ) -> R.Tensor((1, 1, 16), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 128, "m": 64}, "tir_var_lower_bound": {"n": 1}})
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.silu(a)
            c = R.matmul(b, w)
            d = R.strided_slice(c, axes=[1], begin=[n - 1], end=[n], strides=[1])
            R.output(d)
        return d

    @R.function
    def decode(x: R.Tensor((m, 1, 16), "float32"), w: R.Tensor((16, 16), "float32")) -> R.Tensor((m, 1, 16), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 128, "m": 64}, "tir_var_lower_bound": {"n": 1}})
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.silu(a)
            c = R.matmul(b, w)
            R.output(c)
        return c
"""

WORKSPACE_IN_BRANCHES = """
n = TypeVar("n")

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def two(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        W = T.alloc_buffer((n,), "float32", scope="global")
        for i in range(n):
            W[i] = A[i] * T.float32(2)
        for i in range(n):
            B[i] = W[n - 1 - i]

    @R.function
    def main(
        x: R.Tensor((n,), "float32"), g: R.Tensor((), "bool"), s: R.Shape([n // 2, n % 2]),
    ) -> R.Tensor((n,), "float32"):
        cls = Module
        a = R.exp(x)
        if g:
            y = R.call_tir(cls.two, (a,), out_ty=R.Tensor((n,), "float32"))
            z = R.call_tir(cls.two, (y,), out_ty=R.Tensor((n,), "float32"))
        else:
            y = R.call_tir(cls.two, (x,), out_ty=R.Tensor((n,), "float32"))
            z = R.add(y, a)
        return z
"""

PROGRAMS: dict[str, str] = {
    "EXPERTS_IN_BRANCHES": EXPERTS_IN_BRANCHES,
    "SPLIT_K": SPLIT_K,
    "TWO_CACHES": TWO_CACHES,
    "NESTED_TUPLES": NESTED_TUPLES,
    "FUNCTIONS_THAT_CALL": FUNCTIONS_THAT_CALL,
    "THREE_BITS": THREE_BITS,
    "ROTARY_BEHIND_A_CACHE": ROTARY_BEHIND_A_CACHE,
    "NESTED_BRANCHES": NESTED_BRANCHES,
    "PREFILL_AND_DECODE": PREFILL_AND_DECODE,
    "WORKSPACE_IN_BRANCHES": WORKSPACE_IN_BRANCHES,
}
