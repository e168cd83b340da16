"""Strategies for types, tensors, elements and sequences of passes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import find, given
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument

import refrelax as rr
from refrelax.lower import PASSES, PIPELINES
from refrelax.syntax import bits
from refrelax.syntax.graph import Function, Param, SeqExpr, Var
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.types import ShapeType, TensorType, Type
from refrelax.testing import elements, pass_sequences, tensor_types, tensors, types


@given(types())
def test_types_print_and_read(type_: Type) -> None:
    params = (Param("s", ShapeType((SymVar("n"), SymVar("m")), 2)), Param("x", type_))
    module = Module({"main": Function(params, type_, SeqExpr((), Var("x")), symbols=("n", "m"))})
    assert rr.parse(rr.print_module(module)) == module


@given(tensor_types(symbols=["n"], max_rank=2, dtypes=["int8"]))
def test_tensor_types_are_limited(type_: TensorType) -> None:
    assert type_.dtype == "int8"
    assert isinstance(type_.shape, tuple)
    assert len(type_.shape) <= 2


@given(tensors())
def test_tensors_have_their_elements(tensor: rr.Tensor) -> None:
    assert len(tensor.patterns()) == tensor.size
    assert not tensor.poison()


@given(st.sampled_from(["float32", "float16", "bfloat16", "float64"]), st.data())
def test_dyadic_elements_are_exact(dtype: str, data: st.DataObject) -> None:
    number = bits.decode(dtype, data.draw(elements(dtype, policy="dyadic")))
    assert number * 4 == int(number * 4)
    assert abs(number) <= 2


SPECIAL: dict[str, Any] = {
    "NaN": lambda x: x != x,
    "infinity": lambda x: x == float("inf"),
    "minus zero": lambda x: x == 0 and str(x) == "-0.0",
    "subnormal": lambda x: 0 < x < 2.0**-126,
}


@pytest.mark.parametrize("what", SPECIAL)
def test_special_floats_occur(what: str) -> None:
    find(elements("float32", policy="special"), lambda p: SPECIAL[what](bits.decode("float32", p)))


def test_extreme_integers_occur() -> None:
    find(elements("int32", policy="special"), lambda p: bits.decode("int32", p) == -(2**31))


@given(pass_sequences())
def test_pass_sequences_keep_the_order(names: tuple[str, ...]) -> None:
    order = [name for name in PIPELINES["default"] if name in names]
    assert [name for name in names if name in order] == order
    assert len(set(names)) == len(names)


@given(pass_sequences(passes=["legalize"], any_order=True, max_size=3))
def test_pass_sequences_of_some(names: tuple[str, ...]) -> None:
    assert set(names) <= {"legalize"} < set(PASSES)
    assert len(names) <= 3


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: types(max_depth=-1),
        lambda: tensors(dtype=3),
        lambda: tensors("float32", (-1,)),
        lambda: elements("float33"),
        lambda: elements("float32", policy="wild"),
        lambda: pass_sequences(passes=["magic"]),
        lambda: pass_sequences(max_size=-1),
    ],
)
def test_arguments_are_checked(wrong: Any) -> None:
    with pytest.raises(InvalidArgument):
        wrong()
