# ruff: noqa: E501 (a function head is one line)
"""The exact text of small pieces, as TVM 0.27 prints them."""

from __future__ import annotations

import pytest

from refrelax.syntax import bits, parse, print_module
from refrelax.syntax import scalars as s
from refrelax.syntax import types as ty
from refrelax.syntax.graph import Constant
from refrelax.syntax.write.expressions import expr_text
from refrelax.syntax.write.scalars import Style, expression

n, m = s.SymVar("n"), s.SymVar("m")
i, j = s.SymVar("i", "int32"), s.SymVar("j", "int32")
two = s.int_imm(2)
LOOPS = Style("int32")


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (ty.AnyType(), "R.Any"),
        (ty.PrimType("int64"), "T.int64"),
        (ty.ShapeType((n, two), 2), "R.Shape([n, 2])"),
        (ty.ShapeType(None, -1), "R.Shape(ndim=-1)"),
        (ty.TensorType(), "R.Tensor"),
        (ty.tensor_of((), "float32"), 'R.Tensor((), dtype="float32")'),
        (ty.tensor_of((n,), None), "R.Tensor((n,))"),
        (ty.TensorType(None, "int8", 3, "cuda:0:global"), 'R.Tensor(dtype="int8", ndim=3, vdevice="cuda:0:global")'),
        (ty.TensorType("s", "int8", 2), 'R.Tensor(s, dtype="int8", ndim=2)'),
        (ty.VOID, "R.Tuple"),
        (ty.TupleType((ty.AnyType(), ty.VOID)), "R.Tuple(R.Any, R.Tuple)"),
        (ty.FuncType((ty.AnyType(),), ty.AnyType(), False), "R.Callable((R.Any,), R.Any, False)"),
        (ty.FuncType(None, ty.AnyType(), False), "R.Callable"),
        (ty.FuncType(None, ty.VOID, True), "R.Callable(ret=R.Tuple, purity=True)"),
        (
            ty.DTensorType(ty.tensor_of((two,), "float32"), "mesh[0]", "S[0]"),
            'R.DTensor((2,), "float32", "mesh[0]", "S[0]")',
        ),
    ],
)
def test_types(node: ty.Type, text: str) -> None:
    assert str(node) == text


def op(name: s.BinaryOp, a: s.PrimExpr, b: s.PrimExpr) -> s.Binary:
    return s.Binary(name, a, b)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (op("Mul", op("Add", n, m), two), "(n + m) * 2"),
        (op("Add", n, op("Mul", m, two)), "n + m * 2"),
        (op("Sub", n, op("Sub", m, two)), "n - (m - 2)"),
        (op("Sub", op("Sub", n, m), two), "n - m - 2"),
        (op("FloorMod", op("FloorDiv", n, m), two), "n // m % 2"),
        (op("Add", n, s.int_imm(0)), "T.Add(n, T.int64(0))"),
        (op("Mul", two, two), "T.Mul(T.int64(2), T.int64(2))"),
        (op("Mod", n, m), "T.truncmod(n, m)"),
        (op("Div", n, m), "T.Div(n, m)"),
        (op("Max", n, s.int_imm(-1)), "T.max(n, -1)"),
        (op("Min", n, n), "T.Min(n, n)"),
        (op("EQ", op("LT", n, m), op("LT", m, n)), "(n < m) == (m < n)"),
        (op("And", op("LT", n, m), op("Or", op("LT", m, n), op("EQ", n, m))), "n < m and (m < n or n == m)"),
        (s.Not(op("LT", n, m)), "not n < m"),
        (s.Not(s.bool_imm(True)), "T.Not(True)"),
        (s.int_imm(3, "int32"), "T.int32(3)"),
        (s.Cast("float32", n), 'T.Cast("float32", n)'),
        (s.Let(m, two, op("Add", m, n)), "T.Let(m + n, where={m: 2})"),
    ],
)
def test_graph_level_scalars(node: s.PrimExpr, text: str) -> None:
    assert expression(node) == text


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (s.int_imm(3), "T.int64(3)"),
        (s.int_imm(3, "int32"), "3"),
        (s.bool_imm(False), "T.bool(False)"),
        (bits.literal("float32", 1), "T.float32(1.0)"),
        (bits.literal("float32", -0.0), "T.float32(-0.0)"),
        (bits.literal("float64", 0.1), "T.float64(0.10000000000000001)"),
        (bits.literal("float16", float("-inf")), 'T.float16("-inf")'),
        (bits.literal("bfloat16", float("nan")), 'T.bfloat16("nan")'),
        (s.BufferLoad("A", (i, j), "float32"), "A[i, j]"),
        (s.BufferLoad("A", (), "float32"), "A[()]"),
        (s.BufferLoad("A", (s.Ramp(i, s.int_imm(1, "int32"), 4),), "float32x4"), "A[T.Ramp(i, 1, 4)]"),
        (s.Intrinsic("call_extern", (s.StringImm('a"\n\\'), i), "int32"), r'T.call_extern("int32", "a\"\n\\", i)'),
        (s.Intrinsic("cls.g", (i,), "int32"), "Module.g(i)"),
        (s.BufferRef("A"), "A.data"),
    ],
)
def test_loop_level_scalars(node: s.PrimExpr, text: str) -> None:
    assert expression(node, LOOPS) == text


def test_every_narrow_float_is_read_back_bit_for_bit() -> None:
    for dtype in ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"):
        shown = {k: expression(s.Literal(dtype, k), LOOPS) for k in range(0, 1 << bits.FORMATS[dtype].width, 7)}
        for pattern, text in shown.items():
            inside = text[len(f"T.{dtype}(") : -1].strip('"')
            if inside != "nan":
                assert bits.encode(dtype, float(inside)) == pattern


MODULE = """\
# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    I.module_attrs({"version": 3})
    @T.prim_func(private=True, s_tir=True)
    def kernel(A: T.Buffer((n, T.int64(4)), "float32"), B: T.Buffer(("k", "n * T.int64(2)"), "int8"), p: T.int32):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        k = T.int32()
        # with T.sblock("root"):
        C = T.sblock_alloc_buffer((n, T.int64(4)))
        z: T.int32 = p + 1
        z = z * 2
        y: T.let[T.int32] = z
        for i, j in T.grid(n, T.int64(4)):
            with T.sblock("copy"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.where(i < T.int64(3))
                T.reads(A[vi, T.int64(0):T.int64(4)])
                T.writes(C[vi, vj])
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + T.exp(A[vi, vj])
        for i_1 in range(2, 8):
            for t in T.thread_binding(4, thread="threadIdx.x"):
                for u in T.serial(4, annotations={"pragma": 1}):
                    with T.sblock("one"):
                        va = T.axis.spatial((2, 8), i_1)
                        vb = T.axis.reduce(16, t * 4 + u)
                        T.reads()
                        T.writes(B[va, vb])
                        B[va, vb] = T.int8(0)
        while z < 10:
            z = z + 1
            if z == 7:
                break
            else:
                T.evaluate(y)
        assert p > 0, ("ValueError", ["positive"])

    helper = R.ExternFunc("lib.helper")
    @R.function(pure=False, private=True)
    def aside(x: R.Tensor((n, m), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((n, m), dtype="float32"):
        if c:
            a: R.Tensor((n, m), dtype="float32") = R.add(x, x)
            r: R.Tensor((n, m), dtype="float32") = a
        else:
            r: R.Tensor((n, m), dtype="float32") = x
        R.print(r, format=R.str("{}"))
        return r

    @R.function
    def main(x: R.Tensor(("n * 2", n), dtype="float32"), p: T.int64, w: R.Tensor((p, p + 1), dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        R.func_attr({"num_input": 1})
        cls = Module
        k = T.int64()
        q: T.int64 = p + n
        l = TypeVar("l")
        @R.function
        def inner(v: R.Tensor((l, "l * n"), dtype="float32")) -> R.Tensor((l, "l * n"), dtype="float32"):
            return v

        with R.dataflow():
            lv = R.call_tir(cls.kernel, (x, p), out_ty=R.Tensor((n, 4), dtype="float32"))
            lv1: R.Tensor(dtype="float32", ndim=1) = R.sum(lv, axis=[1], keepdims=False)
            gv: R.Tensor((k,), dtype="float32") = R.match_cast(lv1, R.Tensor((k,), dtype="float32"))
            R.output(gv)
        c: R.Tensor((2,), dtype="float32") = metadata["ir.GenericConst"][0]
        pair: R.Tuple(R.Tensor((), dtype="float32"), R.Shape([k, 4])) = R.const("nan", "float32"), R.shape([k, 4])
        return gv

# Metadata omitted. Use show_meta=True in script() method to show it.
"""


def test_a_module_in_canonical_spelling_is_printed_as_it_stands() -> None:
    assert print_module(parse(MODULE)) == MODULE


def test_an_anonymous_statement_whose_variable_is_used_keeps_its_name() -> None:
    bare = 'R.print(r, format=R.str("{}"))\n        return '
    text = MODULE.replace(f"{bare}r", f"_: R.Tuple = {bare}_")
    assert text != MODULE
    assert print_module(parse(text)) == text


@pytest.mark.parametrize(("shape", "text"), [((0,), "[]"), ((2, 0), "[[], []]"), ((1, 2, 0), "[[[], []]]")])
def test_a_constant_without_elements_keeps_its_shape(shape: tuple[int, ...], text: str) -> None:
    assert expr_text(Constant("float32", shape, ())) == f'R.const({text}, "float32")'


CLASH = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def g(x: T.Buffer((n, "n * T.int64(2)"), "float32", scope="shared"), k: T.int64, y: T.Buffer((4,), "float32")):
        x[0, 0] = y[3] + T.Cast("float32", n + k)

    @R.function
    def h(x: R.Tensor((n,), "float32"), y: R.Tensor(("n * 2",), "float32")) -> R.Tensor((n,), "float32"):
        z: R.Tensor((n,), dtype="float32") = R.add(x, x)
        return z

    @R.function
    def main(x: R.Tensor(ndim=1, dtype="float32")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        y: R.Tensor((n,), dtype="float32") = R.match_cast(x, R.Tensor((n,), dtype="float32"))
        return y
"""


def test_a_symbol_that_a_body_declares_is_no_type_var() -> None:
    module = parse(CLASH)
    text = print_module(module)
    assert "TypeVar" not in text
    assert "def g(x_handle: T.handle, k: T.int64, y: T.Buffer" in text
    assert 'def h(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n * 2",), dtype="float32"))' in text
    assert parse(text) == module
