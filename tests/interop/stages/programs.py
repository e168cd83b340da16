"""Small programs for the build pipelines of TVM, with arguments: each aims at something that lowering can lose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

HEAD = """# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T

@I.ir_module
class Module:
"""


@dataclass(frozen=True)
class Program:
    """A text, its arguments, and the library functions it calls."""

    name: str
    text: str
    args: tuple[Any, ...]
    externs: tuple[str, ...] = ()


def floats(*shape: int, start: float = -1.5, step: float = 0.625) -> Any:
    """A nested list of distinct small dyadic numbers."""
    count = [0]

    def fill(dims: tuple[int, ...]) -> Any:
        if not dims:
            count[0] += 1
            return start + step * (count[0] - 1)
        return [fill(dims[1:]) for _ in range(dims[0])]

    return fill(shape)


def zeros(*shape: int) -> Any:
    """An array of zeros; a list could not keep the shape of one without elements."""
    import numpy as np

    return np.zeros(shape, "float32")


_PROGRAMS: list[Program] = []


def _add(name: str, body: str, *args: Any, externs: tuple[str, ...] = ()) -> None:
    _PROGRAMS.append(Program(name, HEAD + body, args, externs))


_add(
    "chain",
    """
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(a, y)
            c = R.subtract(b, x)
            d = R.maximum(c, a)
            R.output(d)
        return d
""",
    floats(2, 3),
    floats(2, 3, start=0.5),
)

_add(
    "symbolic_chain",
    """
    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), y: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 3), "float32") = R.add(x, y)
            b: R.Tensor((n, 3), "float32") = R.multiply(a, y)
            c: R.Tensor((n, 3), "float32") = R.subtract(b, x)
            d: R.Tensor((n, 3), "float32") = R.negative(c)
            R.output(d)
        return d
""",
    floats(4, 3),
    floats(4, 3, start=0.5),
)

_add(
    "branch",
    """
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        if c:
            a = R.add(x, x)
            b = R.multiply(a, x)
            r = R.negative(b)
        else:
            p = R.subtract(x, x)
            q = R.exp(p)
            r = R.add(q, x)
        return r
""",
    True,
    floats(2, 3),
)

_add(
    "branch_after_values",
    """
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        z = R.add(x, x)
        w = R.multiply(z, x)
        if c:
            a = R.add(w, z)
            r = R.negative(a)
        else:
            p = R.subtract(z, x)
            r = R.add(p, p)
        s = R.add(r, w)
        return s
""",
    False,
    floats(2, 3),
)

_add(
    "branch_on_prim",
    """
    @R.function
    def main(k: T.int64, x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        c: T.bool = k > 2
        if c:
            r = R.add(x, x)
        else:
            r = R.negative(x)
        return r
""",
    3,
    floats(2),
)

_add(
    "match_cast_rank",
    """
    @R.function
    def main(x: R.Tensor(dtype="float32")) -> R.Tensor(ndim=2, dtype="float32"):
        n = T.int64()
        m = T.int64()
        y = R.match_cast(x, R.Tensor((n, m), "float32"))
        z = R.add(y, y)
        w = R.multiply(z, y)
        return w
""",
    floats(2, 3),
)

_add(
    "match_cast_alias",
    """
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor((2, 4), "float32"):
        n = T.int64()
        a = R.add(x, x)
        b = R.match_cast(a, R.Tensor((2, 4), "float32"))
        c = R.multiply(x, x)
        d = R.match_cast(c, R.Tensor((2, 4), "float32"))
        e = R.subtract(d, b)
        f = R.add(e, b)
        return f
""",
    floats(2, 4),
)

_add(
    "match_cast_compound",
    """
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(ndim=1, dtype="float32")) -> R.Tensor(("n * 2",), "float32"):
        n = T.int64()
        z = R.match_cast(y, R.Tensor((n * 2,), "float32"))
        w = R.add(z, z)
        v = R.negative(w)
        return v
""",
    floats(3),
    floats(6),
)

_add(
    "match_cast_fails",
    """
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(ndim=1, dtype="float32")) -> R.Tensor(("n * 2",), "float32"):
        n = T.int64()
        z = R.match_cast(y, R.Tensor((n * 2,), "float32"))
        w = R.add(z, z)
        return w
""",
    floats(3),
    floats(5),
)

_add(
    "parameter_mismatch",
    """
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        z = R.add(x, y)
        return z
""",
    floats(3),
    floats(4),
)

_add(
    "compound_parameter",
    """
    @R.function
    def main(y: R.Tensor(("n + 1",), "float32"), x: R.Tensor(("n",), "float32")) -> R.Tensor(("n + 1",), "float32"):
        z = R.add(y, y)
        return z
""",
    floats(4),
    floats(3),
)

_add(
    "tuples",
    """
    @R.function
    def main(t: R.Tuple(R.Tensor((2,), "float32"), R.Tuple(R.Tensor((3,), "float32"), R.Tensor((2,), "float32")))
    ) -> R.Tuple(R.Tensor((2,), "float32"), R.Tuple(R.Tensor((3,), "float32"), R.Tensor((2,), "float32"))):
        a = t[0]
        u = t[1]
        b = u[0]
        c = u[1]
        d = R.add(a, c)
        e = R.multiply(b, b)
        r = (d, (e, a))
        return r
""",
    (floats(2), (floats(3), floats(2, start=4))),
)

_add(
    "reshape_view",
    """
    @R.function
    def main(x: R.Tensor((2, 6), "float32")) -> R.Tensor((3, 4), "float32"):
        with R.dataflow():
            a = R.add(x, x)
            b = R.reshape(a, R.shape([3, 4]))
            c = R.multiply(b, b)
            d = R.reshape(c, R.shape([12]))
            e = R.negative(d)
            f = R.reshape(e, R.shape([3, 4]))
            g = R.add(f, b)
            R.output(g)
        return g
""",
    floats(2, 6),
)

_add(
    "reshape_symbolic",
    """
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n * 4",), "float32"):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 4), "float32") = R.exp(x)
            b: R.Tensor((n * 4,), "float32") = R.reshape(a, R.shape([n * 4]))
            c: R.Tensor((n * 4,), "float32") = R.add(b, b)
            R.output(c)
        return c
""",
    floats(3, 4),
)

_add(
    "reshape_of_parameter",
    """
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n * 4",), "float32"):
        n = T.int64()
        with R.dataflow():
            b: R.Tensor((n * 4,), "float32") = R.reshape(x, R.shape([n * 4]))
            R.output(b)
        return b
""",
    floats(3, 4),
)

_add(
    "matmul",
    """
    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), w: R.Tensor((3, 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 4), "float32") = R.matmul(x, w)
            b: R.Tensor((n, 4), "float32") = R.nn.relu(a)
            R.output(b)
        return b
""",
    floats(2, 3),
    floats(3, 4),
)

_add(
    "softmax",
    """
    @R.function
    def main(x: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()
        a: R.Tensor((n, 3), "float32") = R.nn.softmax(x, axis=-1)
        b: R.Tensor((n, 3), "float32") = R.add(a, a)
        return b
""",
    floats(2, 3),
)

_add(
    "split_concat",
    """
    @R.function
    def main(x: R.Tensor(("n", 6), "float32")) -> R.Tensor(("n", 6), "float32"):
        n = T.int64()
        with R.dataflow():
            s = R.split(x, 3, axis=1)
            a = s[0]
            b = s[2]
            c = R.permute_dims(a, axes=[1, 0])
            d = R.permute_dims(c, axes=[1, 0])
            e = R.concat((b, d, s[1]), axis=1)
            R.output(e)
        return e
""",
    floats(2, 6),
)

_add(
    "calls",
    """
    @R.function(private=True)
    def twice(x: R.Tensor(("k",), "float32")) -> R.Tensor(("k",), "float32"):
        k = T.int64()
        y: R.Tensor((k,), "float32") = R.add(x, x)
        z: R.Tensor((k,), "float32") = R.multiply(y, x)
        return z

    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        cls = Module
        n = T.int64()
        a: R.Tensor((n,), "float32") = cls.twice(x)
        b: R.Tensor((n,), "float32") = cls.twice(a)
        c: R.Tensor((n,), "float32") = R.subtract(b, a)
        return c
""",
    floats(3),
)

_add(
    "recursion",
    """
    @R.function
    def loop(k: T.int64, x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        c: T.bool = k > 0
        if c:
            y = R.add(x, x)
            r: R.Tensor((2,), "float32") = cls.loop(R.prim_value(k - 1), y)
        else:
            r = x
        return r

    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        r: R.Tensor((2,), "float32") = cls.loop(R.prim_value(3), x)
        return r
""",
    floats(2),
)

_add(
    "shape_parameter",
    """
    @R.function
    def main(s: R.Shape(["n", "m"]), v: R.Tensor((), "float32")) -> R.Tensor(("n", "m + 1"), "float32"):
        n = T.int64()
        m = T.int64()
        a: R.Tensor((n, m + 1), "float32") = R.full(R.shape([n, m + 1]), v, dtype="float32")
        b: R.Tensor((n, m + 1), "float32") = R.add(a, a)
        return b
""",
    (2, 3),
    1.5,
)

_add(
    "shape_results",
    """
    @R.function
    def main(x: R.Tensor(("n", 3), "float32")) -> R.Tuple(R.Shape(ndim=2), R.Shape(ndim=2), R.Any):
        n = T.int64()
        s = R.shape_of(x)
        t = R.shape([n * 2, n + 1])
        k: T.int64 = n * n + 1
        r = (s, t, k)
        return r
""",
    floats(4, 3),
)

_add(
    "data_dependent_shape",
    """
    @R.function
    def main(x: R.Tensor((6,), "float32"), t: R.Tensor((2,), "int64")) -> R.Tensor(ndim=2, dtype="float32"):
        a = T.int64()
        b = T.int64()
        s: R.Shape(ndim=2) = R.tensor_to_shape(t)
        u = R.match_cast(s, R.Shape([a, b]))
        y: R.Tensor((a, b), "float32") = R.reshape(x, R.shape([a, b]))
        z: R.Tensor((a, b), "float32") = R.add(y, y)
        return z
""",
    floats(6),
    [2, 3],
)

_add(
    "loop_program",
    """
    @T.prim_func(private=True, s_tir=True)
    def scale(a: T.handle, k: T.int64, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.sblock("s"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] * T.Cast("float32", k)

    @R.function
    def main(x: R.Tensor(("n",), "float32"), k: T.int64) -> R.Tensor(("n",), "float32"):
        cls = Module
        n = T.int64()
        a = R.call_tir(cls.scale, (x, k), out_ty=R.Tensor((n,), "float32"))
        b = R.call_tir(cls.scale, (a, R.prim_value(k + 1)), out_ty=R.Tensor((n,), "float32"))
        c = R.add(b, x)
        return c
""",
    floats(3),
    2,
)

_add(
    "loop_symbols",
    """
    @T.prim_func(private=True, s_tir=True)
    def iota(m: T.int64, b: T.handle):
        n = T.int64()
        B = T.match_buffer(b, (n,), "int64")
        for i in range(n):
            with T.sblock("s"):
                vi = T.axis.spatial(n, i)
                B[vi] = vi * m

    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n",), "int64"):
        cls = Module
        n = T.int64()
        m = T.int64()
        a = R.call_tir(cls.iota, (R.prim_value(m),), out_ty=R.Tensor((n,), "int64"))
        b = R.add(a, a)
        return b
""",
    floats(4, 3),
)

_add(
    "in_place",
    """
    @T.prim_func(private=True, s_tir=True)
    def bump(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        for i in range(3):
            with T.sblock("s"):
                vi = T.axis.spatial(3, i)
                A[vi] = A[vi] + B[vi]

    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        cls = Module
        a = R.add(x, x)
        b = R.call_tir_inplace(cls.bump, (a, x), inplace_indices=[0], out_ty=R.Tensor((3,), "float32"))
        c = R.multiply(b, x)
        d = R.add(c, b)
        return d
""",
    floats(3),
)

_add(
    "library",
    """
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        a = R.call_dps_packed("my.double", (x,), out_ty=R.Tensor((n,), "float32"))
        b: R.Tensor((n,), "float32") = R.add(a, x)
        c = R.call_pure_packed("my.same", b, ty_args=R.Tensor((n,), "float32"))
        d: R.Tensor((n,), "float32") = R.add(c, a)
        return d
""",
    floats(3),
    externs=("my.double", "my.same"),
)

_add(
    "sort",
    """
    @R.function
    def main(x: R.Tensor((2, 5), "float32")) -> R.Tuple(R.Tensor((2, 5), "float32"), R.Tensor((2, 5), "int32")):
        a = R.sort(x, axis=-1)
        b = R.argsort(x, axis=-1, dtype="int32")
        r = (a, b)
        return r
""",
    [[2.0, -1.0, 0.5, 4.0, 1.0], [0.0, 9.0, -3.0, 2.5, 2.25]],
)

_add(
    "scan",
    """
    @R.function
    def main(x: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()
        a: R.Tensor((n, 3), "float32") = R.cumsum(x, axis=0)
        b: R.Tensor((n, 3), "float32") = R.add(a, x)
        return b
""",
    floats(4, 3),
)

_add(
    "slices",
    """
    @R.function
    def main(x: R.Tensor(("n", 6), "float32")) -> R.Tensor(("n", 2), "float32"):
        n = T.int64()
        a = R.strided_slice(x, axes=[1], begin=[1], end=[5], strides=[2])
        b: R.Tensor((n, 2), "float32") = R.add(a, a)
        return b
""",
    floats(2, 6),
)

_add(
    "constants",
    """
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        a = R.add(x, R.const([1.5, 2.5], "float32"))
        b = R.multiply(a, R.const(2, "float32"))
        c = R.const([4.0, 5.0], "float32")
        d = R.subtract(b, c)
        return d
""",
    floats(2),
)

_add(
    "dtypes",
    """
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float64"):
        with R.dataflow():
            a = R.multiply(x, x)
            b = R.astype(a, "int8")
            c = R.add(b, b)
            d = R.astype(c, "int32")
            e = R.add(d, d)
            f = R.astype(e, "float64")
            g = R.add(f, f)
            h = R.astype(a, "float64")
            k = R.add(g, h)
            R.output(k)
        return k
""",
    floats(4),
)

_add(
    "identity",
    """
    @R.function
    def main(x: R.Tensor((2,), "float32"), y: R.Tensor((3,), "float32")
    ) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32"), R.Tensor((3,), "float32")):
        a = R.add(x, x)
        b = a
        c = R.negative(b)
        d = y
        r = (c, x, d)
        return r
""",
    floats(2),
    floats(3),
)

_add(
    "outputs",
    """
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tuple(R.Tensor((2, 3), "float32"), R.Tensor((3, 2), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            b = R.multiply(a, a)
            c = R.reshape(b, R.shape([3, 2]))
            d = R.add(c, c)
            dead = R.exp(d)
            R.output(b, d)
        e = R.subtract(b, x)
        r = (e, d)
        return r
""",
    floats(2, 3),
)

_add(
    "view_shape",
    """
    @R.function
    def main(x: R.Tensor((2, 1, 3), "float32")) -> R.Tensor((3, 2), "float32"):
        with R.dataflow():
            a = R.squeeze(x, axis=[1])
            b = R.add(a, a)
            c = R.expand_dims(b, axis=0)
            d = R.multiply(c, c)
            e = R.squeeze(d, axis=[0])
            f = R.permute_dims(e, axes=[1, 0])
            R.output(f)
        return f
""",
    floats(2, 1, 3),
)

_add(
    "checks",
    """
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32"), f: R.Any) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        _ = R.assert_op(R.const(True, "bool"), format="fine")
        a: R.Tensor((n,), "float32") = R.add(x, x)
        return a
""",
    floats(2),
    4,
)

_add(
    "empty",
    """
    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), y: R.Tensor(("m", 3), "float32")) -> R.Tensor(("n + m", 3), "float32"):
        n = T.int64()
        m = T.int64()
        a: R.Tensor((n, 3), "float32") = R.add(x, x)
        b: R.Tensor((n + m, 3), "float32") = R.concat((a, y), axis=0)
        c: R.Tensor((n + m, 3), "float32") = R.negative(b)
        return c
""",
    zeros(0, 3),
    floats(2, 3),
)

_add(
    "view_op",
    """
    @R.function
    def main(x: R.Tensor((2, 6), "float32")) -> R.Tensor((3, 4), "float32"):
        a = R.add(x, x)
        b = R.memory.view(a, R.shape([3, 4]))
        c = R.memory.ensure_zero_offset(b)
        d = R.add(c, c)
        return d
""",
    floats(2, 6),
)

_add(
    "closure",
    """
    @R.function
    def add_to(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        z = R.add(x, y)
        w = R.add(z, y)
        return w

    @R.function
    def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        c = R.make_closure(cls.add_to, (x,))
        r = R.invoke_pure_closure(c, (y,), ty_args=R.Tensor((2,), "float32"))
        return r
""",
    floats(2),
    floats(2, start=3.0, step=1.5),
)

_add(
    "prim_dtypes",
    """
    @R.function
    def main(k: T.int32, b: T.bool, x: R.Tensor((3,), "float32")) -> R.Tuple(R.Tensor((3,), "float32"), R.Any):
        if b:
            y = R.add(x, x)
        else:
            y = R.negative(x)
        r = (y, k)
        return r
""",
    7,
    True,
    floats(3),
)

_add(
    "nested_branches",
    """
    @R.function
    def main(c: R.Tensor((), "bool"), d: R.Tensor((), "bool"), x: R.Tensor(("n", 3), "float32")
    ) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()
        z: R.Tensor((n, 3), "float32") = R.exp(x)
        if c:
            if d:
                a: R.Tensor((n, 3), "float32") = R.add(z, x)
                q: R.Tensor((n, 3), "float32") = R.multiply(a, a)
            else:
                q: R.Tensor((n, 3), "float32") = R.subtract(z, x)
            r: R.Tensor((n, 3), "float32") = R.add(q, x)
        else:
            r: R.Tensor((n, 3), "float32") = R.negative(x)
        return r
""",
    True,
    False,
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
)

_add(
    "branch_returns_tuple",
    """
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")
    ) -> R.Tensor((2,), "float32"):
        if c:
            t = (x, y)
        else:
            t = (y, x)
        a = t[0]
        b = t[1]
        r = R.subtract(a, b)
        s = R.multiply(r, a)
        return s
""",
    False,
    floats(2),
    floats(2, start=4.0),
)

_add(
    "set_operators",
    """
    @R.function
    def main(x: R.Tensor((6,), "int64")) -> R.Tuple(R.Tensor(ndim=1, dtype="int64"), R.Tensor(ndim=2, dtype="int64")):
        u = R.unique(x, sorted=True, return_index=False, return_inverse=False, return_counts=False)
        z = R.nonzero(x)
        r = (u, z)
        return r
""",
    [3, 0, 3, 1, 0, 2],
)

_add(
    "prints",
    """
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        _ = R.print(x, format="x is {}")
        y = R.add(x, x)
        _1 = R.print(y, format="y is {}")
        return y
""",
    floats(2),
)

_add(
    "failed_assertion",
    """
    @R.function(pure=False)
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        _ = R.assert_op(c, format="must hold")
        y = R.add(x, x)
        return y
""",
    False,
    floats(2),
)

_add(
    "shape_arithmetic",
    """
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n * m // 2",), "float32"):
        n = T.int64()
        m = T.int64()
        a: R.Tensor((n * m,), "float32") = R.reshape(x, R.shape([n * m]))
        b: R.Tensor((2, n * m // 2), "float32") = R.reshape(a, R.shape([2, n * m // 2]))
        c: R.Tensor((n * m // 2,), "float32") = R.sum(b, axis=[0])
        d: R.Tensor((n * m // 2,), "float32") = R.add(c, c)
        return d
""",
    floats(2, 3),
)

_add(
    "shape_variable",
    """
    @R.function
    def main(x: R.Tensor(ndim=2, dtype="float32"), s: R.Shape(ndim=2)) -> R.Tensor(ndim=2, dtype="float32"):
        y = R.reshape(x, s)
        return y
""",
    floats(2, 6),
    (3, 4),
)

_add(
    "casts_of_tuples",
    """
    @R.function
    def main(t: R.Tuple(R.Tensor(dtype="float32"), R.Shape(ndim=1), R.Any)) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        a = t[0]
        s = t[1]
        p = R.match_cast(s, R.Shape([n]))
        b = R.match_cast(a, R.Tensor((n,), "float32"))
        c: R.Tensor((n,), "float32") = R.add(b, b)
        return c
""",
    (floats(3), (3,), 5),
)

_add(
    "callable_parameter",
    """
    @R.function(private=True)
    def square(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.multiply(x, x)
        return y

    @R.function(private=True)
    def twice(f: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), True), x: R.Tensor((2,), "float32")
    ) -> R.Tensor((2,), "float32"):
        y: R.Tensor((2,), "float32") = f(x)
        z: R.Tensor((2,), "float32") = f(y)
        return z

    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        y: R.Tensor((2,), "float32") = cls.twice(cls.square, x)
        return y
""",
    floats(2),
)

_add(
    "top_k",
    """
    @R.function
    def main(x: R.Tensor((2, 5), "float32")) -> R.Tuple(R.Tensor((2, 3), "float32"), R.Tensor((2, 3), "int32")):
        r = R.topk(x, k=3, axis=-1, ret_type="both", largest=True, dtype="int32")
        return r
""",
    [[2.0, -1.0, 0.5, 4.0, 1.0], [0.0, 9.0, -3.0, 2.5, 2.25]],
)

_add(
    "gather",
    """
    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), i: R.Tensor((2,), "int64")) -> R.Tensor((2, 3), "float32"):
        a = R.take(x, i, axis=0)
        b = R.where(R.greater(a, R.const(0.0, "float32")), a, R.negative(a))
        return b
""",
    floats(4, 3),
    [3, 1],
)

_add(
    "reductions",
    """
    @R.function
    def main(x: R.Tensor(("n", 3), "float32")) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor(("n",), "int64")):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n,), "float32") = R.max(x, axis=[1])
            b: R.Tensor((n,), "float32") = R.sum(x, axis=[1])
            c: R.Tensor((n,), "float32") = R.add(a, b)
            d: R.Tensor((n,), "int64") = R.argmax(x, axis=1)
            r = (c, d)
            R.output(r)
        return r
""",
    floats(4, 3),
)

_add(
    "zero_elements",
    """
    @R.function
    def main(x: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n * 3",), "float32"):
        n = T.int64()
        a: R.Tensor((n, 3), "float32") = R.add(x, x)
        b: R.Tensor((n * 3,), "float32") = R.reshape(a, R.shape([n * 3]))
        return b
""",
    zeros(0, 3),
)

_add(
    "in_place_after_reshape",
    """
    @T.prim_func(private=True, s_tir=True)
    def bump(A: T.Buffer((T.int64(6),), "float32")):
        for i in range(T.int64(6)):
            with T.sblock("s"):
                vi = T.axis.spatial(T.int64(6), i)
                A[vi] = A[vi] + T.float32(1)

    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        cls = Module
        with R.dataflow():
            a = R.add(x, x)
            b = R.reshape(a, R.shape([6]))
            c = R.multiply(b, b)
            R.output(c)
        d = R.call_tir_inplace(cls.bump, (c,), inplace_indices=[0], out_ty=R.Tensor((6,), "float32"))
        e = R.reshape(d, R.shape([2, 3]))
        return e
""",
    floats(2, 3),
)

_add(
    "library_with_symbols",
    """
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n", "m"), "float32"):
        n = T.int64()
        m = T.int64()
        a: R.Tensor((n, m), "float32") = R.add(x, x)
        b = R.call_dps_packed("my.double", (a,), out_ty=R.Tensor((n, m), "float32"))
        c: R.Tensor((n, m), "float32") = R.multiply(b, a)
        d = R.call_dps_packed("my.double", (c,), out_ty=R.Tensor((n, m), "float32"))
        e: R.Tensor((n, m), "float32") = R.negative(d)
        return e
""",
    floats(2, 3),
    externs=("my.double",),
)

_add(
    "fewer_symbols_than_dims",
    """
    @R.function
    def main(x: R.Tensor(("n", "n"), "float32"), y: R.Tensor(("n", "n + 1"), "float32")
    ) -> R.Tensor(("n", "2 * n + 1"), "float32"):
        n = T.int64()
        a: R.Tensor((n, n), "float32") = R.permute_dims(x)
        b: R.Tensor((n, 2 * n + 1), "float32") = R.concat((a, y), axis=1)
        c: R.Tensor((n, 2 * n + 1), "float32") = R.abs(b)
        return c
""",
    floats(3, 3),
    floats(3, 4),
)

_add(
    "planned_by_hand",
    """
    @T.prim_func(private=True, s_tir=True)
    def double(A: T.Buffer((T.int64(4),), "float32"), B: T.Buffer((T.int64(4),), "float32")):
        for i in range(T.int64(4)):
            with T.sblock("s"):
                vi = T.axis.spatial(T.int64(4), i)
                B[vi] = A[vi] + A[vi]

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        s = R.memory.alloc_storage(R.shape([32]), 0, "global", "float32")
        a: R.Tensor((4,), "float32") = R.memory.alloc_tensor(s, 0, R.shape([4]), "float32")
        _ = cls.double(x, a)
        b: R.Tensor((4,), "float32") = R.memory.alloc_tensor(s, 16, R.shape([4]), "float32")
        _1 = cls.double(a, b)
        _2 = R.memory.kill_tensor(a)
        c: R.Tensor((4,), "float32") = R.memory.alloc_tensor(s, 0, R.shape([4]), "float32")
        _3 = cls.double(b, c)
        _4 = R.memory.kill_tensor(b)
        _5 = R.memory.kill_storage(s)
        return c
""",
    floats(4),
)

PROGRAMS = tuple(_PROGRAMS)
