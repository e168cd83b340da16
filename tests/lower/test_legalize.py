"""Legalization: every operator's loop program gives the operator's bits, in the interpreter and in NumPy."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.backends import compile as compile_
from refrelax.lower import lower
from refrelax.lower.legalize import LEGALIZERS
from refrelax.semantics.graph.link import nodes
from refrelax.syntax.graph import Call, Op
from refrelax.testing.arguments import random_arguments, symbols_of
from tests.lower.cases import CASES, module_text

SIZES: tuple[dict[str, int], ...] = ({"n": 5, "m": 3}, {"n": 1, "m": 2}, {"n": 0, "m": 1})


def operators(checked: rr.CheckedModule) -> set[str]:
    """The operators that the graph level of a module still calls."""
    return {
        node.op.name
        for func in checked.module.relax_functions().values()
        for node in nodes(func)
        if isinstance(node, Call) and isinstance(node.op, Op)
    }


def cells(value: Any) -> list[Any]:
    """Dtypes, shapes and bits (``None``: poison) of a value."""
    if isinstance(value, tuple):
        return [each for field in value for each in cells(field)]
    return [value.dtype, value.shape, *value.patterns()]


def same(wanted: list[Any], found: list[Any]) -> bool:
    """Equal wherever the definition says something."""
    return len(wanted) == len(found) and all(a is None or a == b for a, b in zip(wanted, found, strict=True))


@pytest.mark.parametrize(("op", "params", "call"), CASES, ids=[f"{k}-{c[0]}" for k, c in enumerate(CASES)])
def test_operator(op: str, params: str, call: str) -> None:
    checked = rr.check(rr.parse(module_text(params, call)))
    assert operators(checked) == {f"relax.{op}"}
    lowered = lower(checked, "legalize")
    assert all(claim.proved for claim in lowered.claims), [str(c) for c in lowered.claims if not c.proved]
    assert operators(lowered.module) == {"relax.call_tir"}
    compiled = compile_(lowered.module, backend="numpy", mode="bits")
    symbols = symbols_of(checked.module, "main")
    compared = 0
    for sizes in SIZES if symbols else SIZES[:1]:
        for seed, policy in enumerate(("special", "normal")):
            dims = {k: v for k, v in sizes.items() if k in symbols}
            args = random_arguments(checked.module, "main", seed, dims, policy)
            before = rr.run(checked, "main", *args)
            if not isinstance(before, rr.Returned):
                continue
            compared += 1
            wanted = cells(before.value)
            for after in (rr.run(lowered.module, "main", *args), compiled.run("main", *args)):
                assert isinstance(after, rr.Returned), after
                assert same(wanted, cells(after.value)), (dims, policy, wanted, cells(after.value))
    assert compared


def test_every_legalizer_has_a_case() -> None:
    assert {f"relax.{op}" for op, _, _ in CASES} == set(LEGALIZERS)
