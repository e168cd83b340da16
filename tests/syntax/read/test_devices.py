"""Device intrinsics, scalable vectors, typed pointers, calls with a known result: read, printed, given a dtype."""

from __future__ import annotations

import pytest

from refrelax.errors import Malformed
from refrelax.syntax import parse, print_module
from refrelax.syntax.loops import Bind, BufferStore, Evaluate, PrimFunc
from refrelax.syntax.scalars import Intrinsic, Ramp

HEAD = """
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add(a: T.int32, b: T.int32) -> T.int32:
        return a + b

    @T.prim_func(s_tir=True)
    def main(h: T.handle("float32", "shared"), A: T.Buffer((8, 16), "float16"), B: T.Buffer((40,), "float32")):
"""


def body(*lines: str) -> PrimFunc:
    module = parse(HEAD + "".join(f"        {line}\n" for line in lines))
    again = parse(print_module(module))
    assert again == module, print_module(module)
    found = module.functions["main"]
    assert isinstance(found, PrimFunc)
    return found


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ('T.ptx.cp(0, "async", "wait_group", "")', "void"),
        ('T.ptx_legacy.ldmatrix(T.bool(True), 4, ".b16", A.data, 3, A.access_ptr("r"), 16)', "void"),
        ("T.cuda.mma_fill_legacy(8, A.data, 0)", "void"),
        ('T.cuda.mma_fill("float16", 8, A.data, 0)', "float16"),
        ("T.cuda.ballot_sync(T.uint32(7), T.bool(True))", "uint32"),
        ("T.metal.simd_shuffle(B[1], 3)", "float32"),
        ("T.cuda.__shfl_sync(T.uint32(7), B[1], 3, 32)", "float32"),
        ('T.cuda.func_call("f", B[1], source_code="a\\nb", return_type="int8")', "int8"),
        ('T.cuda.func_call("f", B[1], source_code="a\\"b")', "void"),
        ('T.call_ffi_kernel("k", A.data, 8, launch_params=["threadIdx.x"], ret_ty="int64")', "int64"),
        ("T.cta.copy_async(A[0:4, 0:16], A[4:8, 0:16])", "void"),
        ("T.tvm_static_handle()", "handle"),
        ("Module.add(3, 4)", "int32"),
        ('T.call_extern(T.handle("int32", "global").ty, "f")', "handle(int32,global)"),
        ('T.call_extern(T.handle().ty, "f")', "handle"),
    ],
)
def test_dtype(text: str, dtype: str) -> None:
    (statement,) = body(text).body
    assert isinstance(statement, Evaluate)
    assert statement.value.dtype == dtype


def test_packed_call_has_the_dtype_of_its_variable() -> None:
    (pointer, number) = body(
        'p: T.let[T.handle("float32", "global")] = T.call_packed("f", A.data)',
        'n: T.let[T.int64] = T.call_packed("g", p)',
    ).body
    assert isinstance(pointer, Bind)
    assert isinstance(number, Bind)
    assert pointer.value.dtype == "handle(float32,global)"
    assert number.value.dtype == "int64"


def test_scalable_vectors() -> None:
    (first, second) = body(
        "B[0:T.vscale() * 4] = T.Broadcast(T.float32(3.0), T.vscale() * 4) * B[T.Ramp(0, 1, T.vscale() * 4)]",
        'm: T.let = T.get_active_lane_mask("uint1xvscalex4", 0, 16)',
    ).body
    assert isinstance(first, BufferStore)
    assert isinstance(second, Bind)
    assert first.value.dtype == "float32xvscalex4"
    assert isinstance(first.indices[0], Ramp)
    assert first.indices[0].lanes == -4
    assert second.var.dtype == "uint1xvscalex4"


def test_scope_ids() -> None:
    x, y, t = body("x, y = T.cta_id([2, 3])", 't = T.lane_id([32], dtype="uint32")').body
    values = [each.value for each in (x, y, t) if isinstance(each, Bind)]
    assert [v.dtype for v in values] == ["int32", "int32", "uint32"]
    assert [dict(v.attrs).get("axis") for v in values if isinstance(v, Intrinsic)] == [0, 1, None]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("T.ptx.frobnicate()", "syn/unknown-intrinsic"),
        ("T.metal.simd_shuffle()", "syn/argument-count"),
        ('T.cuda.func_call("f", sauce="x")', "syn/unknown-keyword"),
        ('T.cuda.func_call("f", source_code=B[1])', "syn/constant-expression"),
        ("B[T.Ramp(0, 1, -4)] = B[0:4]", "syn/lane-count"),
        ("B[0:T.vscale() * 0] = T.Broadcast(T.float32(3.0), 4)", "syn/slice-extent"),
        ("x, y = T.cta_id([2, 3, 4])", "syn/scope-id"),
        ('p: T.let[T.handle("nothing")] = A.data', "syn/unknown-dtype"),
        ("p: T.let[T.handle(3)] = A.data", "syn/unknown-dtype"),
    ],
)
def test_refused(text: str, rule: str) -> None:
    with pytest.raises(Malformed) as stop:
        body(text)
    assert stop.value.diagnostics[0].rule == rule


@pytest.mark.parametrize(
    "lines",
    [
        ("i = T.int32()", "if i < 3:", "    B[1] = 2.0"),  # bound by nothing: chapter 04 refuses it, not this one
        ('with T.attr(A.data, "key", T.Let(v + 1, where={v: 4})):\n            B[1] = 2.0',),
        ("i = T.int64()", 'T.attr(i, "pragma_x", 1)', "for i in range(T.int64(4)):", "    B[i] = 2.0"),
        ("B[T.Ramp(7, -1, 4)] = B[0:4]", "B[T.Ramp(7, 0, 4)] = B[0:8:2]"),
        ("z = T.alloc_scalar('int32', 'shared')", "z = 4", "B[z] = 1.0"),
        ("z = T.decl_scalar('int32', B.data, 'global', 3)", "z = 4", "B[z] = 1.0"),
        ("z: T.int32 = 4", "with T.sblock('b'):", "    T.reads(z.source[0])", "    T.writes(B[1])", "    B[z] = 1.0"),
    ],
)
def test_declared_where_the_text_needs_it(lines: tuple[str, ...]) -> None:
    if "v + 1" in lines[0]:
        lines = ("v = T.int32()", *lines)
    body(*lines)


def test_names_of_strides_and_offsets() -> None:
    text = """
@T.prim_func(s_tir=True)
def f(A: T.Buffer((8, 4), "float32", strides=("s", 1), offset_factor=16)):
    T.evaluate(A.elem_offset + A.strides[0] * 3)
"""
    module = parse(text)
    printed = print_module(module)
    assert "T.evaluate(A.elem_offset + A.strides[0] * 3)" in printed
    assert 'strides=("s", 1), offset_factor=16)' in printed
    assert parse(printed) == module


def test_an_assignment_to_a_declared_variable_is_its_let() -> None:
    declared, used = body("n = T.int64()", "n = T.tvm_struct_get(h, 0, 17, 'int64')", "B[n] = 1.0").body
    assert isinstance(declared, Bind)
    assert isinstance(used, BufferStore)
    assert used.indices == (declared.var,)


def test_an_operator_without_a_name_for_texts() -> None:
    (statement,) = body("T.tirx.TVMBackendAnyListSetPackedArg(h, 0, h, 1)").body
    assert isinstance(statement, Evaluate)
    assert statement.value.dtype == "int32"


def test_a_leading_dtype_of_a_legacy_instruction_says_nothing() -> None:
    text = """
@T.prim_func(s_tir=True, private=True)
def main(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "float16")):
    T.ptx_legacy.ldmatrix({}T.bool(False), 4, ".b16", A.data, 0, B.access_ptr("r"), 0)
"""
    assert parse(text.format('"float16", ')) == parse(text.format(""))
