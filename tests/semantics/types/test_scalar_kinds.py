"""``check`` judges kinds: a scalar expression of any shape is refused with a rule, or has an outcome."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.semantics.dims import equal, shape_facts, simplify
from refrelax.semantics.dims.kinds import ARITY, OPERANDS
from refrelax.syntax import bits
from refrelax.syntax.graph import BindingBlock, Function, Param, SeqExpr, ShapeExpr, Var, VarBinding
from refrelax.syntax.loops import Buffer, BufferParam, BufferStore, Evaluate, PrimFunc, ScalarParam
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import (
    BINARY_OPS,
    Binary,
    Broadcast,
    BufferLoad,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    StringImm,
    SymVar,
    int_imm,
)
from refrelax.syntax.types import PrimType, ShapeType

DTYPES = ("int64", "int32", "uint8", "uint64", "bool", "float32", "float16", "bfloat16", "float8_e4m3fn")
SYMBOLS = (SymVar("n"), SymVar("p", "float32"), SymVar("b", "bool"), SymVar("k", "int32"))


def literal(dtype: str, number: int) -> PrimExpr:
    return Literal(dtype, bits.encode(dtype, number) if dtype.startswith(("float", "bfloat")) else number % 2)


literals = st.builds(literal, st.sampled_from(DTYPES), st.integers(0, 3))
leaves = st.one_of(st.sampled_from(SYMBOLS), st.integers(0, 5).map(int_imm), literals)


def anything(inner: st.SearchStrategy[PrimExpr]) -> st.SearchStrategy[PrimExpr]:
    """Nodes over operands of any dtype."""
    dtype = st.sampled_from(DTYPES)
    intrinsics = [*sorted(ARITY), "undef", "call_extern", "vscale"]

    def call(op: str, args: list[PrimExpr], dtype: str) -> PrimExpr:
        own = dtype if op == "reinterpret" or not args else "bool" if op.startswith("is") else args[-1].dtype
        return Intrinsic(op, tuple(args[: ARITY.get(op, len(args))]), own)

    return st.one_of(
        st.builds(Binary, st.sampled_from(BINARY_OPS), inner, inner),
        st.builds(Cast, dtype, inner),
        st.builds(Cast, st.just("int64"), inner),
        st.builds(Not, inner),
        st.builds(Select, inner, inner, inner),
        st.builds(call, st.sampled_from(intrinsics), st.lists(inner, max_size=3), dtype),
        st.builds(lambda v, body: Let(SymVar("v", v.dtype), v, body), inner, inner),
        st.builds(lambda e: Broadcast(e, 4), inner),
        st.just(BufferLoad("A", (int_imm(0),), "int64")),
        st.just(StringImm("text")),
    )


def module(e: PrimExpr) -> Module:
    params = (
        Param("s", ShapeType((SymVar("n"),), 1)), Param("p", PrimType("float32")), Param("b", PrimType("bool")),
        Param("k", PrimType("int32")),
    )  # fmt: skip
    body = SeqExpr((BindingBlock((VarBinding("y", ShapeExpr((e,))),)),), Var("y"))
    return Module({"main": Function(params, ShapeType(None, 1), body, symbols=(SymVar("n"),))})


@given(st.recursive(leaves, anything, max_leaves=6))
def test_no_accepted_scalar_is_a_fault(e: PrimExpr) -> None:
    facts = shape_facts(["n"])
    if e.dtype == "int64":
        assert equal(e, simplify(e, facts), facts) is not False
    try:
        checked = rr.check(module(e))
    except (rr.IllFormed, rr.IllTyped) as refused:
        assert all(each.rule for each in refused.diagnostics)
        return
    for arguments in (((3,), 2.5, True, 4), ((0,), float("nan"), False, -1)):
        found = rr.run(checked, "main", rr.Shape(arguments[0]), *arguments[1:])
        assert isinstance(found, rr.Returned | rr.Unspecified), found


@pytest.mark.parametrize("op", sorted(OPERANDS))
def test_an_operator_takes_exactly_its_kinds(op: str) -> None:
    """What the table allows is computed at the loop level, in every kind; what it excludes is refused."""
    kinds = {"int32": "index", "float32": "float", "bool": "truth"}
    for dtype, kind in kinds.items():
        load = BufferLoad("A", (int_imm(0, "int32"),), dtype)
        if op in BINARY_OPS:
            e: PrimExpr = Binary(op, load, load)  # type: ignore[arg-type]
        elif op == "Not":
            e = Not(load)
        else:
            result = "bool" if op.startswith("is") else dtype
            e = Intrinsic(op, (load,) * ARITY[op], result)
        checked = loop(e, dtype)
        if kind in OPERANDS[op]:
            assert not isinstance(checked, rr.IllFormed), str(checked)
            one = {"int32": 1, "float32": 1.0, "bool": True}[dtype]
            out = np.zeros(1, e.dtype)
            found = rr.run(checked, "f", np.array([one], dtype), out)
            assert isinstance(found, rr.Returned), found
        else:
            assert isinstance(checked, rr.IllFormed)


def loop(e: PrimExpr, dtype: str) -> rr.CheckedModule | rr.IllFormed:
    one = (int_imm(1, "int32"),)
    params = BufferParam(Buffer("A", one, dtype)), BufferParam(Buffer("B", one, e.dtype))
    func = PrimFunc(params, (BufferStore("B", e, (int_imm(0, "int32"),)),), s_tir=True)
    try:
        return rr.check(Module({"f": func}))
    except rr.IllFormed as refused:
        return refused


def test_pointers_are_compared_and_not_counted_with() -> None:
    """``T.Add`` of two pointers was accepted, as was every other operation of two operands but the connectives."""
    h = SymVar("h", "handle")
    for op in BINARY_OPS:
        module = Module({"main": PrimFunc((ScalarParam(h),), (Evaluate(Binary(op, h, h)),))})
        if op in ("EQ", "NE", "LT", "LE", "GT", "GE"):
            rr.check(module)
            continue
        with pytest.raises(rr.IllFormed):
            rr.check(module)
