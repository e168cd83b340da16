"""Small modules for fusion: graph-level texts (legalized first) and modules with loop programs of their own.

``MODULES`` maps a name to the text; each ``main`` makes at most a handful of bindings.
"""

from __future__ import annotations

from tests.lower.cases import _expand

HEAD = """
from tvm.script import ir as I, relax as R, tirx as T
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
"""


def graph(params: str, *bindings: str) -> str:
    """A ``main`` whose dataflow block makes ``bindings``; the last one, ``out``, is the result."""
    lines = "\n".join(f"            {b}" for b in bindings)
    return f"""{HEAD}    @R.function
    def main({_expand(params)}):
        with R.dataflow():
{_expand(lines)}
            R.output(out)
        return out
"""


def program(kernels: str, params: str, *bindings: str) -> str:
    """The same with loop programs: ``kernels`` holds their texts, indented by four."""
    lines = "\n".join(f"            {b}" for b in bindings)
    return f"""{HEAD}{kernels}
    @R.function
    def main({_expand(params)}):
        cls = Module
        with R.dataflow():
{_expand(lines)}
            R.output(out)
        return out
"""


def kernel(name: str, params: str, body: str, allocs: str = "") -> str:
    """A loop program; ``params`` are ``name: dtype[dims]``, ``body`` and ``allocs`` are statements (indented by 0)."""
    typed = ", ".join(
        f"{each.split(':')[0]}: {each.split(':')[1]}" if "Buffer" in each or "T." in each else each
        for each in params.split("; ")
    )
    text = f"""    @T.prim_func(private=True, s_tir=True)
    def {name}({typed}):
        T.func_attr({{"tirx.noalias": True}})
"""
    for line in (allocs.strip("\n") + "\n" + body.strip("\n")).strip("\n").split("\n"):
        text += f"        {line}\n"
    return text


def buffer(name: str, dims: str, dtype: str = "float32") -> str:
    """A parameter ``name: T.Buffer((dims), dtype)``."""
    return f'{name}: T.Buffer(({dims},), "{dtype}")'


def pointwise(name: str, value: str, extents: str, inputs: str, out: str = "", dtype: str = "float32") -> str:
    """``O[i] = value`` over ``extents`` (axes ``i``, ``j``, …)."""
    axes = "ijkl"[: len(extents.split(", "))]
    body = nest(name, "O", ", ".join(axes), value, extents)
    return kernel(name, f"{inputs}; {buffer('O', out or extents, dtype)}", body)


def nest(block: str, target: str, at: str, value: str, extents: str, init: str = "", kinds: str = "") -> str:
    """One loop nest; its axes are ``i``, ``j``, … as block variables."""
    count = len(extents.split(", "))
    axes = "ijkl"[:count]
    loops = ", ".join(f"l{a}" for a in axes)
    first = f"for {loops} in T.grid({extents}):" if count > 1 else f"for {loops} in range({extents}):"
    remap = kinds or "S" * count
    bound = (
        f'{", ".join(axes)} = T.axis.remap("{remap}", [{loops}])'
        if count > 1
        else f"{axes} = T.axis.{'spatial' if remap == 'S' else 'reduce'}({extents}, {loops})"
    )
    start = f"\n        with T.init():\n            {target}[{at}] = {init}" if init else ""
    return f"""{first}
    with T.sblock("{block}"):
        {bound}{start}
        {target}[{at}] = {value}"""


GRAPHS: dict[str, str] = {
    "matmul-bias-relu": graph(
        "x: f32[n, 3], w: f32[3, 5], b: f32[5]", "y = R.matmul(x, w)", "z = R.add(y, b)", "out = R.nn.relu(z)"
    ),
    "matmul-transposed": graph(
        "x: f32[n, 3], w: f32[3, 5]", "y = R.matmul(x, w)", "out = R.permute_dims(y, axes=[1, 0])"
    ),
    "weight-transposed": graph(
        "x: f32[n, 3], w: f32[5, 3]", "v = R.permute_dims(w, axes=[1, 0])", "out = R.matmul(x, v)"
    ),
    "transpose-subtract": graph(
        "x: f32[n, m], y: f32[m, n]", "t = R.permute_dims(x, axes=[1, 0])", "out = R.subtract(t, y)"
    ),
    "bias-subtract": graph("x: f32[n, 4], b: f32[4]", "y = R.subtract(x, b)", "out = R.exp(y)"),
    "half": graph("x: f32[n]", 'y = R.astype(x, "float16")', 'out = R.astype(y, "float32")'),
    "half-chain": graph("x: f16[n], y: f16[n]", "a = R.multiply(x, y)", "b = R.add(a, y)", "out = R.subtract(b, x)"),
    "rms": graph(
        "x: f32[n, 4]",
        "a = R.multiply(x, x)",
        "b = R.mean(a, axis=[1], keepdims=True)",
        "c = R.rsqrt(b)",
        "out = R.multiply(x, c)",
    ),
    "sum-of-squares": graph("x: f32[n, m]", "a = R.multiply(x, x)", "out = R.sum(a, axis=[0])"),
    "sum-of-exp": graph("x: f32[n, m]", "a = R.exp(x)", "out = R.sum(a)"),
    "softmax-scale": graph("x: f32[n, 3], s: f32[]", "a = R.nn.softmax(x, axis=-1)", "out = R.multiply(a, s)"),
    "concat-scale": graph("x: f32[n, 2], y: f32[n, 3]", "a = R.concat([x, y], axis=1)", "out = R.multiply(a, a)"),
    "rotate": graph(
        "x: f32[n, 6]",
        "a = R.split(x, 2, axis=1)",
        "b = a[0]",
        "c = a[1]",
        "d = R.negative(c)",
        "out = R.concat([d, b], axis=1)",
    ),
    "arange-scale": graph(
        "x: f32[n, 1]",
        'a = R.arange(R.prim_value(0), R.prim_value(n), R.prim_value(1), dtype="float32")',
        "b = R.reshape(a, R.shape([1, n]))",
        "out = R.multiply(x, b)",
    ),
    "slice-add": graph(
        "x: f32[6, n], y: f32[3, n]",
        "a = R.strided_slice(x, axes=[0], begin=[1], end=[6], strides=[2])",
        "out = R.add(a, y)",
    ),
    "take-add": graph("x: f32[5, n], i: i64[3]", "a = R.take(x, i, axis=0)", "out = R.add(a, a)"),
    "diamond": graph("x: f32[n]", "a = R.exp(x)", "b = R.sin(a)", "c = R.cos(a)", "out = R.add(b, c)"),
    "two-matmuls": graph(
        "x: f32[n, 3], w: f32[3, 4], v: f32[4, 2]", "a = R.matmul(x, w)", "b = R.nn.relu(a)", "out = R.matmul(b, v)"
    ),
    "heads": graph(
        "x: f32[n, 6]",
        "a = R.exp(x)",
        "b = R.reshape(a, R.shape([n, 2, 3]))",
        "c = R.permute_dims(b, axes=[1, 0, 2])",
        "out = R.add(c, c)",
    ),
    "conv-bias-relu": graph(
        "x: f32[n, 2, 4, 5], w: f32[3, 2, 3, 3], b: f32[1, 3, 1, 1]",
        "a = R.nn.conv2d(x, w, padding=[1, 1, 1, 1])",
        "c = R.add(a, b)",
        "out = R.nn.relu(c)",
    ),
    "integers": graph("x: i32[n], y: i32[n]", "a = R.multiply(x, y)", "b = R.add(a, x)", "out = R.subtract(b, y)"),
    "masked": graph("x: f32[n, n]", "a = R.tril(x)", "b = R.add(a, x)", "out = R.permute_dims(b, axes=[1, 0])"),
    "constants": graph(
        "x: f32[n]", 'a = R.multiply(x, R.const(2.0, "float32"))', 'out = R.add(a, R.const(3.0, "float32"))'
    ),
    "empty-sum": graph("x: f32[n, m]", "a = R.sum(x, axis=[1])", "out = R.add(a, a)"),
}

X, Y, O = buffer("X", "n"), buffer("Y", "n"), buffer("O", "n")

PROGRAMS: dict[str, str] = {
    "across-match-cast": program(
        pointwise("double", "X[i] * T.float32(2)", "n", X),
        "x: f32[n]",
        "a = R.call_tir(cls.double, (x,), out_ty=f32[n])",
        "b = R.match_cast(a, f32[4])",
        "out = R.call_tir(cls.double, (b,), out_ty=f32[4])",
    ),
    "across-update": program(
        pointwise("double", "X[i] * T.float32(2)", "n", X)
        + kernel("increase", X, nest("u", "X", "i", "X[i] + T.float32(1)", "n"))
        + pointwise("plus", "X[i] + Y[i]", "n", f"{X}; {Y}"),
        "x: f32[n]",
        "a = R.call_tir(cls.double, (x,), out_ty=f32[n])",
        "b = R.call_tir_inplace(cls.increase, (x,), inplace_indices=[0], out_ty=f32[n])",
        "out = R.call_tir(cls.plus, (a, b), out_ty=f32[n])",
    ),
    "mixed-precision": program(
        kernel(
            "mm",
            f"{buffer('X', 'n, T.int64(4)', 'float16')}; {buffer('W', 'T.int64(4), T.int64(3)', 'float16')}; "
            f"{buffer('O', 'n, T.int64(3)')}",
            nest(
                "mm",
                "O",
                "i, j",
                'O[i, j] + T.Cast("float32", X[i, k]) * T.Cast("float32", W[k, j])',
                "n, T.int64(3), T.int64(4)",
                "T.float32(0)",
                "SSR",
            ),
        )
        + pointwise(
            "half", 'T.Cast("float16", X[i, j])', "n, T.int64(3)", buffer("X", "n, T.int64(3)"), dtype="float16"
        ),
        "x: f16[n, 4], w: f16[4, 3]",
        "a = R.call_tir(cls.mm, (x, w), out_ty=f32[n, 3])",
        "out = R.call_tir(cls.half, (a,), out_ty=f16[n, 3])",
    ),
    "square-matmul": program(
        kernel(
            "mm",
            f"{buffer('X', 'n, n')}; {buffer('W', 'n, n')}; {buffer('O', 'n, n')}",
            nest("mm", "O", "i, j", "O[i, j] + X[i, k] * W[k, j]", "n, n, n", "T.float32(0)", "SSR"),
        )
        + pointwise("flip", "X[j, i] * T.float32(3)", "n, n", buffer("X", "n, n")),
        "x: f32[n, n], w: f32[n, n]",
        "a = R.call_tir(cls.mm, (x, w), out_ty=f32[n, n])",
        "out = R.call_tir(cls.flip, (a,), out_ty=f32[n, n])",
    ),
    "palindrome": program(
        kernel(
            "total",
            f"{buffer('X', 'n, T.int64(3)')}; {O}",
            nest("s", "O", "i", "O[i] + X[i, j]", "n, T.int64(3)", "T.float32(0)", "SR"),
        )
        + pointwise("mirror", "X[i] - X[n - T.int64(1) - i]", "n", X),
        "x: f32[n, 3]",
        "a = R.call_tir(cls.total, (x,), out_ty=f32[n])",
        "out = R.call_tir(cls.mirror, (a,), out_ty=f32[n])",
    ),
    "roll": program(
        pointwise("double", "X[i] * T.float32(2)", "n", X) + pointwise("roll", "X[(i + T.int64(1)) % n]", "n", X),
        "x: f32[n]",
        "a = R.call_tir(cls.double, (x,), out_ty=f32[n])",
        "out = R.call_tir(cls.roll, (a,), out_ty=f32[n])",
    ),
    "gather-shift": program(
        pointwise("pick", "X[Y[i]]", "n", f"{X}; {buffer('Y', 'n', 'int64')}")
        + pointwise("shift", "T.Select(i + T.int64(1) < n, X[i + T.int64(1)], T.float32(0))", "n", X),
        "x: f32[n]",
        "i = R.call_tir(cls.zero, (), out_ty=i64[n])",
        "a = R.call_tir(cls.pick, (x, i), out_ty=f32[n])",
        "out = R.call_tir(cls.shift, (a,), out_ty=f32[n])",
    ).replace(
        "    @R.function\n",
        kernel("zero", buffer("O", "n", "int64"), nest("z", "O", "i", "T.int64(0)", "n")) + "    @R.function\n",
        1,
    ),
    "wrap": program(
        kernel("steep", buffer("O", "n", "int64"), nest("s", "O", "i", "i * T.int64(4611686018427387904)", "n"))
        + pointwise("sign", "T.Select(X[i] < T.int64(0), T.float32(-1), T.float32(1))", "n", buffer("X", "n", "int64")),
        "x: f32[n]",
        "a = R.call_tir(cls.steep, R.tuple(), out_ty=i64[n])",
        "out = R.call_tir(cls.sign, (a,), out_ty=f32[n])",
    ),
    "rewritten-source": program(
        kernel(
            "twice",
            f"{X}; {O}",
            "\n".join(
                [
                    nest("a1", "A", "i", "X[i] + T.float32(1)", "n"),
                    nest("b1", "B", "j", "A[j] * T.float32(2)", "n").replace("i = ", "j = ").replace("li", "lj"),
                    nest("a2", "A", "k", "X[k] - T.float32(5)", "n").replace("i = ", "k = ").replace("li", "lk"),
                    nest("c1", "O", "l", "A[l] + B[l]", "n").replace("i = ", "l = ").replace("li", "ll"),
                ]
            ),
            'A = T.sblock_alloc_buffer((n,), "float32")\nB = T.sblock_alloc_buffer((n,), "float32")',
        ),
        "x: f32[n]",
        "out = R.call_tir(cls.twice, (x,), out_ty=f32[n])",
    ),
    "pad-sum": program(
        pointwise(
            "pad",
            "T.if_then_else(T.int64(1) <= i and i <= n, X[i - T.int64(1)], T.float32(7))",
            "n + T.int64(2)",
            X,
            "n + T.int64(2)",
        )
        + pointwise(
            "negate",
            "X[i] * T.float32(-1)",
            "n + T.int64(2)",
            X.replace("(n,)", "(n + T.int64(2),)") + "; n: T.int64",
            "n + T.int64(2)",
        ),
        "x: f32[n]",
        "a = R.call_tir(cls.pad, (x,), out_ty=f32[n + 2])",
        "out = R.call_tir(cls.negate, (a, n), out_ty=f32[n + 2])",
    ),
    "two-symbols": program(
        kernel(
            "grid",
            f"n: T.int64; m: T.int64; {buffer('O', 'n, m', 'int64')}",
            nest("g", "O", "i, j", "i * T.int64(10) + j", "n, m"),
        )
        + pointwise("float", 'T.Cast("float32", X[i, j])', "n, m", buffer("X", "n, m", "int64")),
        "s: R.Shape([n, m])",
        "a = R.call_tir(cls.grid, (n, m), out_ty=i64[n, m])",
        "out = R.call_tir(cls.float, (a,), out_ty=f32[n, m])",
    ),
}

MORE: dict[str, str] = {
    "diamond-open": graph("x: f32[n]", "a = R.exp(x)", "b = R.sin(a)", "out = (a, b)"),
    "minus": graph("x: f32[n], y: f32[n]", "a = R.subtract(x, y)", "out = R.exp(a)"),
    "exp-transpose": graph("x: f32[n, n]", "a = R.exp(x)", "out = R.permute_dims(a, axes=[1, 0])"),
    "two-constants": program(
        pointwise("scale", "X[i] * Y[()]", "n", f"{X}; Y: T.Buffer((), 'float32')")
        + pointwise("plus", "X[i] + Y[()]", "n", f"{X}; Y: T.Buffer((), 'float32')"),
        "x: f32[n]",
        'a = R.call_tir(cls.scale, (x, R.const(2.0, "float32")), out_ty=f32[n])',
        'out = R.call_tir(cls.plus, (a, R.const(3.0, "float32")), out_ty=f32[n])',
    ),
    "bias-square": graph("x: f32[n, n], b: f32[n]", "y = R.subtract(x, b)", "out = R.exp(y)"),
    "negate-copy": graph("x: f32[n]", "a = R.negative(x)", "out = R.abs(a)").replace("R.abs(a)", "R.maximum(a, a)"),
    "pad-negate": program(
        pointwise(
            "pad",
            "T.if_then_else(T.int64(1) <= i, X[i - T.int64(1)], T.float32(7))",
            "n + T.int64(1)",
            X,
            "n + T.int64(1)",
        )
        + pointwise("double", "X[i] + X[i]", "m", buffer("X", "m"), "m"),
        "x: f32[n]",
        "a = R.call_tir(cls.pad, (x,), out_ty=f32[n + 1])",
        "out = R.call_tir(cls.double, (a,), out_ty=f32[n + 1])",
    ),
    "unequal": program(
        pointwise("plus", "X[i] + Y[i]", "n", f"{X}; {Y}") + pointwise("double", "X[i] * T.float32(2)", "n", X),
        "x: f32[n], y: f32[m]",
        "a = R.call_tir(cls.plus, (x, y), out_ty=f32[n])",
        "out = R.call_tir(cls.double, (a,), out_ty=f32[n])",
    ),
    "halves": program(
        kernel(
            "halves",
            f"{X}; {buffer('O', 'n')}; {buffer('P', 'n')}",
            "\n".join(
                [
                    nest("a", "A", "i", "X[i] + T.float32(1)", "n"),
                    nest("o", "O", "j", "A[j]", "n").replace("i = ", "j = ").replace("li", "lj"),
                    nest("p", "P", "k", "X[k] * T.float32(2)", "n").replace("i = ", "k = ").replace("li", "lk"),
                ]
            ),
            'A = T.sblock_alloc_buffer((n,), "float32")',
        ),
        "x: f32[n]",
        "a = R.call_tir(cls.halves, (x,), out_ty=[f32[n], f32[n]])",
        "b = a[0]",
        "c = a[1]",
        "out = (b, c)",
    ),
}

MODULES: dict[str, str] = {**GRAPHS, **PROGRAMS, **MORE}
