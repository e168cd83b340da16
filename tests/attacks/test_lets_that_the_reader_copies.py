"""Lets in expressions that the reader puts at several places: their text comes back as the tree that it was."""

from __future__ import annotations

import pytest

import refrelax as rr

HEAD = """
@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "int32"), n: T.int32):
        v = T.int32()
        u = T.int32()
"""


@pytest.mark.parametrize(
    "body",
    [
        "for i in T.serial(T.Let(v, where={v: n}), 8):\n    A[i] = 1",
        "for i in T.serial(T.Let(v + n, where={v: n}), T.Let(v * 2, where={v: n})):\n    A[i] = 1",
        "A[0] = T.abs(T.Let(v + n, where={v: n}))\nv_1: T.int32 = 3\nA[1] = v_1",
        "A[0] = T.abs(T.Let(v + T.Let(u * v, where={u: v + 1}), where={v: n}))\nu_1: T.int32 = 3\nA[1] = u_1",
        "A[0] = T.abs(T.Let(v + T.Let(v * v, where={v: v + 1}), where={v: n}))",
        "A[0] = T.Let(v, where={v: 3})\nA[1] = T.abs(T.Let(v + 1, where={v: T.Let(v, where={v: 3})}))",
        "A[0] = T.Let(v, where={v: 3})\nA[1] = T.Let(v, where={v: 4})\nA[2] = T.Let(v + v, where={v: 3})",
    ],
)
def test_printed_and_read(body: str) -> None:
    module = rr.parse(HEAD + "".join(f"        {line}\n" for line in body.splitlines()))
    text = rr.print_module(module)
    again = rr.parse(text)
    assert again == module
    assert rr.print_module(again) == text


def test_lets_of_other_values_have_other_variables() -> None:
    module = rr.parse(HEAD + "        A[0] = T.Let(v, where={v: 3})\n        A[1] = T.Let(v, where={v: 4})\n")
    assert "v_1 = T.int32()" in rr.print_module(module)


SIGNATURE = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer(("T.Let(v + n, where={v: 1})", "n"), "int32")):
        v = T.int32()
        A[1] = T.Let(v, where={v: 2})
"""


def test_the_variable_of_a_let_in_a_signature_is_no_symbol() -> None:
    module = rr.parse(SIGNATURE)
    function = module.prim_funcs()["f"]
    assert [each.name for each in function.symbols] == ["n"]
    assert rr.parse(rr.print_module(module)) == module
