"""Reduction: what is left has the cause, checks, and holds nothing that it does not need."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.judge.campaign.reduce import candidates, reduce, size
from refrelax.semantics.graph.link import nodes
from refrelax.syntax.graph import Op
from refrelax.syntax.module import Module

DEEP = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def helper(x: R.Tensor((n, 3), "float32")) -> R.Tensor((n, 3), "float32"):
        y = R.negative(x)
        return y
    @R.function
    def main(x: R.Tensor((n, 3), "float32"), c: R.Tensor((), "bool"), unused: R.Tensor((4,), "int8")) -> R.Tensor((n, 3), "float32"):
        cls = Module
        with R.dataflow():
            a = R.exp(x)
            dead = R.abs(x)
            b = R.subtract(a, x)
            R.output(a, b)
        h = cls.helper(b)
        if c:
            t = R.add(h, b)
            r = R.tanh(t)
        else:
            r = R.sqrt(h)
        z = R.multiply(r, a)
        return z
"""  # noqa: E501
ARGS = ([[0.5, 1.0, -2.0]], True, [1, 2, 3, 4])


def arguments(module: Module) -> list[Any]:
    return [rr.Tensor.of(each, p.type.dtype) for each, p in zip(ARGS, module.functions["main"].params, strict=True)]


def calls(module: Module) -> list[str]:
    return [n.name for f in module.relax_functions().values() for n in nodes(f) if isinstance(n, Op)]


def value(module: Module, args: list[Any]) -> str:
    outcome = rr.run(rr.check(module), "main", *args)
    assert isinstance(outcome, rr.Returned)
    return str(outcome.value.tolist())


@pytest.mark.by_day(5)
@pytest.mark.parametrize("op", ["exp", "subtract", "negative", "tanh", "sqrt", "multiply", "abs"])
def test_one_operator_is_left(op: str) -> None:
    module = rr.check(rr.parse(DEEP)).module
    asked = []

    def still(module: Module, args: list[Any]) -> bool:
        asked.append(rr.run(rr.check(module), "main", *args))
        return f"relax.{op}" in calls(module)

    small, args = reduce((module, arguments(module)), still)
    assert calls(small) == [f"relax.{op}"] and 0 < len(asked) <= 60
    assert len(args) == len(small.functions["main"].params) <= 2 + (op == "sqrt")
    assert isinstance(rr.run(rr.check(small), "main", *args), rr.Returned)


def test_what_a_binding_had_becomes_an_argument() -> None:
    module = rr.parse(DEEP)
    wanted = value(module, arguments(module))

    def still(module: Module, args: list[Any]) -> bool:
        return calls(module)[-1:] == ["relax.multiply"] and value(module, args) == wanted

    small, args = reduce((module, arguments(module)), still)
    assert calls(small) == ["relax.multiply"] and len(args) == 2


def test_what_defines_a_symbol_of_a_type_stays() -> None:
    """`m` stands alone in the type of `z`, which nothing uses; the type of `x` needs it."""
    text = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, "m + 1"), "float32"), s: R.Shape([m, 2]), z: R.Tensor((m,), "float32"), u: R.Tensor((2,), "int8")):
        a = R.exp(z)
        b = R.abs(x)
        c = R.negative(a)
        return (b, c)
"""  # noqa: E501
    module = rr.check(rr.parse(text)).module
    args: list[Any] = [
        rr.Tensor.of([[1.0, 2.0, 3.0]], "float32"),
        (2, 2),
        rr.Tensor.of([1.0, 2.0], "float32"),
        rr.Tensor.of([1, 2], "int8"),
    ]
    small, left = reduce((module, args), lambda module, _args: "relax.abs" in calls(module))
    assert calls(small) == ["relax.abs"]
    assert [p.name for p in small.functions["main"].params] == ["x", "s"]
    assert isinstance(rr.run(rr.check(small), "main", *left), rr.Returned)


@settings(max_examples=settings().max_examples // 4)
@given(st.data(), st.integers(0, 2**30))
def test_candidates_check_and_run(data: st.DataObject, seed: int) -> None:
    module = data.draw(
        rr.testing.modules(
            max_bindings=5,
        )
    )
    args = data.draw(rr.testing.call_arguments(module))
    turn = random.Random(seed)
    found = list(candidates(module, args))
    for small, given_ in turn.sample(found, min(3, len(found))):
        checked = rr.check(small)
        rr.run(checked, "main", *given_, externs=rr.testing.EXTERNS)
        assert size(small) <= size(rr.parse(rr.print_module(small)))
