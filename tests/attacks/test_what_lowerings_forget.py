"""Lowered programs that did something else than the source, were refused, or came to no end."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.judge.outcomes import Reference, copies
from refrelax.lower.pipeline import lower
from refrelax.semantics.budget import Budget

V = 'R.Tensor((4,), "float32")'
X, Y = [1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]

PART = """
    @T.prim_func(private=True)
    def part(A: T.Buffer((4, 4), "float32"), O: T.Buffer((4,), "float32")):
        T.func_attr({"tirx.noalias": True})
        B = T.sblock_alloc_buffer((4,), "float32")
        for i, k in T.grid(4, 4):
            with T.sblock("sum"):
                v, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[v] = T.float32(0)
                B[v] = B[v] + A[v, vk]
        for i in range(2):
            with T.sblock("epilogue"):
                v = T.axis.spatial(2, i)
                O[v] = B[v] + T.float32(1)
"""

CHAIN = """
    @T.prim_func(private=True)
    def bump(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            B[i] = A[i] + T.float32(1)

    @R.function(private=True)
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        R.func_attr({"Primitive": True})
        with R.dataflow():
            a = R.call_tir(Module.bump, (x,), out_ty=R.Tensor((n,), "float32"))
            b = R.call_tir(Module.bump, (a,), out_ty=R.Tensor((n,), "float32"))
            R.output(b)
        return b
"""
CHAIN_WITH_SHAPE = CHAIN.replace("main", "chain").replace('"float32"))', '"float32"), s: R.Shape(["m"]))', 1)

SQUARE = """
    @T.prim_func(private=True)
    def square(A: T.Buffer((4,), "float32"), B: T.Buffer((2, 2), "float32")):
        for i, j in T.grid(2, 2):
            B[i, j] = A[i * 2 + j]
"""
ROWS = """
    @T.prim_func(private=True)
    def rows(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n * 2,), "float32")
        B = T.match_buffer(b, (n, 2), "float32")
        for i, j in T.grid(n, 2):
            B[i, j] = A[i * 2 + j]
"""

BUMP = """
    @T.prim_func(private=True)
    def bump(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + T.float32(1)
"""


def stored(size: str = "16", device: str = "0", header: str = f"x: {V}", first: str = "z = x") -> str:
    """A program with two storages, and something to record."""
    return (
        BUMP
        + f"""
    @R.function
    def main({header}):
        R.func_attr({{"relax.force_pure": True}})
        cls = Module
        {first}
        s = R.memory.alloc_storage(R.shape([{size}]), {device}, "global", "float32")
        a = R.memory.alloc_tensor(s, 0, R.shape([4]), "float32")
        _ = cls.bump(z, a)
        u = R.memory.alloc_storage(R.shape([16]), 0, "global", "float32")
        b = R.memory.alloc_tensor(u, 0, R.shape([4]), "float32")
        _1 = cls.bump(a, b)
        out = R.builtin.alloc_tensor(R.shape([4]), "float32", 0, "global")
        _2 = cls.bump(b, out)
        return out
"""
    )


STEEP = "4611686018427387904"


def through(dtype: str, made: str, used: str) -> str:
    """A loop program that makes an intermediate, and uses it."""
    return f"""
    @T.prim_func(private=True)
    def f(A: T.Buffer((4,), "float32"), O: T.Buffer((4,), "float32")):
        T.func_attr({{"tirx.noalias": True}})
        B = T.sblock_alloc_buffer((4,), "{dtype}")
        for i in range(4):
            B[i] = {made}
        for i in range(4):
            O[i] = {used}

    @R.function
    def main(x: {V}):
        return R.call_tir(Module.f, (x,), out_ty={V})
"""


WRAPPED = {
    "a product of int32": ("int32", "T.Cast('int32', i) * T.int32(1073741824)", "B[i] < T.int32(0)"),
    "a sum of int8": ("int8", "T.Cast('int8', i) * T.int8(64)", "B[i] < T.int8(0)"),
    "a difference of uint8": ("uint8", "T.Cast('uint8', i) - T.uint8(2)", "B[i] < T.uint8(100)"),
    "an absolute value": ("int8", "T.abs(T.Cast('int8', i - 128))", "B[i] < T.int8(1)"),
    "a product behind an element": ("int64", "i", f"B[i] * {STEEP} * 2 < 1"),
    "a sum behind constants": ("int8", "T.int8(100)", "B[i] + B[3 - i] < T.int8(1)"),
    "a shift behind an element": ("int64", "i", "T.shift_left(T.int64(1), B[i] * 32) < 1"),
    "a truth as a number": ("bool", "i < 2", "T.Cast('int8', B[i]) * T.int8(-128) - T.int8(1) < T.int8(1)"),
    "a comparison beside an element": (
        "float32", "A[i] + T.float32(1)", f"T.And((i * {STEEP} * 4) // {STEEP} < 5, B[i] < T.float32(10))"
    ),
    "a comparison of int8 beside an element": (
        "float32",
        "A[i] + T.float32(1)",
        "T.And(T.Cast('int8', i) * T.int8(64) * T.int8(4) // T.int8(64) < T.int8(5), B[i] < T.float32(10))",
    ),
}  # fmt: skip

PROGRAMS: dict[str, tuple[str, tuple[str, ...], list[Any]]] = {
    "an epilogue that leaves elements of the output as they are": (
        PART
        + f"""
    @R.function
    def main(x: R.Tensor((4, 4), "float32"), y: {V}):
        return R.call_tir_inplace(Module.part, (x, y), inplace_indices=[1], out_ty={V})
""",
        ("fuse_loops",),
        [[X] * 4, Y],
    ),
    "a shape that a fused function is given by name": (
        CHAIN_WITH_SHAPE
        + """
    @R.function
    def main(x: R.Tensor(("n",), "float32"), s: R.Shape(["m"])):
        return Module.chain(x, s)
""",
        ("fuse_loops",),
        [X, (3,)],
    ),
    "a fused function that others call": (
        CHAIN.replace("(private=True)\n    def main", "\n    def main"),
        ("fuse_loops",),
        [X],
    ),
    "a symbol that stands twice in a shape": (
        CHAIN_WITH_SHAPE.replace('"m"', '"m", "m"')
        + """
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        return Module.chain(x, R.shape([n, n + 1]))
""",
        ("fuse_loops",),
        [X],
    ),
    **{
        f"a reshape {of} that is given {len(given)} elements": (
            kernel
            + f"""
    @R.function
    def main(x: R.Tensor(ndim=1, dtype="float32")):
        return R.call_tir(Module.{name}, (x,), out_ty=R.Tensor((2, 2), "float32"))
""",
            ("to_destinations",),
            [given],
        )
        for name, of, kernel in (("square", "of four", SQUARE), ("rows", "of rows", ROWS))
        for given in (X, [*X, 5.0, 6.0], X[:2])
    },
    "a copy to a part of what is larger": (
        SQUARE.replace("T.Buffer((2, 2)", "T.Buffer((3, 2)")
        + f"""
    @R.function
    def main(x: {V}):
        y = R.call_tir(Module.square, (x,), out_ty=R.Tensor((3, 2), "float32"))
        return R.take(y, R.const([0, 1], "int64"), axis=0)
""",
        ("to_destinations",),
        [X],
    ),
    "a result under a name of which less is said": (
        CHAIN.replace("main", "chain")
        + f"""
    @R.function
    def main(x: {V}):
        y: R.Any = R.call_tir(Module.bump, (x,), out_ty={V})
        return y
""",
        ("to_destinations",),
        [X],
    ),
    "a copy of a part": (
        SQUARE.replace("T.Buffer((4,)", "T.Buffer((8,)")
        + """
    @R.function
    def main(x: R.Tensor((8,), "float32")):
        return R.call_tir(Module.square, (x,), out_ty=R.Tensor((2, 2), "float32"))
""",
        ("to_destinations",),
        [[*X, *Y]],
    ),
    "a symbol of a cast that a local function repeats": (
        """
    @R.function
    def main(x: R.Tensor(ndim=1, dtype="float32")):
        m = T.int64()
        with R.dataflow():
            z = R.match_cast(x, R.Tensor((m,), "float32"))
            w = R.full(R.shape([m]), R.const(1, "float32"), dtype="float32")
            R.output(w)

        @R.function
        def inner(q: R.Tensor((m,), "float32")) -> R.Tensor((m,), "float32"):
            return R.add(q, q)

        return inner(w)
""",
        ("dead_code",),
        [X],
    ),
    "a symbol of a cast that the type of a given function repeats": (
        """
    @R.function(private=True)
    def filled(
        f: R.Callable((R.Tensor(("m",), "float32"),), R.Tensor(("m",), "float32"), True),
        x: R.Tensor(ndim=1, dtype="float32"),
    ) -> R.Tensor(ndim=1, dtype="float32"):
        m = T.int64()
        with R.dataflow():
            z = R.match_cast(x, R.Tensor((m,), "float32"))
            w = R.full(R.shape([m]), R.const(1, "float32"), dtype="float32")
            R.output(w)
        return f(w)

    @R.function
    def main(x: R.Tensor(ndim=1, dtype="float32")):
        @R.function
        def twice(y: R.Tensor(("k",), "float32")) -> R.Tensor(("k",), "float32"):
            return R.add(y, y)

        return Module.filled(twice, x)
""",
        ("dead_code",),
        [X],
    ),
    "a storage on a device that is an argument": (
        stored(device="k", header=f"x: {V}, k: T.int64"),
        ("capture",),
        [X, 0],
    ),
    "a storage without a size behind a cast that fails": (
        stored(size="-16", header='x: R.Tensor(ndim=1, dtype="float32")', first=f"z = R.match_cast(x, {V})"),
        ("capture",),
        [[*X, 5.0]],
    ),
    **{
        f"{name}, chosen by {choice}": (
            through(dtype, made, f"T.{choice}({condition}, A[i], T.float32(-1))"),
            ("fuse_loops",),
            [X],
        )
        for name, (dtype, made, condition) in WRAPPED.items()
        for choice in ("if_then_else", "Select")
        if (name, choice) != ("a shift behind an element", "if_then_else")  # (poison decides: open)
    },
    "an index of int32 that is multiplied out": (
        """
    @T.prim_func(private=True)
    def f(A: T.Buffer((4,), "float32"), O: T.Buffer((4, 4), "float32")):
        T.func_attr({"tirx.noalias": True})
        B = T.sblock_alloc_buffer((4,), "float32")
        for k in range(4):
            B[k] = A[3 - k]
        for i, j in T.grid(T.int32(4), T.int32(4)):
            O[i, j] = T.if_then_else(i == j, B[(i - j) * T.int32(1073741824) + i], T.float32(0))

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        return R.call_tir(Module.f, (x,), out_ty=R.Tensor((4, 4), "float32"))
""",
        ("fuse_loops",),
        [X],
    ),
    "outputs whose extents a check compares": (
        """
    @T.prim_func(private=True)
    def two(a: T.handle, b: T.handle, c: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (m,), "float32")
        C = T.match_buffer(c, (m,), "float32")
        for i in range(m):
            B[i] = A[0]
        for i in range(m):
            C[i] = A[0] + T.float32(1)

    @R.function
    def main(x: R.Tensor(ndim=1, dtype="float32"), y: R.Tensor(("p",), "float32"), z: R.Tensor(("q",), "float32")):
        p, q = T.int64(), T.int64()
        with R.dataflow():
            t = R.call_tir(Module.two, (x,), out_ty=[R.Tensor((p,), "float32"), R.Tensor((q,), "float32")])
            a = t[0]
            b = t[1]
            R.output(a, b)
        return (a, b)
""",
        ("fuse_ops",),
        [X, X, [*X, *Y]],
    ),
    "a fused function that stores into one of two names for its argument": (
        """
    @T.prim_func(private=True)
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            C[i] = A[i] + B[i]

    @T.prim_func(private=True)
    def spoil(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = T.float32(3)
        for i in range(4):
            A[i] = T.float32(100)

    @R.function(private=True)
    def chain(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"Primitive": True})
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.add, (x, x), out_ty=R.Tensor((4,), "float32"))
            b = R.call_tir(cls.spoil, (y,), out_ty=R.Tensor((4,), "float32"))
            d = R.call_tir(cls.add, (b, a), out_ty=R.Tensor((4,), "float32"))
            R.output(d)
        return d

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        return Module.chain(x, x)
""",
        ("fuse_loops",),
        [X],
    ),
    "a fused function that calls in place what stores nothing": (
        BUMP
        + f"""
    @T.prim_func(private=True)
    def nothing(A: T.Buffer((4,), "float32")):
        T.evaluate(0)

    @R.function(private=True)
    def chain(x: {V}) -> {V}:
        R.func_attr({{"Primitive": True}})
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.bump, (x,), out_ty={V})
            b = R.call_tir_inplace(cls.nothing, (a,), inplace_indices=[0], out_ty={V})
            R.output(b)
        return b

    @R.function
    def main(x: {V}):
        return Module.chain(x)
""",
        ("fuse_loops",),
        [X],
    ),
    "a truth that is computed from what wraps": (
        through("float32", "A[i] + T.float32(1)", f"B[i] + T.Cast('float32', (i * {STEEP} * 4) // {STEEP} < 5)"),
        ("fuse_loops",),
        [X],
    ),
    "an unused call of a pure function that prints": (
        f"""
    @R.function(private=True)
    def says(x: {V}) -> {V}:
        R.func_attr({{"relax.force_pure": True}})
        _ = R.print(x, format="{{}}")
        return x

    @R.function(private=True)
    def asks(x: {V}) -> {V}:
        return Module.says(x)

    @R.function
    def main(x: {V}):
        with R.dataflow():
            a = Module.asks(x)
            b = R.add(x, x)
            R.output(b)
        return b
""",
        ("dead_code",),
        [X],
    ),
    "an unused call of a local function that asks one that prints": (
        f"""
    @R.function(private=True)
    def says(x: {V}) -> {V}:
        R.func_attr({{"relax.force_pure": True}})
        _ = R.print(x, format="{{}}")
        return x

    @R.function
    def main(x: {V}):
        @R.function
        def asks(y: {V}) -> {V}:
            return Module.says(y)

        with R.dataflow():
            a = asks(x)
            b = R.add(x, x)
            R.output(b)
        return b
""",
        ("dead_code",),
        [X],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_lowered_program_does_what_the_source_does(name: str) -> None:
    text, passes, args = PROGRAMS[name]
    checked = rr.check(rr.parse(f"@I.ir_module\nclass Module:\n{text}"))
    lowered = lower(checked, passes=passes).module
    reference = Reference(checked, "main", args, {}, Budget())
    assert not reference.open
    assert reference.judge(rr.run(lowered, "main", *copies(args))) == "equal"
