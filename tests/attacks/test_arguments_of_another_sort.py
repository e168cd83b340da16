"""Arguments of intrinsics that are none of what the intrinsic takes: refused or open, and no fault."""

from __future__ import annotations

import pytest

import refrelax as rr

HEAD = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def inner(k: T.int32, B: T.Buffer((4,), "int32")):
        B[0] = k
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "int32"), F: T.Buffer((4,), "float32")):
"""
VECTOR = "T.Broadcast(1, 4)"


def ended(body: str) -> str:
    text = HEAD + "".join(f"        {line}\n" for line in body.splitlines())
    try:
        checked = rr.check(rr.parse(text))
        return type(rr.run(checked, "main", [1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0])).__name__
    except rr.Rejection as refused:
        return refused.diagnostics[0].rule


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("A[0] = T.q_multiply_shift(T.bool(True), 5, 1, 0)", "wf/scalar-kind"),
        (f"A[0] = T.q_multiply_shift({VECTOR}, 5, 1, 0)", "wf/scalar-kind"),
        ("A[0] = T.q_multiply_shift(1, T.float32(5.0), 1, 0)", "wf/scalar-kind"),
        ("A[0] = T.q_multiply_shift(1, 5, T.float32(1.0), 0)", "wf/scalar-kind"),
        ("A[0] = T.call_intrin('int32', 'tirx.if_then_else', 'x', 7, 8)", "wf/scalar-kind"),
        (f"F[0] = T.ldexp(F[1], {VECTOR})", "wf/scalar-kind"),
        (f"A[0] = T.call_intrin('int32', 'tirx.shift_right', A[1], {VECTOR})", "wf/scalar-kind"),
        ("F[0] = T.exp(T.call_extern('void', 'f'))", "syn/operand-types"),
        (f"T.evaluate(T.tvm_fill_fragment(F.data, {VECTOR}, 16, 16, 0, T.float32(0)))", "wf/scalar-kind"),
        ("T.evaluate(T.tvm_fill_fragment(F.data, 16, 16, -1, 0, T.float32(0)))", "wf/scalar-kind"),
        ("T.evaluate(T.tvm_fill_fragment(F.data, 16, 16, 'x', 0, T.float32(0)))", "wf/scalar-kind"),
        ("T.evaluate(T.tvm_fill_fragment(F.data, 2, 2, 2, 0, T.bool(True)))", "Unspecified"),
        ("T.evaluate(T.tvm_thread_allreduce(-1, A[0], T.bool(True), A[1], A[0]))", "wf/scalar-kind"),
        ("T.evaluate(T.tvm_thread_allreduce(T.int64(2**63 - 1), A[0], T.bool(True), A[1], A[0]))", "wf/scalar-kind"),
        ("T.evaluate(T.tvm_thread_allreduce(T.uint8(3), A[0], T.bool(True), A[1], A[0]))", "wf/scalar-kind"),
        (f"T.evaluate(T.tvm_thread_allreduce(1, {VECTOR}, T.bool(True), A[1], A[0]))", "wf/scalar-kind"),
        ("A[0] = T.call_llvm_intrin('int32', 'llvm.ctlz', A[1], T.float32(1.0))", "link/library-function-missing"),
        (f"Module.inner({VECTOR}, A)", "Unspecified"),
        (f"Module.inner(1, T.tvm_access_ptr(T.type_annotation('int32'), A.data, {VECTOR}, 2, 1))", "wf/scalar-kind"),
        ("Module.inner(1, T.tvm_access_ptr(T.type_annotation('int32'), A.data, 0, 'x', 1))", "wf/scalar-kind"),
        (f"T.evaluate(T.assume({VECTOR}))", "wf/scalar-kind"),
        ("T.assume(A[0] > 0)", "Returned"),
        (f"T.evaluate(T.tvm_stack_make_shape(1, {VECTOR}))", "wf/scalar-kind"),
        ("A[0] = T.q_multiply_shift(A[1], 5, 1, 0)", "Returned"),
        ("F[0] = T.ldexp(F[1], 2)", "Returned"),
        ("A[0:4] = T.shift_left(A[0:4], T.Broadcast(1, 4))", "Returned"),
        ("Module.inner(7, A)", "Returned"),
    ],
)
def test_ends(body: str, rule: str) -> None:
    assert ended(body) == rule
