"""PrimFuncs: every construct is read to the right data, reads back after printing, and is refused where it is wrong."""

from __future__ import annotations

import textwrap

import pytest

from refrelax.errors import Malformed
from refrelax.syntax import parse, print_module
from refrelax.syntax.loops import (
    AllocBuffer,
    AssertStmt,
    AttrStmt,
    Bind,
    Break,
    BufferParam,
    BufferStore,
    DeclBuffer,
    For,
    IfThenElse,
    LaunchThread,
    PrimFunc,
    SBlock,
    ScalarParam,
    While,
)
from refrelax.syntax.scalars import Binary, BufferLoad, Cast, Literal, Ramp, SymVar, as_int, int_imm

ONE = 'A: T.Buffer((16,), "float32")'


def text(signature: str, body: str, head: str = "", flags: str = "s_tir=True") -> str:
    inside = textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 8)
    return f"{head}@I.ir_module\nclass Module:\n    @T.prim_func({flags})\n    def main({signature}):\n{inside}\n"


def read(signature: str, body: str, head: str = "") -> PrimFunc:
    module = parse(text(signature, body, head))
    assert parse(print_module(module)) == module
    found = module["main"]
    assert isinstance(found, PrimFunc)
    return found


def refused(signature: str, body: str) -> str:
    with pytest.raises(Malformed) as caught:
        parse(text(signature, body))
    return caught.value.diagnostics[0].rule


def test_a_handle_and_its_match_buffer_become_a_buffer_parameter() -> None:
    found = read(
        "a: T.handle, h: T.handle, n: T.int32",
        """
        A = T.match_buffer(a, (n, 5), "float16", strides=["s0", 1], offset_factor=8, scope="shared", align=32)
        A[n - 1, 2] = A[0, 1]
        """,
    )
    matched, free, scalar = found.params
    assert isinstance(matched, BufferParam) and isinstance(free, ScalarParam) and isinstance(scalar, ScalarParam)
    buffer = matched.buffer
    assert (buffer.name, buffer.dtype, buffer.scope, buffer.align, buffer.offset_factor) == (
        "A",
        "float16",
        "shared",
        32,
        8,
    )
    assert [v.name for v in found.symbols] == ["s0", "A_elem_offset"]


def test_quoted_extents_define_symbols_and_the_body_gives_their_dtype() -> None:
    body = "m = T.int64()\nfor i in range(m):\n    A[i] = B[i * 2]"
    found = read('A: T.Buffer(("m",), "float32"), B: T.Buffer(("m * 2",), "float32")', body)
    assert found.symbols == (SymVar("m", "int64"),)
    implicit = read('A: T.Buffer(("m",), "float32")', "T.evaluate(0)")
    assert implicit.symbols == (SymVar("m", "int32"),)


def test_a_block_with_everything() -> None:
    found = read(
        'A: T.Buffer((7, 5), "float32"), C: T.Buffer((7,), "float32")',
        """
        T.func_attr({"tirx.noalias": True, "op_pattern": 4})
        for i, k in T.grid(7, 5):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                vo = T.axis.opaque((1, 4), k % 3 + 1)
                T.where(i < 6)
                T.reads(A[vi, 0:5])
                T.writes(C[vi])
                T.sblock_attr({"k": [1, "x"]})
                B = T.sblock_alloc_buffer((5,), scope="local")
                M = T.match_buffer(A[vi, 0:5], (5,), offset_factor=1)
                with T.init():
                    C[vi] = 0.0
                C[vi] = C[vi] + M[vk] + B[vo]
        """,
    )
    assert dict(found.attrs) == {"tirx.noalias": True, "op_pattern": 4}
    (outer,) = found.body
    assert isinstance(outer, For) and isinstance(outer.body[0], For)
    (block,) = outer.body[0].body
    assert isinstance(block, SBlock)
    assert [(axis.var.name, axis.kind, as_int(axis.min), as_int(axis.extent)) for axis in block.iters] == [
        ("vi", "spatial", 0, 7),
        ("vk", "reduce", 0, 5),
        ("vo", "opaque", 1, 3),
    ]
    assert block.predicate is not None and block.init is not None
    assert block.reads is not None and [as_int(e) for _, e in block.reads[0].ranges] == [1, 5]
    assert block.allocs[0].scope == "local" and block.matches[0].buffer.name == "M"


def test_regions_may_be_left_out() -> None:
    found = read(
        ONE, 'for i in range(16):\n    with T.sblock("b"):\n        v = T.axis.spatial(16, i)\n        A[v] = 1.0'
    )
    (loop,) = found.body
    assert isinstance(loop, For) and isinstance(loop.body[0], SBlock)
    assert loop.body[0].reads is None and loop.body[0].writes is None


@pytest.mark.parametrize(
    ("head", "kind", "low", "extent"),
    [
        ("range(3)", "serial", 0, 3),
        ("range(2, 9)", "serial", 2, 7),
        ("T.serial(2, 9)", "serial", 2, 7),
        ("T.parallel(5)", "parallel", 0, 5),
        ("T.vectorized(4)", "vectorized", 0, 4),
        ("T.unroll(1, 5)", "unroll", 1, 4),
        ('T.thread_binding(8, thread="threadIdx.x")', "thread_binding", 0, 8),
        ('T.thread_binding(8, "threadIdx.x")', "thread_binding", 0, 8),
    ],
)
def test_loop_kinds(head: str, kind: str, low: int, extent: int) -> None:
    (loop,) = read(ONE, f"for i in {head}:\n    A[i] = 1.0").body
    assert isinstance(loop, For)
    assert (loop.kind, as_int(loop.min), as_int(loop.extent)) == (kind, low, extent)
    assert loop.thread == ("threadIdx.x" if kind == "thread_binding" else None)


def test_loop_bounds_take_the_wider_dtype_and_steps_stay() -> None:
    (loop,) = read(
        "n: T.int64, " + ONE, 'for i in T.serial(2, n, step=3, annotations={"k": 1}):\n    T.evaluate(i)'
    ).body
    assert isinstance(loop, For)
    assert loop.var.dtype == "int64" and loop.min == int_imm(2) and loop.step == int_imm(3)
    assert loop.extent == Binary("Sub", SymVar("n"), int_imm(2)) and loop.annotations == (("k", 1),)


def test_the_extent_of_a_printed_range_is_recovered() -> None:
    (loop,) = read(
        "n: T.int64, " + ONE, "for i in range(T.int64(1), T.int64(1) + (n - T.int64(1))):\n    T.evaluate(i)"
    ).body
    assert isinstance(loop, For) and loop.extent == Binary("Sub", SymVar("n"), int_imm(1))


def test_sibling_loops_get_names_of_their_own() -> None:
    first, second = read(ONE, "for i in range(3):\n    A[i] = 1.0\nfor i in range(5):\n    A[i] = 2.0").body
    assert isinstance(first, For) and isinstance(second, For)
    assert (first.var.name, second.var.name) == ("i", "i_1")
    assert isinstance(second.body[0], BufferStore) and second.body[0].indices == (second.var,)


def test_names_and_memory() -> None:
    found = read(
        ONE,
        """
        z: T.int32 = 5
        z = z + 1
        z += 2
        q = A[0] * 2.0
        y: T.let[T.int32] = z
        w: T.let = A[y]
        v: T.float32[4]
        L = T.alloc_local((3,), "int8")
        V = T.decl_buffer((4, 4), data=A.data)
        W = V.view(2, -1)
        A[y] = w + q + W[1, 7]
        """,
    )
    kinds = [type(s) for s in found.body]
    assert kinds == [
        AllocBuffer, BufferStore, BufferStore, AllocBuffer, Bind, Bind, AllocBuffer, AllocBuffer,
        DeclBuffer, DeclBuffer, BufferStore,
    ]  # fmt: skip
    cell = found.body[0]
    assert isinstance(cell, AllocBuffer) and cell.buffer.scalar and cell.init == Literal("int32", 5)
    view = found.body[9]
    assert isinstance(view, DeclBuffer) and [as_int(e) for e in view.buffer.shape] == [2, 8]


def test_a_plain_assignment_was_a_let_in_the_older_spelling() -> None:
    old = text(ONE, "y = A[0] + 1.0\nA[1] = y", head="from tvm.script import tir as T\n", flags="")
    found = parse(old)["main"]
    assert isinstance(found, PrimFunc) and isinstance(found.body[0], Bind) and found.s_tir


def test_control() -> None:
    (loop,) = read(
        ONE,
        """
        while A[0] < 10.0:
            if A[0] == 3.0:
                break
            elif A[1] > 4.0:
                T.continue_loop()
            else:
                A[0] = A[0] + 1.0
        """,
    ).body
    assert isinstance(loop, While)
    (branch,) = loop.body
    assert isinstance(branch, IfThenElse) and isinstance(branch.then_body[0], Break)
    assert isinstance(branch.else_body[0], IfThenElse)


def test_a_python_condition_chooses_while_reading() -> None:
    found = read(ONE, "if flag:\n    A[0] = 1.0\nelse:\n    A[size] = 2.0", head="flag = False\nsize = 3\n")
    (store,) = found.body
    assert isinstance(store, BufferStore) and as_int(store.indices[0]) == 3


def test_threads_and_attributes_reach_to_the_end_of_their_list() -> None:
    (launch,) = read(
        ONE,
        """
        bx = T.env_thread("blockIdx.x")
        T.launch_thread(bx, 4)
        with T.launch_thread("threadIdx.x", 4) as tx:
            T.attr({"pragma_x": 1, "pragma_y": 2})
            A[bx * 4 + tx] = 1.0
        A[0] = 2.0
        """,
    ).body
    assert isinstance(launch, LaunchThread) and launch.thread == "blockIdx.x" and len(launch.body) == 2
    inner = launch.body[0]
    assert isinstance(inner, LaunchThread) and isinstance(inner.body[0], AttrStmt)
    assert inner.body[0].key == "pragma_x" and isinstance(inner.body[0].body[0], AttrStmt)


def test_both_forms_of_assert() -> None:
    plain, full = read(ONE, 'assert A[0] > 0.0, "no"\nassert A[0] > 0.0, ("ValueError", ["a", "b"])').body
    assert isinstance(plain, AssertStmt) and isinstance(full, AssertStmt)
    assert (plain.kind, plain.message) == ("RuntimeError", ("no",))
    assert (full.kind, full.message) == ("ValueError", ("a", "b"))


def test_vectors() -> None:
    found = read(
        'A: T.Buffer((16,), "float32"), D: T.Buffer((), "float32"), E: T.Buffer((0,), "float32")',
        """
        A[0:4] = A[T.Ramp(4, 1, 4)] + T.Broadcast(T.float32(2), 4)
        A[0:8:2] = A[8:16:2]
        A[5:6] = A[3]
        D[()] = A[3]
        A.vstore([T.Ramp(0, 1, 4)], A.vload([T.Ramp(0, 1, 4)]), predicate=T.Broadcast(T.bool(True), 4))
        """,
    )
    first, second, one, scalar, masked = found.body
    assert isinstance(first, BufferStore) and first.indices == (Ramp(int_imm(0, "int32"), int_imm(1, "int32"), 4),)
    assert first.value.dtype == "float32x4"
    assert isinstance(second, BufferStore) and second.indices == (Ramp(int_imm(0, "int32"), int_imm(2, "int32"), 4),)
    assert isinstance(one, BufferStore) and one.indices == (int_imm(5, "int32"),)
    assert isinstance(scalar, BufferStore) and scalar.indices == () and isinstance(scalar.value, BufferLoad)
    assert isinstance(masked, BufferStore) and masked.predicate is not None


def test_a_stored_value_is_cast_to_the_elements() -> None:
    (store,) = read('A: T.Buffer((16,), "int8"), B: T.Buffer((16,), "float32")', "A[0] = B[1]").body
    assert isinstance(store, BufferStore) and isinstance(store.value, Cast) and store.value.dtype == "int8"


def test_root_allocations_are_the_same_with_and_without_the_root_block() -> None:
    inner = 'for i in range(16):\n    with T.sblock("x"):\n        vi = T.axis.S(16, i)\n        B[vi] = A[vi]'
    flat = read(ONE, "B = T.sblock_alloc_buffer((16,))\n" + inner)
    body = textwrap.indent("B = T.sblock_alloc_buffer((16,))\n" + inner, "    ")
    rooted = read(ONE, 'with T.sblock("root"):\n    T.reads()\n    T.writes()\n' + body)
    assert flat == rooted and flat.root_allocs[0].name == "B"


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("A[0, 1] = 1.0", "syn/index-count"),
        ("A[1.5] = 1.0", "syn/index-dtype"),
        ("A[0] = A[T.Ramp(0, 1, 4)]", "syn/store-lanes"),
        ("A[0:n] = 1.0", "syn/undefined-name"),
        ("for i in [1, 2]:\n    A[i] = 1.0", "syn/loop-form"),
        ("for i, j in T.grid(2):\n    A[i] = 1.0", "syn/loop-form"),
        ("for i in T.thread_binding(4):\n    A[i] = 1.0", "syn/loop-form"),
        ("T.reads(A[0])", "syn/block-declaration"),
        ('with T.sblock("b"):\n    T.reads(A[0])\n    T.reads(A[1])\n    A[0] = 1.0', "syn/block-duplicate"),
        ('with T.sblock("b"):\n    T.reads(3)\n    A[0] = 1.0', "syn/region"),
        ('with T.sblock("b"):\n    v = T.axis.remap("S", [A])\n    A[0] = 1.0', "syn/axis-remap"),
        (
            'for i in range(4):\n    with T.sblock("b"):\n        v = T.axis.remap("Q", [i])\n        A[v] = 1.0',
            "syn/axis-remap",
        ),
        ('with T.sblock("b"):\n    v = T.axis.spatial((1, 2, 3), 1)\n    A[v] = 1.0', "syn/axis-domain"),
        ("B = T.alloc_buffer((-1,))", "syn/buffer-shape"),
        ("B = T.alloc_buffer((4, 4), strides=1)", "syn/buffer-strides"),
        ('B = A.view("int7")', "syn/view-shape"),
        ("B = T.match_buffer(3, (4,))", "syn/block-declaration"),
        ("y: T.let[T.int32] = A[0]", "syn/let-dtype"),
        ("y: T.handle = A.data", "syn/annotation"),
        ("T.launch_thread(3, 4)\nA[0] = 1.0", "syn/thread"),
        ("with A:\n    A[0] = 1.0", "syn/with-form"),
        ("import os", "syn/unknown-statement"),
        ("A[0] = B = 1.0", "syn/assignment-target"),
        ("f(1)[0] = 1.0", "syn/unknown-intrinsic"),
        ("assert A[0] > 0.0, 3", "syn/assert-message"),
        ('T.func_attr({"a": 1})\nT.func_attr({"a": 2})', "syn/function-attributes"),
        ("A[0] = T.call_extern(A[0])", "syn/unknown-dtype"),
    ],
)
def test_refuses(body: str, rule: str) -> None:
    assert refused(ONE, body) == rule


@pytest.mark.parametrize(
    ("signature", "rule"),
    [("A", "syn/parameter"), ("A: T.Buffer((4,)), *rest: T.int32", "syn/parameter"), ("A: R.Tensor", "syn/annotation")],
)
def test_refuses_signatures(signature: str, rule: str) -> None:
    assert refused(signature, "T.evaluate(0)") == rule


def test_a_declared_symbol_keeps_the_dtype_of_the_signature() -> None:
    assert refused('m: T.int64, A: T.Buffer(("m",), "float32")', "m = T.int32()") == "syn/symbol-dtype"


def test_unknown_decorator_flags_are_refused() -> None:
    with pytest.raises(Malformed) as caught:
        parse(text(ONE, "T.evaluate(0)", flags="fast=True"))
    assert caught.value.diagnostics[0].rule == "syn/prim-func-flag"


def test_deep_nesting_is_refused_with_its_place() -> None:
    body = (
        "".join("    " * k + "if A[0] > 0.0:\n" for k in range(90))
        + "    " * 90
        + "A[0] = "
        + "(" * 60
        + "1.0"
        + ")" * 60
    )
    read(ONE, body)
    deep = "A[0] = " + "T.exp(" * 400 + "A[0]" + ")" * 400
    try:
        assert refused(ONE, deep) == "syn/too-deep"
    except MemoryError:  # CPython's own parser gives up first
        pytest.skip("the parser of this Python refuses the text")
