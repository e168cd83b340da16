"""Arguments that no operator takes there: a module of them is refused, or its run ends in an outcome.

The trees are read from JSON, where nothing but the sorts of `syn/json-node` stands between them and the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.conformance import data
from refrelax.conformance.cases import Case, load_examples
from refrelax.syntax import bits
from refrelax.syntax.graph import (
    AttrList,
    Call,
    Constant,
    DataTypeValue,
    Expr,
    Function,
    Op,
    Param,
    PrimValue,
    ShapeExpr,
    StringValue,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.scalars import Literal
from refrelax.syntax.types import AnyType, PrimType, ShapeType, TensorType, TupleType, Type

ENDS = {"Malformed", "IllTyped", "IllFormed", "Unlinkable", "Returned", "Trapped", "Unspecified", "Exhausted"}
TWO = TensorType((Literal("int64", 2),), "float32", 1)
PARAMS: dict[str, tuple[Type, Any]] = {
    "odd_p": (PrimType("int64"), 5), "odd_t": (PrimType("bool"), True), "odd_s": (ShapeType(None, 2), rr.Shape((2, 3))),
    "odd_x": (TWO, [1.0, 2.0]), "odd_u": (TensorType(), [1.0, 2.0]),
    "odd_f": (TupleType((TWO, TWO)), ([1.0, 2.0], [1.0, 2.0])),
    "odd_a": (AnyType(), None), "odd_w": (AnyType(), "text"), "odd_d": (AnyType(), rr.DType("int8")),
}  # fmt: skip
"""Parameters that stand in for arguments: their types and what they are given."""


def shape(*dims: int) -> ShapeExpr:
    return ShapeExpr(tuple(Literal("int64", each % (1 << 64)) for each in dims))


LEAVES: tuple[Expr, ...] = (
    *map(Var, PARAMS), Tuple(()), Tuple((Var("odd_p"),)), Tuple((Var("odd_x"), Var("odd_s"))), Tuple((Var("odd_a"),)),
    StringValue("x"), *map(DataTypeValue, ("float32", "float32x4", "void", "handle", "int1")),
    Constant("int8", (0,), ()), Constant("int64", (2,), (1 << 63, 1)), Constant("bool", (), (1,)),
    *(PrimValue(Literal("int64", each)) for each in (0, 1 << 62, (1 << 64) - 1)), PrimValue(Literal("bool", 1)),
    PrimValue(bits.literal("float32", float("nan"))), shape(), shape(-1), shape(1 << 40, 1 << 40), shape(0, 3),
)  # fmt: skip
ATTRIBUTES: tuple[Any, ...] = (
    None, True, 0, -1, 1 << 62, "", "NCHW0c", "->", "void", "handle", "float32x4", AttrList(()), AttrList((0, 0)),
    AttrList((1 << 62,)), AttrList(("x",)), *(bits.literal(d, each) for d in ("float32", "float64") for each in
    (float("nan"), float("-inf"), 1.0)),
)  # fmt: skip


def calls(function: Function) -> Iterator[tuple[VarBinding, Call]]:
    for block in function.body.blocks:
        for each in block.bindings:
            if isinstance(each, VarBinding) and isinstance(each.value, Call) and isinstance(each.value.op, Op):
                yield each, each.value


CASES = [
    (case, module)
    for case in load_examples()
    if case.file.startswith("spec/ops/")
    for module in [rr.parse(case.module)]
    if isinstance(module.functions["main"], Function) and any(calls(module.functions["main"]))
]


def changed(function: Function, binding: VarBinding, call: Call) -> Function:
    new = replace(binding, value=call, annotation=None)
    blocks = tuple(
        replace(block, bindings=tuple(new if each is binding else each for each in block.bindings))
        for block in function.body.blocks
    )
    params = tuple(Param(name, found) for name, (found, _) in PARAMS.items())
    return replace(
        function, params=(*function.params, *params), ret=None, pure=False, body=replace(function.body, blocks=blocks)
    )


@st.composite
def questions(draw: st.DrawFn) -> tuple[Case, rr.Module]:
    """An example of a page with one argument or attribute that is something else, or one argument less or more."""
    case, module = draw(st.sampled_from(CASES))
    function = module.functions["main"]
    assert isinstance(function, Function)
    binding, call = draw(st.sampled_from(list(calls(function))))
    place = draw(st.integers(0, len(call.args) + len(call.attrs)))
    if place < len(call.args):
        leaf = draw(st.sampled_from(LEAVES))
        call = replace(call, args=(*call.args[:place], leaf, *call.args[place + 1 :]))
    elif (k := place - len(call.args)) < len(call.attrs):
        attr = (call.attrs[k][0], draw(st.sampled_from(ATTRIBUTES)))
        call = replace(call, attrs=(*call.attrs[:k], attr, *call.attrs[k + 1 :]))
    else:
        call = replace(call, args=draw(st.sampled_from((call.args[:-1], (*call.args, Var("odd_x"))))))
    return case, replace(module, functions={**module.functions, "main": changed(function, binding, call)})


def end(case: Case, module: rr.Module) -> str:
    try:
        checked = rr.check(rr.from_json(rr.to_json(module)))
        args = [*map(data.to_value, case.args), *(value for _, value in PARAMS.values())]
        return type(rr.run(checked, "main", *args, budget=rr.Budget(steps=100_000, elements=100_000))).__name__
    except rr.Rejection as refused:
        return type(refused).__name__


@pytest.mark.thorough
@settings(max_examples=600, deadline=None)
@given(questions())
def test_every_argument_ends_in_an_outcome(question: tuple[Case, rr.Module]) -> None:
    assert end(*question) in ENDS
