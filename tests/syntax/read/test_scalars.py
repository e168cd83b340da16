"""Scalar expressions: what a text builds, folded and cast as TVM does it, and what it refuses."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.errors import Malformed
from refrelax.syntax import bits
from refrelax.syntax.graph import Function, IndexMap
from refrelax.syntax.read.context import Known, Scope, Source
from refrelax.syntax.read.scalars import read_scalar
from refrelax.syntax.scalars import (
    Binary,
    Cast,
    Intrinsic,
    Literal,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    bool_imm,
    int_imm,
)

N, K, X, H, B = SymVar("n"), SymVar("k", "int32"), SymVar("x", "float32"), SymVar("h", "float16"), SymVar("b", "uint8")


def scope() -> Scope:
    made = Scope()
    for each in (N, K, X, H, B, SymVar("d", "float64"), SymVar("p", "bool")):
        made.define(each.name, each)
    made.define("four", Known(4))
    return made


def read(text: str, int_dtype: str = "int32") -> PrimExpr:
    return read_scalar(Source(text, "t.py"), ast.parse(text, mode="eval").body, scope(), int_dtype)


def refused(text: str) -> str:
    with pytest.raises(Malformed) as caught:
        read(text)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None and diagnostic.span.line == 1
    return diagnostic.rule


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n + 0", N),
        ("1 * n", N),
        ("n * 0", int_imm(0)),
        ("0 - n", Binary("Sub", int_imm(0), N)),
        ("n // 1", N),
        ("n % 1", int_imm(0)),
        ("-n", Binary("Mul", N, int_imm(-1))),
        ("-3 // 2", int_imm(-2, "int32")),
        ("T.truncdiv(T.int32(-3), 2)", int_imm(-1, "int32")),
        ("T.truncmod(T.int32(-3), 2)", int_imm(-1, "int32")),
        ("T.int32(-3) % 2", int_imm(1, "int32")),
        ("T.int32(2147483647) + 1", int_imm(-2147483648, "int32")),
        ("T.min(n, n)", N),
        ("T.Add(n, T.int64(0))", Binary("Add", N, int_imm(0))),
        ("T.int64(3) < 4", bool_imm(True)),
        ("n + k", Binary("Add", N, Cast("int64", K))),
        ("k + 4294967296", Binary("Add", Cast("int64", K), int_imm(4294967296))),
        ("b + 1", Binary("Add", Cast("int32", B), int_imm(1, "int32"))),
        ("h + 1", Binary("Add", H, bits.literal("float16", 1))),
        ("h + 1.5", Binary("Add", Cast("float32", H), bits.literal("float32", 1.5))),
        ("d + 0.1", Binary("Add", SymVar("d", "float64"), bits.literal("float64", 0.1))),
        ("k + x", Binary("Add", Cast("float32", K), X)),
        ("x * 0.0 + x", X),
        ("'n * 2'", Binary("Mul", N, int_imm(2))),
        ("T.Cast('int64', 3)", Cast("int64", int_imm(3, "int32"))),
        ("T.cast(3, 'int64')", int_imm(3)),
        ("T.abs(k)", Select(Binary("GE", K, int_imm(0, "int32")), K, Binary("Sub", int_imm(0, "int32"), K))),
        ("T.isnan(h)", Intrinsic("isnan", (Cast("float32", H),), "bool")),
        ("T.round(k)", K),
        ("T.round(T.float32(2.5))", bits.literal("float32", 2.0)),
        ("T.floor(T.float32(-0.5))", bits.literal("float32", -1.0)),
        ("k << 3", Intrinsic("shift_left", (K, int_imm(3, "int32")), "int32")),
        ("four * 2 + n", Binary("Add", int_imm(8), N)),
        ("n if p else k", Intrinsic("if_then_else", (SymVar("p", "bool"), N, Cast("int64", K)), "int64")),
        ("n if True else oops", N),
        ("[5, 7, 9][1]", int_imm(7, "int32")),
        ("T.max_value('int8')", int_imm(127, "int8")),
        ("T.float16('inf')", Literal("float16", 0x7C00)),
        ("T.ceildiv(n, 4)", Binary("FloorDiv", Binary("Sub", Binary("Add", N, int_imm(4)), int_imm(1)), int_imm(4))),
        ("T.pow(x, 2)", Intrinsic("pow", (X, bits.literal("float32", 2)), "float32")),
        ("T.popcount(n)", Intrinsic("popcount", (N,), "int64")),
        ("T.clz(n)", Intrinsic("clz", (N,), "int32")),
    ],
)
def test_builds(text: str, expected: PrimExpr) -> None:
    assert read(text) == expected


def test_bare_integers_take_the_dtype_of_their_place() -> None:
    assert read("2 * 3", "int64") == int_imm(6)
    assert read("2 * 3") == int_imm(6, "int32")
    assert read("True") == bool_imm(True)


def test_comparisons_chain_and_connectives_keep_their_operands() -> None:
    first, second = read("0 < k"), read("k < 3")
    assert read("0 < k < 3") == Binary("And", first, second)
    assert read("p and True") == Binary("And", SymVar("p", "bool"), bool_imm(True))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("n / 2", "syn/ambiguous-division"),
        ("n // 0", "syn/constant-division-by-zero"),
        ("x // 2.0", "syn/operand-types"),
        ("n and p", "syn/operand-types"),
        ("~x", "syn/operand-types"),
        ("T.Select(p, x, h)", "syn/operand-types"),
        ("T.sin(k)", "syn/operand-types"),
        ("T.uint8(300)", "syn/scalar-range"),
        ("T.float32('two')", "syn/scalar-range"),
        ("k << 32", "syn/shift-count"),
        ("nobody", "syn/undefined-name"),
        ("T.expo(x)", "syn/unknown-intrinsic"),
        ("open('x')", "syn/unknown-intrinsic"),
        ("T.exp(x, x)", "syn/argument-count"),
        ("T.exp(x, fast=1)", "syn/unknown-keyword"),
        ("T.Broadcast(x, n)", "syn/lane-count"),
        ("T.cast(x, 'float33')", "syn/unknown-dtype"),
        ("'n +'", "syn/quoted-scalar"),
        ("n @ k", "syn/scalar-operator"),
        ("x.real", "syn/unknown-attribute"),
        ("T.Let(n, where={})", "syn/let-form"),
        ("lambda: n", "syn/not-a-scalar"),
        ("n" + " + n" * 3000, "syn/too-deep"),
        ("-" * 900 + "n", "syn/too-deep"),
    ],
)
def test_refuses(text: str, rule: str) -> None:
    assert refused(text) == rule


def test_an_unknown_intrinsic_is_answered_with_the_nearest_names() -> None:
    with pytest.raises(Malformed, match=r"did you mean T\.sigmoid"):
        read("T.sigmod(x)")


def test_a_let_names_its_value_once_each_time() -> None:
    text = "T.Let(v + 1, where={v: n}) + T.Let(v * 2, where={v: n})"
    found = read(text)
    assert isinstance(found, Binary)
    assert found.a.var.name != found.b.var.name  # type: ignore[union-attr]


def test_index_maps() -> None:
    text = "T.index_map(lambda i, j: (j // 4, i, j % 4), inverse_index_map=lambda a, b, c: (b, a * 4 + c))"
    module = rr.parse(f'@R.function\ndef f(x: R.Any):\n    R.func_attr({{"a": {text}}})\n    return x\n')
    (function,) = module.functions.values()
    assert isinstance(function, Function)
    found = dict(function.attrs)["a"]
    assert isinstance(found, IndexMap)
    assert found.params == ("i", "j") and len(found.results) == 3
    assert found.inverse is not None and found.inverse.params == ("a", "b", "c")


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1), st.sampled_from(["+", "-", "*"]))
def test_folding_wraps_at_the_width(a: int, b: int, op: str) -> None:
    found = as_int(read(f"T.int32({a}) {op} T.int32({b})"))
    exact = {"+": a + b, "-": a - b, "*": a * b}[op]
    assert found == (exact + 2**31) % 2**32 - 2**31


@given(st.integers(-50, 50), st.integers(-7, 7).filter(bool))
def test_the_two_divisions_of_literals(a: int, b: int) -> None:
    def get(text: str) -> int | None:
        return as_int(read(text))

    assert get(f"T.int64({a}) // T.int64({b})") == a // b
    assert get(f"T.int64({a}) % T.int64({b})") == a % b
    quotient = get(f"T.truncdiv(T.int64({a}), T.int64({b}))")
    assert quotient == abs(a) // abs(b) * (1 if a * b >= 0 else -1)
    assert get(f"T.truncmod(T.int64({a}), T.int64({b}))") == a - b * quotient
