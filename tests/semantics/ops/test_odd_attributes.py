"""Attributes and scalars that no operator takes: a program of them is refused, or its run ends in an outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

import refrelax as rr
from refrelax.conformance import data
from refrelax.conformance.cases import Case, load_examples
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import AttrList, Call, Op, PrimValue
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Literal

NUMBERS = (0, -1, -2, 7, 1 << 40)
FLOATS = (float("nan"), float("inf"), 0.0, -1.0)
FRACTION = PrimValue(bits.literal("float32", 1.5))
NO_NUMBER = PrimValue(bits.literal("float32", float("nan")))


def others(value: Any) -> Iterator[Any]:
    """Other values of the kind that an attribute or a scalar is."""
    match value:
        case bool():
            yield not value
        case int():
            yield from NUMBERS
        case str():
            yield from ("", "zz")
        case AttrList(items=items):
            for k, item in enumerate(items):
                yield from (AttrList((*items[:k], each, *items[k + 1 :])) for each in list(others(item))[:3])
            yield from (AttrList(()), AttrList(items[:-1]), AttrList((*items, *items[-1:])))
        case Literal(dtype=dtype) if dtypes.is_float(dtype):
            yield from (bits.literal(dtype, each) for each in FLOATS)
        case Literal(dtype=dtype) if dtypes.is_integer(dtype):
            yield from (Literal(dtype, each % (1 << dtypes.bits(dtype))) for each in NUMBERS)


def changed(call: Call) -> Iterator[Call]:
    """The call with one attribute or scalar changed."""
    for k, (name, value) in enumerate(call.attrs):
        for other in others(value):
            yield replace(call, attrs=(*call.attrs[:k], (name, other), *call.attrs[k + 1 :]))
    for k, arg in enumerate(call.args):
        if isinstance(arg, PrimValue):
            for given in (*map(PrimValue, others(arg.value)), FRACTION, NO_NUMBER):
                yield replace(call, args=(*call.args[:k], given, *call.args[k + 1 :]))


def mutants(node: Any) -> Iterator[Any]:
    """The tree with one call of an operator changed."""
    if isinstance(node, Call) and isinstance(node.op, Op):
        yield from changed(node)
    if isinstance(node, tuple):
        for k, item in enumerate(node):
            yield from ((*node[:k], each, *node[k + 1 :]) for each in mutants(item))
    elif isinstance(node, dict):
        for key, item in node.items():
            yield from ({**node, key: each} for each in mutants(item))
    elif is_dataclass(node) and not isinstance(node, type):
        for field in fields(node):
            if field.init and field.name not in ("span", "source"):
                yield from (replace(node, **{field.name: each}) for each in mutants(getattr(node, field.name)))


def questions() -> Iterator[tuple[Case, Module]]:
    for case in load_examples():
        if case.file.startswith("spec/ops/"):
            module = rr.parse(case.module)
            yield from ((case, replace(module, functions=each)) for each in mutants(dict(module.functions)))


def ends(case: Case, module: Module) -> str:
    """How a module ends that is given as text; the run of it, on the example's arguments."""
    try:
        checked = rr.check(rr.parse(rr.print_module(module)))
        args = [data.to_value(each) for each in case.args]
        return type(rr.run(checked, "main", *args, budget=rr.Budget(steps=300_000, elements=300_000))).__name__
    except rr.Rejection as refused:
        return type(refused).__name__


@pytest.mark.thorough
@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.nightly)])
def test_every_attribute_ends_in_an_outcome(step: int) -> None:
    found = {ends(case, module) for case, module in list(questions())[::step]}
    assert found <= {"Malformed", "IllTyped", "IllFormed", "Returned", "Trapped", "Unspecified", "Exhausted"}
    assert {"IllTyped", "Returned", "Unspecified"} <= found


@pytest.mark.parametrize(
    "call",
    ["R.nn.conv1d(x, x, strides=[1, 1])", "R.nn.conv1d(x, x, padding=[1, 2, 3])", "R.nn.conv1d(x, x, dilation=[])",
     "R.nn.max_pool2d(x, pool_size=[1, 2, 3])", "R.vision.roi_pool(x, x, pooled_size=[1, 2, 3], spatial_scale=1.0)"],
)  # fmt: skip
def test_a_list_of_integers_has_as_many_as_axes(call: str) -> None:
    text = f"@R.function\ndef main(x: R.Tensor((1, 1, 2))):\n    y = {call}\n    return y\n"
    with pytest.raises(rr.Malformed, match=r"syn/attribute"):
        rr.parse(text)
