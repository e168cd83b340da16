"""The programs of the Relax paper's figures about dispatch and fusion (arXiv 2311.02103), small enough to run.

``n`` is dynamic everywhere; the other extents are numbers or symbols of their own, pairwise distinct.
"""

from __future__ import annotations

SYMBOLS = "\n".join(f'{s} = TypeVar("{s}")' for s in ("n", "m", "g", "p"))


def module(*functions: str) -> str:
    return f"{SYMBOLS}\n@I.ir_module\nclass Module:\n" + "\n".join(functions)


def kernel(name: str, params: str, body: str) -> str:
    lines = "\n".join(f"        {line}" for line in body.strip("\n").splitlines())
    return f"""    @T.prim_func(private=True)
    def {name}({params}):
{lines}
"""


def main(params: str, body: str, result: str) -> str:
    lines = "\n".join(f"            {line}" for line in body.strip("\n").splitlines())
    return f"""    @R.function
    def main({params}):
        cls = Module
        with R.dataflow():
{lines}
            R.output({result})
        return {result}
"""


def decode(name: str, words: str, rows: str, per_word: int, bits: int, zero: int) -> str:
    """``W[k, j] = (float16(word >> shift & mask) - zero) * scale``: ``per_word`` weights of ``bits`` bits in a word."""
    mask = (1 << bits) - 1
    return kernel(
        name,
        f'D: T.Buffer(({words}, T.int64(6)), "uint32"), S: T.Buffer(({words}, T.int64(6)), "float16"), '
        f'W: T.Buffer(({rows}, T.int64(6)), "float16")',
        f"""
for k, j in T.grid({rows}, T.int64(6)):
    with T.sblock("{name}"):
        vk, vj = T.axis.remap("SS", [k, j])
        W[vk, vj] = (T.Cast("float16", T.bitwise_and(T.shift_right(D[vk // T.int64({per_word}), vj], T.Cast("uint32", vk % T.int64({per_word})) * T.uint32({bits})), T.uint32({mask}))) - T.float16({zero})) * S[vk // T.int64({per_word}), vj]
""",  # noqa: E501
    )


def mm(rows: str) -> str:
    return kernel(
        "mm",
        f'X: T.Buffer((n, {rows}), "float16"), W: T.Buffer(({rows}, T.int64(6)), "float16"), '
        'Y: T.Buffer((n, T.int64(6)), "float16")',
        f"""
for i, j, k in T.grid(n, T.int64(6), {rows}):
    with T.sblock("mm"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            Y[vi, vj] = T.float16(0)
        Y[vi, vj] = Y[vi, vj] + X[vi, vk] * W[vk, vj]
""",
    )


def quantized(bits: int, per_word: int, words: str, rows: str) -> str:
    zero = (1 << (bits - 1)) - 1
    graph = rows.replace("T.int64(", "").replace(")", "")
    short = words.replace("T.int64(", "").replace(")", "")
    return module(
        decode(f"decode_q{bits}", words, rows, per_word, bits, zero),
        mm("m" if words == "g" else rows),
        main(
            f'x: R.Tensor((n, {graph}), "float16"), d: R.Tensor(({short}, 6), "uint32"), '
            f's: R.Tensor(({short}, 6), "float16")',
            f"""
w = R.call_tir(cls.decode_q{bits}, (d, s), out_ty=R.Tensor(({graph}, 6), "float16"))
y = R.call_tir(cls.mm, (x, w), out_ty=R.Tensor((n, 6), "float16"))
""",
            "y",
        ),
    )


FIGURE_9 = {
    "q4": quantized(4, 8, "T.int64(2)", "T.int64(16)"),
    "q3": quantized(3, 10, "T.int64(2)", "T.int64(20)"),
    "q4, any number of rows": quantized(4, 8, "g", "g * T.int64(8)"),
}
"""Weights that are decoded from words of 32 bits, and a product: two loop programs that are no operators."""


def pointwise(name: str, value: str, extent: str, more: str = "") -> str:
    return kernel(
        name,
        f'A: T.Buffer(({extent},), "float32"), {more}B: T.Buffer(({extent},), "float32")',
        f"""
for i in range({extent}):
    with T.sblock("{name}"):
        vi = T.axis.spatial({extent}, i)
        B[vi] = {value}
""",
    )


FIGURE_8 = module(
    pointwise("twice", "A[vi] * T.float32(2)", "m"),
    pointwise("ramp", 'A[vi] + T.Cast("float32", vi % n)', "m", "n: T.int64, "),
    main(
        'x: R.Tensor((n, 2), "float32")',
        """
f = R.reshape(x, R.shape([n * 2]))
a = R.call_tir(cls.twice, (f,), out_ty=R.Tensor((n * 2,), "float32"))
b = R.call_tir(cls.ramp, (a, n), out_ty=R.Tensor((n * 2,), "float32"))
""",
        "b",
    ),
)
"""A group whose only tensor has ``n * 2`` elements: no parameter can say what ``n`` is."""

BOUND_INSIDE = module(
    pointwise("twice", "A[vi] * T.float32(2)", "m"),
    main(
        'x: R.Tensor((n,), "float32"), y: R.Tensor((m,), "float32")',
        """
a = R.call_tir(cls.twice, (x,), out_ty=R.Tensor((n,), "float32"))
c = R.match_cast(y, R.Tensor((p,), "float32"))
b = R.call_tir(cls.twice, (c,), out_ty=R.Tensor((p,), "float32"))
d = R.call_tir(cls.twice, (b,), out_ty=R.Tensor((p,), "float32"))
""",
        "a, d",
    ).replace("return a, d", "return (a, d)"),
)
"""A symbol that a ``match_cast`` in the middle of the block binds (section 3.2)."""

FIGURE_12 = module(
    main(
        'x: R.Tensor((1, n, 8), "float32"), g: R.Tensor((8,), "float32"), w: R.Tensor((8, 6), "float32")',
        """
a = R.nn.rms_norm(x, g, axes=[-1], epsilon=1e-05)
b = R.matmul(a, w)
c = R.nn.silu(b)
d = R.multiply(c, b)
""",
        "d",
    ),
)
"""Partial lowering: a norm and a product are a library's, what is left goes on as loops."""
